"""Households: which one is meant, what is known of it, what is stored for it."""
