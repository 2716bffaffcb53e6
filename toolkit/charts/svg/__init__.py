"""Figures as SVG: for the report, and for notebooks that are read without a script or a network."""
