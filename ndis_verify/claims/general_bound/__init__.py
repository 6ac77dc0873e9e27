"""Claims about general bound, with the attacks on them."""
