"""Claims about real data, with the attacks on them."""
