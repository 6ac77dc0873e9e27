"""Releases whose bits are the exact rounding, to a public grid, of a draw from a law of real numbers."""
