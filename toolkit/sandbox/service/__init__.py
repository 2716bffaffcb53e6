"""State of the service: clients, tokens, end users, consents, sessions and the records that consents share."""

from toolkit.sandbox.service.state import Service

__all__ = ["Service"]
