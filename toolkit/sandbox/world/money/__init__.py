"""Bank accounts, their transactions, and payments set up on them."""
