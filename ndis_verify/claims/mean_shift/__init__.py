"""Claims about mean shift, with the attacks on them."""
