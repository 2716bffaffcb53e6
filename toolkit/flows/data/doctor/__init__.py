"""Check settings, files, database, service and data, and say what to do."""
