"""Transactions: days, merchants, categories, transfers between own accounts, sums."""
