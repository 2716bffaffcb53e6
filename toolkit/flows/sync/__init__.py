"""Pull what is new from the service."""
