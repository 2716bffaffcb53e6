"""The sandbox's own lever: moves its clock and sets faults. No part of the service."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from toolkit.errors import UsageError
from toolkit.sandbox.app import make_app
from toolkit.sandbox.faults import Fault, Faulty, Schedule, settled
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import rfc3339
from toolkit.sandbox.service.happenings import Happening
from toolkit.sandbox.service.limits import Limit
from toolkit.sandbox.webhooks import Courier, Delivery
from toolkit.sandbox.world.chance import digest
from toolkit.wire.events import SIGNATURE_HEADER


class Order(Struct, forbid_unknown_fields=True):
    """advance_seconds: how far the clock moves, only ever forwards. faults: in place of those in force.

    requests_per_minute: the limit of each client from now on; 0 lifts it. webhooks: where they go from now on, and how.
    health: HEALTHY, DEGRADED or OUTAGE by institution id; the others are as usual.
    """

    advance_seconds: float = 0.0
    faults: list[Fault] | Schedule | None = None
    requests_per_minute: int | None = None
    webhooks: Delivery | None = None
    health: dict[str, Literal["HEALTHY", "DEGRADED", "OUTAGE"]] | None = None


def control_path(service: Service) -> str:
    return f"/control/{digest(service.world.seed, 'control')}"


def make_courier(service: Service) -> Courier:
    """A courier for what happens in the service from now on; it has no address yet."""
    courier = Courier(service.webhook_secret, service.spelling.header(SIGNATURE_HEADER))

    def publish(happenings: Sequence[Happening]) -> None:
        if courier.delivery.url is None:
            return
        client_id = service.full_client.id
        timestamp = rfc3339(min(service.now, datetime.now(UTC))) or ""  # a moved clock dates no message in the future
        courier.send(
            [(service.identity("msg"), timestamp, found.data(client_id, service.world)) for found in happenings]
        )

    service.publish = publish
    return courier


class Controlled(Faulty):
    """The service's application with its faults and, at the control path, a hand on both.

    POST an `Order`; GET returns the clock and every attempt to deliver a webhook.
    """

    def __init__(self, service: Service, courier: Courier, faults: Sequence[Fault] = ()) -> None:
        app = make_app(service)
        super().__init__(app, faults)
        self._service, self._courier = service, courier
        app.router.routes.append(Route(control_path(service), self._obey, methods=["POST"]))
        app.router.routes.append(Route(control_path(service), self._told, methods=["GET"]))

    async def _obey(self, request: Request) -> Response:
        try:
            order = msgspec.json.decode(await request.body() or b"{}", type=Order)
            if order.webhooks is not None:
                self._courier.set(order.webhooks)
        except (msgspec.MsgspecError, UsageError) as error:
            return JSONResponse({"message": str(error)}, 400)
        self._service.advance(timedelta(seconds=max(0.0, order.advance_seconds)))
        if order.faults is not None:
            self.set(settled(order.faults))
        if order.requests_per_minute is not None:
            self._service.limit = Limit(order.requests_per_minute or None)
        if order.health is not None:
            self._service.health = dict(order.health)
        return JSONResponse(self._state())

    async def _told(self, _request: Request) -> Response:
        return JSONResponse(self._state())

    def _state(self) -> dict[str, Any]:
        return {"now": rfc3339(self._service.now), "deliveries": self._courier.record}
