"""Claims about privacy loss, with the attacks on them."""
