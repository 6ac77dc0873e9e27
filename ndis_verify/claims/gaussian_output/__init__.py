"""Claims about gaussian output, with the attacks on them."""
