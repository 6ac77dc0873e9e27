"""Claims about inference from total variation, with the attacks on them."""
