"""Claims about baselines, with the attacks on them."""
