"""Claims about Gaussian outputs, with the attacks on them."""
