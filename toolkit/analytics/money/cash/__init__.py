"""Recurring payments, and the projection of the balance."""
