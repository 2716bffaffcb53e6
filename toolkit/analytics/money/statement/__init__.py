"""Income and expenses as a statement to hand over: averages by section, and what is left."""
