"""Personal finance and energy for Australian households."""
