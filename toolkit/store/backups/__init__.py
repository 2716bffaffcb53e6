"""Copies of the database: how they are made and named."""
