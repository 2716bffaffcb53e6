"""Files into the store: rows, meter days, accounts, and which file gave what."""
