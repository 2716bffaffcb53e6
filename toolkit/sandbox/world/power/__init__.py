"""Meters, what runs through them, and what it costs."""
