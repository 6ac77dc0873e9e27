"""Claims about random projection, with the attacks on them."""
