"""The service's edge: the only folder that speaks HTTP as a client."""
