"""Rates, bills, usage, solar and the next bill, from frames of reads and plans."""
