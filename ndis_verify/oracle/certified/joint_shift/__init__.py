"""Values of joint shift."""
