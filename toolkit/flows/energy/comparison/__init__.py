"""Compare every plan that the household can have on its own reads."""
