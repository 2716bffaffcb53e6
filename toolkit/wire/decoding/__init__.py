"""Bodies of the service become typed records: strict first, leniently where that fails."""
