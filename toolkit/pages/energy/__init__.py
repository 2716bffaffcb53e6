"""Pages about energy: bills, plans, usage, solar."""
