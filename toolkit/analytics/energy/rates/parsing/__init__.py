"""Texts of a published plan become numbers, dates, seasons and durations."""
