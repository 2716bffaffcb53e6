"""Periods compared, budgets, and the fees and interest of a year."""
