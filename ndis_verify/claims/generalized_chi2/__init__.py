"""Claims about generalized chi2, with the attacks on them."""
