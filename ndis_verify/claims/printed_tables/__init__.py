"""What the printed tables of a source imply: the privacy of their noise levels, and what their ratios are."""
