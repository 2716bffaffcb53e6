"""The public functions on polars frames, without a database: `import toolkit` has them all.

`usage`, `solar`, `forecast` and `spending` answer with the types of the commands; `price` returns the engine's bill.
Frames of reads, transactions and accounts have the columns of `toolkit.tables.schema`; `toolkit.read_usage` and
`toolkit.read_transactions` make them from files.
"""
