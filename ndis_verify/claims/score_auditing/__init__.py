"""Claims about auditing by scores, with the attacks on them."""
