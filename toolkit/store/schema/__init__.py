"""The database's structure, views and migrations, made from `tables.schema`."""
