"""Answers about energy: bills, plans, forecasts, usage, solar."""
