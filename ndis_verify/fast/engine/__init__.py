"""How float64 numbers are made: whitening, transforms, paths, sums, searches."""
