"""Claims about least squares, with the attacks on them."""
