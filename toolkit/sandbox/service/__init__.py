"""What the service remembers: clients, tokens, end users, consents, sessions, and whose records they open."""

from toolkit.sandbox.service.state import Service

__all__ = ["Service"]
