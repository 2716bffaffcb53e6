"""One page of a list into the store, in one transaction."""
