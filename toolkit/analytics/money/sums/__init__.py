"""Sums of classified transactions, from rows and from stored months."""
