"""Claims about gaussian mechanism, with the attacks on them."""
