"""Post signed webhooks to one address on this machine, as the live service does, with optional faults."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from toolkit.errors import UsageError
from toolkit.wire import JsonObject
from toolkit.wire.events import signature

TRIES = 5
BACK_OFF = (60.0, 120.0, 300.0, 600.0)
"""Seconds before the second to fifth try; the service's documents say one to ten minutes."""
TIMEOUT = 10.0


class Delivery(Struct, forbid_unknown_fields=True):
    """How webhooks are delivered."""

    url: str | None = None
    """An http address on this machine; None sends nothing."""
    back_off: tuple[float, ...] = BACK_OFF
    """Seconds before each further try; as many further tries, at most four."""
    late: float = 0.0
    """Seconds before the first try."""
    doubled: bool = False
    """Whether every message is sent twice."""
    reordered: bool = False
    """Whether messages sent together are sent last first."""


@dataclass(frozen=True, slots=True)
class Message:
    """One webhook to deliver."""

    message_id: str
    publish_time: str
    data: JsonObject
    delivery: Delivery
    attempt: int = 1
    """Number of the next try, from 1."""

    def body(self) -> bytes:
        """Return the envelope as JSON."""
        return msgspec.json.encode(
            {
                "delivery_attempt": self.attempt,
                "publish_time": self.publish_time,
                "message_id": self.message_id,
                "data": self.data,
            }
        )


@dataclass
class WebhookSender:
    """Delivers webhooks in a thread of its own."""

    secret: str
    """Signing key, in base64."""
    header: str
    """Name of the header with the signature."""
    delivery: Delivery = field(default_factory=Delivery)
    record: list[JsonObject] = field(default_factory=list)
    """Every try so far: message id, attempt and status (None if there was no response)."""

    def __post_init__(self) -> None:
        self._due: list[tuple[float, int, Message]] = []
        self._count = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def set(self, delivery: Delivery) -> None:
        """Change how webhooks are delivered from now on.

        Raises UsageError if the address is not plain http on this machine.
        """
        if delivery.url is not None:
            _local_address(delivery.url)
        self.delivery = delivery

    def send(self, messages: Sequence[tuple[str, str, JsonObject]]) -> None:
        """Send messages that belong together: (message id, publish time, data)."""
        queued = [Message(*message, self.delivery) for message in messages]
        for message in reversed(queued) if self.delivery.reordered else queued:
            for _ in range(2 if self.delivery.doubled else 1):
                self._enqueue(message, self.delivery.late)

    def close(self) -> None:
        """Stop; messages not yet delivered are dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread:
            self._thread.join(timeout=TIMEOUT)

    def _enqueue(self, message: Message, wait: float) -> None:
        with self._changed:
            self._count += 1
            heapq.heappush(self._due, (time.monotonic() + wait, self._count, message))
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (message := self._next()) is not None:
            status = self._post(message)
            self.record.append({"message_id": message.message_id, "attempt": message.attempt, "status": status})
            back_off = message.delivery.back_off[: TRIES - 1]
            if not (status and 200 <= status < 300) and message.attempt <= len(back_off):
                self._enqueue(replace(message, attempt=message.attempt + 1), back_off[message.attempt - 1])

    def _next(self) -> Message | None:
        """Wait for the next message that is due; None when closed."""
        with self._changed:
            while not self._closed:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
        return None

    def _post(self, message: Message) -> int | None:
        """Return the status of the response, None if there was none."""
        address, body = _local_address(message.delivery.url or ""), message.body()
        headers = {"content-type": "application/json", self.header: signature(self.secret, body)}
        connection = HTTPConnection(address.hostname or "", address.port or 80, timeout=TIMEOUT)
        try:
            connection.request("POST", address.path or "/", body, headers)
            return connection.getresponse().status
        except (OSError, HTTPException):
            return None
        finally:
            connection.close()


def _local_address(url: str) -> SplitResult:
    """Split an address. Raises UsageError if it is not plain http on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_local = host == "localhost" or ip_address(host).is_loopback
        if parts.scheme == "http" and is_local and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise UsageError("Webhooks go to http addresses on this machine only.")
