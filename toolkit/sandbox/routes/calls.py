"""A request as the handlers see it, and the lists they answer with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import URL

from toolkit.sandbox.service import Service
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.paging import page
from toolkit.sandbox.service.rows import Row
from toolkit.sandbox.service.state import ApiClient
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import RECORDS

Answer = object
"""Anything msgspec can encode; None is an answer without a body."""


@dataclass(frozen=True, slots=True)
class Call:
    """pairs: the query in order, with repeats. url: without its query. client: None where none is asked.

    thumbprint: of the certificate that the caller showed.
    """

    service: Service
    endpoint: Endpoint
    url: str
    pairs: Sequence[tuple[str, str]]
    path: Mapping[str, str]
    headers: Mapping[str, str]
    raw_body: bytes
    thumbprint: str | None = None
    client: ApiClient | None = None

    @property
    def origin(self) -> str:
        """Where the service is, as the caller reached it."""
        return str(URL(self.url).replace(path="", query="")).rstrip("/")

    @property
    def query(self) -> dict[str, str]:
        """Each parameter's first value, empty ones left out."""
        return {name: value for name, value in reversed(self.pairs) if value}

    def every(self, name: str) -> list[str]:
        return [value for found, value in self.pairs if found == name and value]

    def required(self, name: str, also: str | None = None) -> str:
        """A parameter's value, under either of its spellings. Refuses with bad_request."""
        value = self.query.get(name) or (also and self.query.get(also))
        if not value:
            raise ServiceRefusalError("bad_request", f"The parameter {name} is required.")
        return value

    def body(self) -> Any:
        """The body as the struct its endpoint names. Refuses with bad_request or, at the token, invalid_request."""
        try:
            return msgspec.json.decode(self.raw_body, type=RECORDS[self.endpoint.body or ""])
        except msgspec.MsgspecError as error:
            name = "invalid_request" if self.endpoint.errors == "token" else "bad_request"
            raise ServiceRefusalError(name, f"The body cannot be read: {error}") from None

    def listed(self, rows: Sequence[Row], **more: object) -> dict[str, object]:
        """A page of rows under the endpoint's array, with absolute links; a link that leads nowhere is left out."""
        found = page(rows, self.query, self.endpoint.name)
        links = {
            name: self._link(f"page[{way}]", cursor)
            for name, way, cursor in (("next", "after", found.following), ("prev", "before", found.previous))
            if cursor
        }
        return {self.endpoint.array or "": [row.body for row in found.rows], "links": links, **more}

    def _link(self, name: str, cursor: str) -> str:
        others = [(key, value) for key, value in self.pairs if key not in ("page[after]", "page[before]")]
        return f"{self.url}?{urlencode([*others, (name, cursor)])}"


Handler = Callable[[Call], Answer]
