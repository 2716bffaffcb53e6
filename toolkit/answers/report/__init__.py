"""Answers about the report to hand over."""
