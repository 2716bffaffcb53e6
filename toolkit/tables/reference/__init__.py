"""Facts from outside the project: categories, words in bank descriptions, places, retailers.

The facts are TOML files in this folder; each states its source, licence and the day on which it was read.
"""
