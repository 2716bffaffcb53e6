"""Delete for good: what is meant, its rows, copies and files, and the tombstone that stays."""
