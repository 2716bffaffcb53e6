"""Which published plans are on offer, to whom, and the day that they are priced for. Pure."""
