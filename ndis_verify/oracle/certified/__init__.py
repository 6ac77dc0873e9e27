"""Values with proof: Arb balls, exact spectra, rigorous integrals and analytic tail bounds."""
