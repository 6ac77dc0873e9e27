"""Claims about GDP parameter, with the attacks on them."""
