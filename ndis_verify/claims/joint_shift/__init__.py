"""Claims about joint shifts, with the attacks on them."""
