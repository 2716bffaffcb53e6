"""Importing files: dropped on a page, from a folder, bills as PDF, and tables whose columns a person names."""
