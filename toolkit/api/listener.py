"""Servers on a loopback address, for redirects of the consent pages and for the service's webhooks.

The address of a redirect carries a random state, so that no other page can pretend that a flow has ended. Webhooks
only signal that something has changed.
"""

from __future__ import annotations

import secrets
import sys
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from queue import Empty, Full, Queue
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, urlsplit

import msgspec

from toolkit.errors import UsageError
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.errors import STATUSES, write_error
from toolkit.wire.events import SIGNATURE_HEADER, Event, is_signed, read_event, signature
from toolkit.wire.messages import Outcome, read_outcome


class Local(ThreadingHTTPServer):
    """Serve each connection in a thread, without printing errors of connections that close early."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing for a connection that closed early."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Served:
    """A context manager: serves on entering, and on leaving has closed its port and ended its thread."""

    def __init__(self, server: HTTPServer) -> None:
        self._server = server
        self._thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


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
        """Return the address to which the consent pages redirect at the end."""
        return f"{self._base}/connected/{self._state}"

    @property
    def cancel_uri(self) -> str:
        """Return the address to which they redirect when the person cancels."""
        return f"{self._base}/cancelled/{self._state}"

    @property
    def _base(self) -> str:
        return f"http://{HOST}:{self._server.server_port}"

    def wait(self, seconds: float) -> Outcome | None:
        """Return how the flow ended, or None where it did not within that time."""
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


LARGEST_BODY = 256 * 1024
WAITING_EVENTS = 1_000
REMEMBERED_MESSAGES = 10_000
STALE_AFTER = timedelta(hours=24)
"""A message is tried five times within an hour; a day forgives clocks that differ."""
CLOCK_SKEW = timedelta(minutes=5)
"""How far ahead of this machine's clock a message may be dated."""
SLOW_SENDER_SECONDS = 10

Verdict = Literal["accepted", "doubled", "forged", "unreadable", "stale", "future", "too large", "too many"]
REFUSALS: dict[Verdict, tuple[str, str]] = {
    "forged": ("unauthorized", "The signature is not that of this body."),
    "unreadable": ("bad_request", "The message is not a JSON object with a message_id."),
    "stale": ("bad_request", "The message is too old, or does not say when it was published."),
    "future": ("bad_request", "The message is dated in the future."),
    "too large": ("bad_request", "The body is too large, or its length is not stated."),
    "too many": ("service_unavailable", "Too many messages wait; send it again later."),
}
"""Verdict on a refused message → the error's name and message."""


def _wall_clock() -> datetime:
    return datetime.now(UTC)


class EventListener(Served):
    """A context manager. secret: base64, shared with the service. now: against it a message is stale.

    counts: how many messages met each verdict. A message that was heard before is accepted without effect, so that it
    is not sent yet again. Raises ValueError for a secret that is not base64, UsageError for a port that is taken or
    is none.
    """

    def __init__(
        self, secret: str, *, port: int = 0, spelling: Spelling | None = None, now: Callable[[], datetime] = _wall_clock
    ) -> None:
        signature(secret, b"")
        self._secret, self._now = secret, now
        self._header = (spelling or Spelling()).header(SIGNATURE_HEADER)
        self._events: Queue[Event] = Queue(WAITING_EVENTS)
        self._heard: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()
        self.counts: dict[Verdict, int] = dict.fromkeys(("accepted", "doubled", *REFUSALS), 0)
        super().__init__(_bound(port, self._handler()))

    @property
    def url(self) -> str:
        """Return the address for webhooks."""
        return f"http://{HOST}:{self._server.server_port}/events"

    def next(self, seconds: float) -> Event | None:
        """Wait up to `seconds` for the next valid new message; None if there is none."""
        try:
            return self._events.get(timeout=seconds)
        except Empty:
            return None

    def hear(self, stated: str | None, body: bytes) -> Verdict:
        """Judge a message by its signature, its time and whether it came before; a good one waits for `next`."""
        signed = is_signed(self._secret, stated, body)
        event = read_event(body) if signed else None
        with self._lock:
            return self._counted(self._judged(event) if event else "unreadable" if signed else "forged")

    def refuse_size(self) -> Verdict:
        """Count a message that is not read, for its size."""
        with self._lock:
            return self._counted("too large")

    def _counted(self, verdict: Verdict) -> Verdict:
        self.counts[verdict] += 1
        return verdict

    def _judged(self, event: Event) -> Verdict:
        if event.message_id in self._heard:
            return "doubled"
        age = self._age(event.publish_time)
        if age is None or age > STALE_AFTER:
            return "stale"
        if age < -CLOCK_SKEW:
            return "future"
        try:
            self._events.put_nowait(event)
        except Full:
            return "too many"
        self._heard[event.message_id] = None
        if len(self._heard) > REMEMBERED_MESSAGES:
            self._heard.popitem(last=False)
        return "accepted"

    def _age(self, published: str | None) -> timedelta | None:
        """How long ago a message was made; None where it does not say."""
        try:
            timestamp = datetime.fromisoformat(published or "")
        except ValueError:
            return None
        return self._now() - timestamp.replace(tzinfo=timestamp.tzinfo or UTC)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            timeout = SLOW_SENDER_SECONDS

            def do_POST(self) -> None:
                length = _length(self.headers.get("content-length", ""))
                if length is None:
                    verdict = listener.refuse_size()
                else:
                    verdict = listener.hear(self.headers.get(listener._header), self.rfile.read(length))
                return self._answer(*REFUSALS.get(verdict, ("", "")))

            def _answer(self, name: str, message: str) -> None:
                media_type, body = write_error("data", name, message, "")
                text = msgspec.json.encode(body) if name else b"{}"
                self.send_response(STATUSES.get(name, 200))
                self.send_header("content-type", media_type)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the base class's
                """Say nothing: what strangers send is not for the terminal."""

        return Handler


def _length(text: str) -> int | None:
    """Parse a content length; None if it is invalid or too large."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_BODY))):
        return None
    return int(text) if int(text) <= LARGEST_BODY else None


def _bound(port: int, handler: type[BaseHTTPRequestHandler]) -> Local:
    try:
        return Local((HOST, port), handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "ports go from 0 to 65535"
        raise UsageError(f"Port {port} cannot be listened on: {reason}.") from error
