"""The public functions on polars frames, without a database: `import toolkit` has them all.

They answer as the commands of the same name do, with the same types. Frames of reads, transactions and accounts have
the columns of `toolkit.tables.schema`; `toolkit.read_usage` and `toolkit.read_transactions` make them from files.
"""
