"""Claims about sensitivity, with the attacks on them."""
