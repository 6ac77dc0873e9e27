"""Hunts for a calibration that returns too little noise: every returned number is certified."""
