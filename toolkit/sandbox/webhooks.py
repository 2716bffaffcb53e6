"""Post signed webhooks to one address on this machine, as the live service does, with optional faults."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from toolkit.errors import UsageError
from toolkit.wire.events import signature

TRIES = 5
BACK_OFF = (60.0, 120.0, 300.0, 600.0)
"""Seconds before the second to fifth try; the service's documents say one to ten minutes."""
TIMEOUT = 10.0


class Delivery(Struct, forbid_unknown_fields=True):
    """How webhooks are delivered. url: http, on this machine; none is none.

    back_off: seconds before each further try, of which there are as many, at most four. late: seconds before the
    first. doubled: every message twice. reordered: the messages of one occasion the last first.
    """

    url: str | None = None
    back_off: tuple[float, ...] = BACK_OFF
    late: float = 0.0
    doubled: bool = False
    reordered: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One webhook on its way. attempt: the next one, from 1."""

    message_id: str
    publish_time: str
    data: Mapping[str, Any]
    delivery: Delivery
    attempt: int = 1

    def body(self) -> bytes:
        return msgspec.json.encode(
            {
                "delivery_attempt": self.attempt,
                "publish_time": self.publish_time,
                "message_id": self.message_id,
                "data": self.data,
            }
        )


@dataclass
class Courier:
    """Delivers in a thread of its own. secret: base64. header: name of the signature's. record: every try so far."""

    secret: str
    header: str
    delivery: Delivery = field(default_factory=Delivery)
    record: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._due: list[tuple[float, int, Message]] = []
        self._count = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def set(self, delivery: Delivery) -> None:
        """Raises UsageError where the address is not plain http on this machine."""
        if delivery.url is not None:
            _local(delivery.url)
        self.delivery = delivery

    def send(self, messages: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
        """(message id, publish time, data) of what happened on one occasion."""
        made = [Message(*message, self.delivery) for message in messages]
        ordered = reversed(made) if self.delivery.reordered else made
        for message in ordered:
            for _ in range(2 if self.delivery.doubled else 1):
                self._enqueue(message, self.delivery.late)

    def close(self) -> None:
        """What is not delivered by now never will be."""
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
            self._try(message)

    def _next(self) -> Message | None:
        """The next message once it is due; None when closed."""
        with self._changed:
            while not self._closed:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
        return None

    def _try(self, message: Message) -> None:
        status = self._post(message)
        self.record.append({"message_id": message.message_id, "attempt": message.attempt, "status": status})
        back_off = message.delivery.back_off[: TRIES - 1]
        if not (status and 200 <= status < 300) and message.attempt <= len(back_off):
            self._enqueue(replace(message, attempt=message.attempt + 1), back_off[message.attempt - 1])

    def _post(self, message: Message) -> int | None:
        """The answer's status, None where there was none."""
        address, body = _local(message.delivery.url or ""), message.body()
        headers = {"content-type": "application/json", self.header: signature(self.secret, body)}
        connection = HTTPConnection(address.hostname or "", address.port or 80, timeout=TIMEOUT)
        try:
            connection.request("POST", address.path or "/", body, headers)
            return connection.getresponse().status
        except (OSError, HTTPException):
            return None
        finally:
            connection.close()


def _local(url: str) -> SplitResult:
    """The address in its parts. Raises UsageError where it is not plain http on this machine."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "http" and _is_loopback(parts.hostname or "") and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise UsageError("Webhooks go to http addresses on this machine only.")


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ip_address(host).is_loopback
