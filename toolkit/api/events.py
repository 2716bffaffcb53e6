"""Hears the service's webhooks on a loopback address. Nothing is taken from one but that something has changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from queue import Empty, Full, Queue
from threading import Lock
from typing import Literal

import msgspec

from toolkit.api.served import Local, Served
from toolkit.errors import WrongUsage
from toolkit.wire.errors import STATUSES, write_error
from toolkit.wire.events import SIGNATURE_HEADER, Event, signature, verified
from toolkit.wire.spelling import Spelling

HOST = "127.0.0.1"
LARGEST_BODY = 256 * 1024
WAITING_EVENTS = 1_000
REMEMBERED_MESSAGES = 10_000
STALE_AFTER = timedelta(hours=24)
"""A message is tried five times within an hour; a day forgives clocks that differ."""
SLOW_SENDER_SECONDS = 10

Verdict = Literal["accepted", "doubled", "forged", "stale", "too many"]
_REFUSALS: dict[Verdict, tuple[str, str]] = {
    "forged": ("unauthorized", "The signature is not that of this body."),
    "stale": ("bad_request", "The message is too old."),
    "too many": ("service_unavailable", "Too many messages wait; send it again later."),
}


def _wall_clock() -> datetime:
    return datetime.now(UTC)


class EventListener(Served):
    """A context manager. secret: base64, shared with the service. now: against it a message is stale.

    counts: how many messages met each verdict. A message that was heard before is accepted without effect, so that it
    is not sent yet again. Raises ValueError for a secret that is not base64, WrongUsage for a port that is taken or
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
        self.counts: dict[Verdict, int] = dict.fromkeys(("accepted", "doubled", "forged", "stale", "too many"), 0)
        super().__init__(_bound(port, self._handler()))

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._server.server_port}/events"

    def next(self, seconds: float) -> Event | None:
        """The next message that is genuine, fresh and new, or None where none comes within that time."""
        try:
            return self._events.get(timeout=seconds)
        except Empty:
            return None

    def hear(self, stated: str | None, body: bytes) -> Verdict:
        """Judge a message by its signature, its time and whether it came before; a good one waits for `next`."""
        event = verified(self._secret, stated, body)
        with self._lock:
            verdict = self._judged(event) if event else "forged"
            self.counts[verdict] += 1
        return verdict

    def _judged(self, event: Event) -> Verdict:
        if event.message_id in self._heard:
            return "doubled"
        if self._is_stale(event.publish_time):
            return "stale"
        try:
            self._events.put_nowait(event)
        except Full:
            return "too many"
        self._heard[event.message_id] = None
        if len(self._heard) > REMEMBERED_MESSAGES:
            self._heard.popitem(last=False)
        return "accepted"

    def _is_stale(self, published: str | None) -> bool:
        """Also where the message does not say when it was made."""
        try:
            moment = datetime.fromisoformat(published or "")
        except ValueError:
            return True
        return self._now() - moment.replace(tzinfo=moment.tzinfo or UTC) > STALE_AFTER

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            timeout = SLOW_SENDER_SECONDS

            def do_POST(self) -> None:
                length = _length(self.headers.get("content-length", ""))
                if length is None:
                    return self._answer("bad_request", "The body is too large, or its length is not told.")
                verdict = listener.hear(self.headers.get(listener._header), self.rfile.read(length))
                return self._answer(*_REFUSALS.get(verdict, ("", "")))

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


def _length(told: str) -> int | None:
    """Bytes of a body that is read at all; None where it is too large, or its length is none."""
    if not (told.isascii() and told.isdigit() and len(told) <= len(str(LARGEST_BODY))):
        return None
    return int(told) if int(told) <= LARGEST_BODY else None


def _bound(port: int, handler: type[BaseHTTPRequestHandler]) -> Local:
    try:
        return Local((HOST, port), handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "ports go from 0 to 65535"
        raise WrongUsage(f"Port {port} cannot be listened on: {reason}.") from error
