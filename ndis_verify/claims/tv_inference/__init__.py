"""Claims about tv inference, with the attacks on them."""
