"""Claims about mean shifts, with the attacks on them."""
