"""Claims about trade-off curves, with the attacks on them."""
