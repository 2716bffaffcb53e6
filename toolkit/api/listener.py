"""Waits on a loopback address for the end of a consent flow.

The address carries a random state, so that no other page can pretend that a flow has ended.
"""

from __future__ import annotations

import secrets
from http.server import BaseHTTPRequestHandler
from queue import Empty, Queue
from urllib.parse import parse_qsl, urlsplit

from toolkit.api.served import Local, Served
from toolkit.wire.link import Outcome, read_outcome

HOST = "127.0.0.1"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<body style="font: 1.1rem/1.5 system-ui; margin: 15vh auto; max-width: 30rem">
<h1>{title}</h1><p>{text}</p></body></html>
"""
_DONE = _PAGE.format(title="Connected", text="You can close this window and go back to the toolkit.")
_ENDED = _PAGE.format(title="Not connected", text="Nothing was shared. You can close this window.")


class Listener(Served):
    """A context manager; `redirect_uri` and `cancel_uri` are for the auth session, `wait` gives its outcome."""

    def __init__(self) -> None:
        self._state = secrets.token_urlsafe(24)
        self._outcomes: Queue[Outcome] = Queue()
        super().__init__(Local((HOST, 0), self._handler()))

    @property
    def redirect_uri(self) -> str:
        return f"{self._base}/connected/{self._state}"

    @property
    def cancel_uri(self) -> str:
        return f"{self._base}/cancelled/{self._state}"

    @property
    def _base(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def wait(self, seconds: float) -> Outcome | None:
        """How the flow ended, or None where it did not within that time."""
        try:
            return self._outcomes.get(timeout=seconds)
        except Empty:
            return None

    def _heard(self, host: str | None, target: str) -> Outcome | None:
        """Return the outcome in a request; None unless it has this server's host name and state."""
        try:
            parts = urlsplit(target)
        except ValueError:
            return None
        place, _, state = parts.path.removeprefix("/").partition("/")
        known = host == urlsplit(self._base).netloc and place in ("connected", "cancelled")
        if not known or not secrets.compare_digest(state.encode(), self._state.encode()):
            return None
        outcome = read_outcome(dict(parse_qsl(parts.query)))
        if place == "cancelled":
            return outcome or Outcome(None, None, "LINK_USER_CANCELLED")
        return outcome

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outcome = listener._heard(self.headers.get("host"), self.path)
                page = _DONE if outcome and outcome.consent_id and not outcome.error else _ENDED
                body = page.encode() if outcome else b""
                self.send_response(200 if outcome else 404)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.send_header("cache-control", "no-store")
                self.send_header("referrer-policy", "no-referrer")
                self.end_headers()
                self.wfile.write(body)
                if outcome:
                    listener._outcomes.put(outcome)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the base class's
                """Say nothing: the address holds the state."""

        return Handler
