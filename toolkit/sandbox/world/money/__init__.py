"""Bank accounts and what happens on them."""
