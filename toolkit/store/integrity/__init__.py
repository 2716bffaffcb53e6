"""Whether the database is whole: checksums, the write-ahead log, its presence."""
