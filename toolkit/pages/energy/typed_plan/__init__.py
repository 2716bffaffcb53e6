"""Typing a plan from a bill."""
