"""Claims about random canaries, with the attacks on them."""
