"""Claims about relative least squares, with the attacks on them."""
