"""Homes with panels whose generation is known, and how near the answers of `solar` come to it."""
