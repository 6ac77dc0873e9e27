"""Claims about covariance shifts, with the attacks on them."""
