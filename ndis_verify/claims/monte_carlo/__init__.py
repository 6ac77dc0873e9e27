"""Claims about monte carlo, with the attacks on them."""
