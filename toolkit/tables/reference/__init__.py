"""Reference data: categories, keywords, merchant codes, places, retailers, currencies."""
