"""Claims about relative projection, with the attacks on them."""
