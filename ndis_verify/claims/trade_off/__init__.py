"""Claims about trade off, with the attacks on them."""
