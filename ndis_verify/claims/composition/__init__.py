"""Claims about composition, with the attacks on them."""
