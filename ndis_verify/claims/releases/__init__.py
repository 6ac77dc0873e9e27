"""Claims about releases, with the attacks on them."""
