"""Failures on purpose: by path, after so many requests, for so many times."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct, field
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolkit.errors import WrongUsage
from toolkit.sandbox.protocol import TRANSPORT
from toolkit.wire.endpoints import ENDPOINTS, ErrorShape
from toolkit.wire.errors import STATUSES, write_error


class Fault(Struct, forbid_unknown_fields=True):
    """One failure. path: exact, or with `*`. times: how often, None for always. after: requests spared first.

    status: answered in place of the real answer. headers: added to it. delay: seconds before anything happens.
    truncate: bytes of the body after which the connection closes. reset: the connection breaks without an answer.
    """

    path: str
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    times: int | None = None
    after: int = 0
    delay: float = 0.0
    truncate: int | None = None
    reset: bool = False


def read_faults(path: Path) -> list[Fault]:
    """Raises WrongUsage where the file is no list of faults."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Fault])
    except (OSError, msgspec.MsgspecError) as error:
        raise WrongUsage(f"{path}: no list of faults ({error}).") from None


class Faulty:
    """An application that fails as told and otherwise passes on. `faults` may be replaced while it runs."""

    def __init__(self, app: ASGIApp, faults: Sequence[Fault] = ()) -> None:
        self._app = app
        self.set(faults)

    def set(self, faults: Sequence[Fault]) -> None:
        self._faults = list(faults)
        self._seen = [0] * len(faults)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fault = self._due(scope) if scope["type"] == "http" else None
        if fault is None:
            return await self._app(scope, receive, send)
        await asyncio.sleep(fault.delay)
        if fault.reset:
            scope[TRANSPORT].abort()
            return await _until_gone(receive)
        app = self._app if fault.status is None else _refusal(scope["path"], fault.status)
        return await app(scope, receive, _Altered(fault, scope, receive, send).send)

    def _due(self, scope: Scope) -> Fault | None:
        """The first fault whose turn it is; every fault on the path counts the request."""
        found = None
        for nth, fault in enumerate(self._faults):
            if not fnmatchcase(scope["path"], fault.path):
                continue
            turn = self._seen[nth] - fault.after
            self._seen[nth] += 1
            if found is None and turn >= 0 and (fault.times is None or turn < fault.times):
                found = fault
        return found


def _refusal(path: str, status: int) -> Response:
    """An error of that status in the body shape of the path's endpoint."""
    shape: ErrorShape = next((row.errors for row in ENDPOINTS if fnmatchcase(path, _pattern(row.path))), "data")
    name = next((name for name, known in STATUSES.items() if known == status), "internal_error")
    media_type, body = write_error(shape, name, "A fault on purpose.", "err_fault", temporary=True)
    return Response(msgspec.json.encode(body), status, media_type=media_type)


def _pattern(path: str) -> str:
    return path.split("{", maxsplit=1)[0] + "*" if "{" in path else path


class _Altered:
    """An answer with more headers, or one that breaks off."""

    def __init__(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        self._fault, self._scope, self._receive, self._send = fault, scope, receive, send

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            added = [(name.lower().encode(), value.encode()) for name, value in self._fault.headers.items()]
            return await self._send({**message, "headers": [*message["headers"], *added]})
        if self._fault.truncate is None:
            return await self._send(message)
        body = message.get("body", b"")[: self._fault.truncate]
        await self._send({**message, "body": body, "more_body": True})
        self._scope[TRANSPORT].close()
        return await _until_gone(self._receive)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
