"""How the oracle makes numbers: contours, series, quadrature, searches, precision."""
