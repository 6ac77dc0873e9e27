"""How numbers with proof are made: balls, rigorous integrals and tails, exact spectra, searches."""
