"""Claims about joint shift, with the attacks on them."""
