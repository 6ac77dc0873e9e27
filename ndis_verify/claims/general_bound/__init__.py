"""Claims about the general bound, with the attacks on them."""
