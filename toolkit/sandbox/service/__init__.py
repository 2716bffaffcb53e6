"""State of the service: clients, tokens, end users, consents, sessions and the records they open."""

from toolkit.sandbox.service.state import Service

__all__ = ["Service"]
