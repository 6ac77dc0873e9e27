"""Claims about mechanism table, with the attacks on them."""
