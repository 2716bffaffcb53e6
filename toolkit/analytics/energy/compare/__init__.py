"""Plans side by side: what each costs one household, ranked."""
