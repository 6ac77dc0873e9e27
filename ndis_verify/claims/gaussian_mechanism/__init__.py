"""Claims about the Gaussian mechanism, with the attacks on them."""
