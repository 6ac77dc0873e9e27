"""Claims about misprints, with the attacks on them."""
