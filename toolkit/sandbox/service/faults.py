"""A refusal on its way to the caller."""

from __future__ import annotations

from collections.abc import Mapping


class ServiceRefusalError(Exception):
    """name: a key of `wire.errors.STATUSES`, which decides the status. headers: of the answer."""

    def __init__(self, name: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.name, self.message, self.headers = name, message, dict(headers or {})
