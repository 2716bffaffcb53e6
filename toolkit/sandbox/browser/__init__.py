"""A pretend person who fills in plain HTML consent pages, for the demo and the tests."""
