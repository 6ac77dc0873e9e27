"""Numbers that other projects publish as expected ones, against certified values."""
