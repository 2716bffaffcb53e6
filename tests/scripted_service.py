"""A service on a real socket that answers what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from toolkit import settings

SECRET = "s3cr3t-sentinel-value"
TOKEN = "t0k3n-sentinel-value"


@dataclass
class SentRequest:
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    def value(self, name: str) -> str | None:
        return dict(self.query).get(name)


Reply = tuple[int, dict[str, str], bytes]


@dataclass
class ScriptedService:
    """answer: what every request but those for tokens gets. token: what those get."""

    url: str = ""
    answer: Callable[[SentRequest], Reply] = lambda _asked: reply({})
    token: Callable[[SentRequest], Reply] = lambda _asked: reply({"token": TOKEN, "expires_in": 900})
    asked: list[SentRequest] = field(default_factory=list)

    def paths(self) -> list[str]:
        return [f"{asked.method} {asked.path}" for asked in self.asked]

    def count(self, path: str) -> int:
        return sum(asked.path == path for asked in self.asked)


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, text


@contextmanager
def scripted_service() -> Iterator[ScriptedService]:
    service = ScriptedService()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = SentRequest(self.command, parts.path, parse_qsl(parts.query, keep_blank_values=True), headers, body)
            service.asked.append(asked)
            answer = service.token if parts.path == "/v1/token" else service.answer
            status, own, text = answer(asked)
            if status == 0:  # the connection breaks off
                self.close_connection = True
                return
            self.send_response_only(status)
            for name, value in {"date": self.date_time_string(), "content-length": str(len(text)), **own}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815  http.server's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def access(url: str, **more: str) -> settings.Settings:
    named = {"TOOLKIT_BASE_URL": url, "TOOLKIT_CLIENT_ID": "client-1", "TOOLKIT_CLIENT_SECRET": SECRET}
    return settings.load({**named, **more})
