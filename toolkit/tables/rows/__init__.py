"""Records of the service become rows of the tables."""
