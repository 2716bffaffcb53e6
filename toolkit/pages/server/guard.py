"""The door of the app: who may speak to it at all, over HTTP and over the websocket alike.

Streamlit checks `Host` on the websocket only and lets pages of other local ports in. Here every request must name
this very address, may come from no other origin, and must bring this launch's token, or the cookie that a request
with the token was given. The cookie holds a digest, not the token: browsers send cookies to every port of a host,
so another local server may see it, and the pages ask for the token itself as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from toolkit.pages.server import idle
from toolkit.pages.server.launch_settings import OPEN_PAGES, Launch, current
from toolkit.pages.server.preload import link_header

HEALTH: Final = "/_stcore/health"
LOCKED: Final = (
    "This page is locked. Open the app with its icon, or with the whole address that was shown when it started.\n"
)
FOREIGN: Final = "This app answers only to its own address on this machine.\n"


class Guard:
    """ASGI middleware. port: the one the app listens on."""

    def __init__(self, app: ASGIApp, *, launch: Launch, port: int) -> None:
        self.app = app
        self._first = launch
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"toolkit_launch_{port}"

    @property
    def launch(self) -> Launch:
        """The launch with its token as it is now: it is replaced after the idle time."""
        return current() or self._first

    @property
    def pass_value(self) -> str:
        """What the cookie holds."""
        return hashlib.sha256(b"toolkit app cookie " + self.launch.token.encode()).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if not refusal:
            with _counted(scope):
                await self.app(scope, _noticed(receive), self._sealed(scope, headers, send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await PlainTextResponse(refusal, status_code=403)(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        host, origins = headers.getlist("host"), headers.getlist("origin")
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return FOREIGN
        if any(origin != f"http://{host[0].lower()}" for origin in origins):
            return FOREIGN
        if scope["path"] == HEALTH or self._has_token(scope) or self._has_cookie(headers):
            return None
        return LOCKED

    def _has_token(self, scope: Scope) -> bool:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        return self.launch.opens(query.get("token", [""])[-1])

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        given = cookies[self.cookie].value if self.cookie in cookies else ""
        return hmac.compare_digest(given.encode(), self.pass_value.encode())

    def _sealed(self, scope: Scope, headers: Headers, send: Send) -> Send:
        """`send` with the headers that keep other pages, and outside resources, away."""
        has_token = self._has_token(scope)
        host = headers["host"].lower()

        async def seal(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                answer.update(_protective(host, scope["path"], self.launch.service))
                if answer.get("content-type", "").startswith("text/html"):
                    answer.append("link", link_header())
                if has_token:
                    answer.append("set-cookie", f"{self.cookie}={self.pass_value}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        return seal


@contextlib.contextmanager
def _counted(scope: Scope) -> Iterator[None]:
    """Count a page as open while it holds its websocket."""
    if scope["type"] != "websocket":
        yield
        return
    OPEN_PAGES.opened()
    try:
        yield
    finally:
        OPEN_PAGES.closed()


def _noticed(receive: Receive) -> Receive:
    """`receive`, which notes when a person does something: reruns by a page's own timer do not count."""

    async def noticing() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive" and (data := message.get("bytes")) and _is_by_hand(data):
            idle.LAST_USE.touch()
        return message

    return noticing


def _is_by_hand(data: bytes) -> bool:
    sent = BackMsg()
    with contextlib.suppress(Exception):  # a malformed message is Streamlit's to refuse
        sent.ParseFromString(data)
    return sent.WhichOneof("type") == "rerun_script" and not sent.rerun_script.is_auto_rerun


def _protective(host: str, path: str, service: str | None) -> dict[str, str]:
    """Nothing from elsewhere, but for the consent pages of the configured service and the script that frames them.

    `blob:` is where Streamlit keeps the code of a component.
    """
    from_service = f" {service}" if service else ""
    return {
        "content-security-policy": (
            f"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:{from_service}; "
            f"frame-src 'self'{from_service}; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
            f"connect-src 'self' ws://{host} data: blob:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"
        ),
        **({} if path.startswith("/static/") else {"cache-control": "no-store"}),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
