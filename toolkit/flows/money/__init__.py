"""Money: spending, transactions, accounts, recurring payments, cash flow, decisions."""
