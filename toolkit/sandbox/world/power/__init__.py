"""Meters, energy use and generation, plans and invoices."""
