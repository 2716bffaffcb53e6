"""What people set of transactions, categories and rules, and what is left to review."""
