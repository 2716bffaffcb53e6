"""Interval reads prepared for pricing: energy by day and time of day, and how complete it is."""
