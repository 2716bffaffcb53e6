"""The server process of the app: launch, access, background work."""
