"""Claims about real records, with the attacks on them."""
