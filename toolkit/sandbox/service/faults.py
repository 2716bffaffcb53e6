"""A refusal on its way to the caller."""

from __future__ import annotations


class Refusal(Exception):
    """name: a key of `wire.errors.STATUSES`, which decides the status."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.message = name, message
