"""Claims about histogram, with the attacks on them."""
