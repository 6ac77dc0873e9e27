"""Claims about score auditing, with the attacks on them."""
