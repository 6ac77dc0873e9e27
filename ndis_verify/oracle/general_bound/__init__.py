"""Values of general bound."""
