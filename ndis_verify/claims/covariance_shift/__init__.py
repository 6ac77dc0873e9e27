"""Claims about covariance shift, with the attacks on them."""
