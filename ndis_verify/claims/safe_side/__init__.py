"""Claims that no calibration in float64 returns too little noise, with the attacks on them."""
