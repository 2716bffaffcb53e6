"""Meter files: NEM12, NEM13, retailers' portal tables, Green Button."""
