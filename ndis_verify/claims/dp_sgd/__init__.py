"""Claims about DP-SGD, with the attacks on them."""
