"""Claims about denoising, with the attacks on them."""
