"""A request as the handlers of endpoints receive it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import URL

from toolkit.sandbox.service import Service
from toolkit.sandbox.service.lists import page
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import Row
from toolkit.sandbox.service.state import ApiClient
from toolkit.wire import JsonObject
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import RECORDS


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an endpoint."""

    service: Service
    endpoint: Endpoint
    url: str
    """Address without the query."""
    pairs: Sequence[tuple[str, str]]
    """Names and values of the query in order, with repeats."""
    path: Mapping[str, str]
    """Parameters in the path."""
    headers: Mapping[str, str]
    raw_body: bytes
    thumbprint: str | None = None
    """Of the client certificate that the caller showed."""
    client: ApiClient | None = None
    """None where the endpoint requires no token."""

    @property
    def origin(self) -> str:
        """Return the service's origin, as the caller reached it."""
        return str(URL(self.url).replace(path="", query="")).rstrip("/")

    @property
    def query(self) -> dict[str, str]:
        """Return each parameter's first value, without empty ones."""
        return {name: value for name, value in reversed(self.pairs) if value}

    def values(self, name: str) -> list[str]:
        """Return every value of a parameter, without empty ones."""
        return [value for key, value in self.pairs if key == name and value]

    def required(self, name: str, also: str | None = None) -> str:
        """Return a parameter's value, under either of its spellings. Refuses with bad_request."""
        value = self.query.get(name) or (also and self.query.get(also))
        if not value:
            raise ServiceRefusalError("bad_request", f"The parameter {name} is required.")
        return value

    def body(self) -> Any:
        """Return the body as its endpoint's struct. Refuses with bad_request or, for tokens, invalid_request."""
        try:
            return msgspec.json.decode(self.raw_body, type=RECORDS[self.endpoint.body or ""])
        except msgspec.MsgspecError as error:
            name = "invalid_request" if self.endpoint.errors == "token" else "bad_request"
            raise ServiceRefusalError(name, f"The body cannot be read: {error}") from None

    def listed(self, rows: Sequence[Row], **more: object) -> JsonObject:
        """Return a page of rows under the endpoint's array name, with absolute links to its neighbours.

        more: further fields of the response. Refuses with bad_request or invalid_cursor.
        """
        listed = page(rows, self.query, self.endpoint.name)
        others = [(key, value) for key, value in self.pairs if key not in ("page[after]", "page[before]")]
        links = {
            name: f"{self.url}?{urlencode([*others, (parameter, cursor)])}"
            for name, parameter, cursor in (
                ("next", "page[after]", listed.next_cursor),
                ("prev", "page[before]", listed.prev_cursor),
            )
            if cursor
        }
        return {self.endpoint.array or "": [row.body for row in listed.rows], "links": links, **more}


Handler = Callable[[Call], object]
"""Returns anything msgspec can encode; None is a response without a body."""
