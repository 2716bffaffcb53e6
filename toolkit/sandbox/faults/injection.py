"""An ASGI application that injects faults into another one."""

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

from toolkit.sandbox.faults.changes import ListProgress, apply_changes, with_page_size, without_injected_cursor
from toolkit.sandbox.faults.fault import Fault
from toolkit.sandbox.protocol import TRANSPORT
from toolkit.wire.endpoints import ENDPOINTS, ErrorShape
from toolkit.wire.errors import STATUSES, write_error

CORE = "/v1"


class FaultInjector:
    """Injects faults and otherwise passes requests on; `set` replaces the faults at any time."""

    def __init__(self, app: ASGIApp, faults: Sequence[Fault] = ()) -> None:
        self._app = app
        self.set(faults)

    def set(self, faults: Sequence[Fault]) -> None:
        """Replace the faults and start counting requests again."""
        self._faults = list(faults)
        self._requests = [0] * len(faults)
        self._lists: dict[tuple[int, str], ListProgress] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        nth = self._due(scope["path"]) if scope["type"] == "http" and self._faults else None
        if nth is None:
            return await self._app(scope, receive, send)
        fault = self._faults[nth]
        await asyncio.sleep(fault.delay)
        if fault.reset:
            scope[TRANSPORT].abort()
            return await _wait_for_disconnect(receive)
        app = self._app if fault.status is None else _error_response(scope["path"], fault.status)
        faulty = _FaultyResponse(fault, self._progress(nth, scope), scope, receive, send)
        return await app(_forwarded(scope, fault), receive, faulty.send)

    def _due(self, path: str) -> int | None:
        """Return the index of the first fault that is due; every fault on the path counts the request."""
        due, bare_path = None, path.removeprefix(CORE)
        for nth, fault in enumerate(self._faults):
            if not (fnmatchcase(path, fault.path) or fnmatchcase(bare_path, fault.path.removeprefix(CORE))):
                continue
            turn = self._requests[nth] - fault.after
            self._requests[nth] += 1
            if due is None and turn >= 0 and (fault.times is None or turn < fault.times):
                due = nth
        return due

    def _progress(self, nth: int, scope: Scope) -> ListProgress:
        """Return the state of a fault for this list; a request without a cursor starts again."""
        url = Request(scope).url
        key = (nth, str(url.remove_query_params(["page[after]", "page[before]"])))
        if "page%5Bafter%5D" not in url.query and "page[after]" not in url.query:
            self._lists.pop(key, None)
        return self._lists.setdefault(key, ListProgress())


def _forwarded(scope: Scope, fault: Fault) -> Scope:
    """Return the request as the service receives it."""
    query = scope["query_string"].decode("latin-1")
    if fault.change:
        query = without_injected_cursor(query)
    if fault.page_size is not None:
        query = with_page_size(query, fault.page_size)
    return {**scope, "query_string": query.encode("latin-1")}


def _error_response(path: str, status: int) -> Response:
    """Build an error of that status in the body shape of the path's endpoint."""
    shape: ErrorShape = "data"
    for row in ENDPOINTS:
        prefix, parameter, _ = row.path.partition("{")
        if path == prefix or (parameter and path.startswith(prefix)):
            shape = row.errors
            break
    name = next((name for name, known in STATUSES.items() if known == status), "internal_error")
    media_type, body = write_error(shape, name, "A fault on purpose.", "err_fault", temporary=True)
    return Response(msgspec.json.encode(body), status, media_type=media_type)


class _FaultyResponse:
    """A response with more headers, with another body, or cut short. The application sends it in two messages."""

    def __init__(self, fault: Fault, progress: ListProgress, scope: Scope, receive: Receive, send: Send) -> None:
        self._fault, self._progress, self._scope, self._receive, self._send = fault, progress, scope, receive, send
        self._start: Message = {}

    async def send(self, message: Message) -> None:
        """Delay the status line until the body is known, then send both, changed or cut short."""
        if message["type"] == "http.response.start":
            self._start = message
            return None
        body = message.get("body", b"")
        if self._fault.change and 200 <= self._start["status"] < 300:
            body = apply_changes(body, self._fault.change, str(Request(self._scope).url), self._progress)
        await self._send({**self._start, "headers": self._headers(len(body))})
        truncate = self._fault.truncate
        if truncate is None or truncate is False:
            return await self._send({**message, "body": body})
        length = len(body) // 2 if truncate is True else truncate
        await self._send({**message, "body": body[:length], "more_body": True})
        self._scope[TRANSPORT].close()
        return await _wait_for_disconnect(self._receive)

    def _headers(self, length: int) -> list[tuple[bytes, bytes]]:
        added = dict(self._fault.headers)
        if (seconds := self._fault.retry_after) is not None:
            until = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
            added["retry-after"] = str(seconds) if self._fault.retry_after_as == "seconds" else until
        original = [(name, value) for name, value in self._start["headers"] if name != b"content-length"]
        encoded = [(name.lower().encode(), value.encode()) for name, value in added.items()]
        return [*original, (b"content-length", str(length).encode()), *encoded]


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
