"""Energy: usage, bills, forecasts, comparison, what-if, reconciliation, solar."""
