"""The control address of the sandbox, which moves its clock and sets faults. No part of the service."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from toolkit.errors import UsageError
from toolkit.sandbox.app import make_app
from toolkit.sandbox.faults import Fault, FaultInjector, Schedule, resolve_faults
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import rfc3339
from toolkit.sandbox.service.events import Event
from toolkit.sandbox.service.refusals import RateLimit
from toolkit.sandbox.webhooks import Delivery, WebhookSender
from toolkit.sandbox.world.chance import digest
from toolkit.wire import JsonObject
from toolkit.wire.events import SIGNATURE_HEADER


class ControlRequest(Struct, forbid_unknown_fields=True):
    """A change to the running sandbox; what is None stays as it is."""

    advance_seconds: float = 0.0
    """How far to move the clock forwards."""
    faults: list[Fault] | Schedule | None = None
    """Faults that replace those in force."""
    requests_per_minute: int | None = None
    """Limit for each client; 0 removes it."""
    webhooks: Delivery | None = None
    """Where webhooks go, and how."""
    health: dict[str, Literal["HEALTHY", "DEGRADED", "OUTAGE"]] | None = None
    """Health by institution id; other institutions have their usual health."""


def control_path(service: Service) -> str:
    """Return the path of the control address, which differs by seed."""
    return f"/control/{digest(service.world.seed, 'control')}"


def make_webhook_sender(service: Service) -> WebhookSender:
    """Connect a sender of webhooks to the service's events; it has no address yet."""
    sender = WebhookSender(service.webhook_secret, service.spelling.header(SIGNATURE_HEADER))

    def publish(events: Sequence[Event]) -> None:
        """Send events to the address, if there is one."""
        if sender.delivery.url is None:
            return
        client_id = service.full_client.id
        # A clock that was moved ahead must not date messages in the future: receivers refuse them.
        timestamp = rfc3339(min(service.now, datetime.now(UTC))) or ""
        sender.send([(service.identity("msg"), timestamp, event.data(client_id, service.world)) for event in events])

    service.publish = publish
    return sender


class ControlledApp(FaultInjector):
    """The service's application with faults and the control address.

    POST a `ControlRequest`; both POST and GET return the clock and every attempt to deliver a webhook.
    """

    def __init__(self, service: Service, sender: WebhookSender, faults: Sequence[Fault] = ()) -> None:
        app = make_app(service)
        super().__init__(app, faults)
        self._service, self._sender = service, sender
        app.router.routes.append(Route(control_path(service), self._change, methods=["POST"]))
        app.router.routes.append(Route(control_path(service), self._read, methods=["GET"]))

    async def _change(self, request: Request) -> Response:
        try:
            wanted = msgspec.json.decode(await request.body() or b"{}", type=ControlRequest)
            if wanted.webhooks is not None:
                self._sender.set(wanted.webhooks)
        except (msgspec.MsgspecError, UsageError) as error:
            return JSONResponse({"message": str(error)}, 400)
        self._service.advance(timedelta(seconds=max(0.0, wanted.advance_seconds)))
        if wanted.faults is not None:
            self.set(resolve_faults(wanted.faults))
        if wanted.requests_per_minute is not None:
            self._service.rate_limit = RateLimit(wanted.requests_per_minute or None)
        if wanted.health is not None:
            self._service.health = dict(wanted.health)
        return JSONResponse(self._state())

    async def _read(self, _request: Request) -> Response:
        return JSONResponse(self._state())

    def _state(self) -> JsonObject:
        return {"now": rfc3339(self._service.now), "deliveries": self._sender.record}
