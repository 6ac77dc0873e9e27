"""Claims about leverage, with the attacks on them."""
