"""Values of relative least squares."""
