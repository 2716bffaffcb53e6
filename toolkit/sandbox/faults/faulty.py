"""An ASGI application that injects faults."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from fnmatch import fnmatchcase

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolkit.sandbox.faults.answers import changed
from toolkit.sandbox.faults.fault import Fault
from toolkit.sandbox.faults.pagination import ListProgress, with_page_size, without_own_cursor
from toolkit.sandbox.protocol import TRANSPORT
from toolkit.wire.endpoints import ENDPOINTS, ErrorShape
from toolkit.wire.errors import STATUSES, write_error

CORE = "/v1"


class Faulty:
    """Injects `faults` and otherwise passes requests on. `faults` may be replaced while it runs."""

    def __init__(self, app: ASGIApp, faults: Sequence[Fault] = ()) -> None:
        self._app = app
        self.set(faults)

    def set(self, faults: Sequence[Fault]) -> None:
        self._faults = list(faults)
        self._seen = [0] * len(faults)
        self._lists: dict[tuple[int, str], ListProgress] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        nth = self._due(scope["path"]) if scope["type"] == "http" and self._faults else None
        if nth is None:
            return await self._app(scope, receive, send)
        fault = self._faults[nth]
        await asyncio.sleep(fault.delay)
        if fault.reset:
            scope[TRANSPORT].abort()
            return await _until_gone(receive)
        app = self._app if fault.status is None else _refusal(scope["path"], fault.status)
        altered = _Altered(fault, self._progress(nth, scope), scope, receive, send)
        return await app(_asked(scope, fault), receive, altered.send)

    def _due(self, path: str) -> int | None:
        """The place of the first fault whose turn it is; every fault on the path counts the request."""
        found = None
        for nth, fault in enumerate(self._faults):
            if not _struck(path, fault.path):
                continue
            turn = self._seen[nth] - fault.after
            self._seen[nth] += 1
            if found is None and turn >= 0 and (fault.times is None or turn < fault.times):
                found = nth
        return found

    def _progress(self, nth: int, scope: Scope) -> ListProgress:
        """What the fault remembers of this list; a request without a cursor starts again."""
        url = Request(scope).url
        key = (nth, str(url.remove_query_params(["page[after]", "page[before]"])))
        if "page%5Bafter%5D" not in url.query and "page[after]" not in url.query:
            self._lists.pop(key, None)
        return self._lists.setdefault(key, ListProgress())


def _struck(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern) or fnmatchcase(path.removeprefix(CORE), pattern.removeprefix(CORE))


def _asked(scope: Scope, fault: Fault) -> Scope:
    """The request as the service gets to see it."""
    query = scope["query_string"].decode("latin-1")
    if fault.change:
        query = without_own_cursor(query)
    if fault.page_size is not None:
        query = with_page_size(query, fault.page_size)
    return {**scope, "query_string": query.encode("latin-1")}


def _refusal(path: str, status: int) -> Response:
    """An error of that status in the body shape of the path's endpoint."""
    shape: ErrorShape = next((row.errors for row in ENDPOINTS if fnmatchcase(path, _pattern(row.path))), "data")
    name = next((name for name, known in STATUSES.items() if known == status), "internal_error")
    media_type, body = write_error(shape, name, "A fault on purpose.", "err_fault", temporary=True)
    return Response(msgspec.json.encode(body), status, media_type=media_type)


def _pattern(path: str) -> str:
    return path.split("{", maxsplit=1)[0] + "*" if "{" in path else path


class _Altered:
    """An answer with more headers, with another body, or one that breaks off. The application sends it in two parts."""

    def __init__(self, fault: Fault, progress: ListProgress, scope: Scope, receive: Receive, send: Send) -> None:
        self._fault, self._progress, self._scope, self._receive, self._send = fault, progress, scope, receive, send
        self._start: Message = {}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return None
        body = message.get("body", b"")
        if self._fault.change and 200 <= self._start["status"] < 300:
            body = changed(body, self._fault.change, str(Request(self._scope).url), self._progress)
        await self._send({**self._start, "headers": self._headers(len(body))})
        truncate = self._fault.truncate
        if truncate is None or truncate is False:
            return await self._send({**message, "body": body})
        length = len(body) // 2 if truncate is True else truncate
        await self._send({**message, "body": body[:length], "more_body": True})
        self._scope[TRANSPORT].close()
        return await _until_gone(self._receive)

    def _headers(self, length: int) -> list[tuple[bytes, bytes]]:
        headers = {**self._fault.headers, **_retry_after(self._fault)}
        kept = [(name, value) for name, value in self._start["headers"] if name != b"content-length"]
        added = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        return [*kept, (b"content-length", str(length).encode()), *added]


def _retry_after(fault: Fault) -> dict[str, str]:
    if fault.retry_after is None:
        return {}
    if fault.retry_after_as == "seconds":
        return {"retry-after": str(fault.retry_after)}
    timestamp = datetime.now(UTC) + timedelta(seconds=fault.retry_after)
    return {"retry-after": format_datetime(timestamp, usegmt=True)}


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
