"""Claims about the table of mechanisms, with the attacks on them."""
