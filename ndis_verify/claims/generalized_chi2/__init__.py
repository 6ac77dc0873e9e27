"""Claims about generalized chi-square laws, with the attacks on them."""
