"""Claims about the hockey-stick divergence, with the attacks on them."""
