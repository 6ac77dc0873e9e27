"""Claims about hockey stick, with the attacks on them."""
