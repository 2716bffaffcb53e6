"""The sandbox's own lever: moves its clock and sets faults. No part of the service."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from toolkit.sandbox.app import make_app
from toolkit.sandbox.faults import Fault, Faulty
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import rfc3339
from toolkit.sandbox.service.limits import Limit
from toolkit.sandbox.world.chance import digest


class Order(Struct, forbid_unknown_fields=True):
    """advance_seconds: how far the clock moves, only ever forwards. faults: in place of those in force.

    requests_per_minute: the limit of each client from now on; 0 lifts it.
    """

    advance_seconds: float = 0.0
    faults: list[Fault] | None = None
    requests_per_minute: int | None = None


def control_path(service: Service) -> str:
    return f"/control/{digest(service.world.seed, 'control')}"


def controlled(service: Service, faults: Sequence[Fault]) -> Faulty:
    """The service's application with its faults and, at the control path, a hand on both: POST an `Order`."""
    app = make_app(service)
    faulty = Faulty(app, faults)

    async def obey(request: Request) -> Response:
        try:
            order = msgspec.json.decode(await request.body() or b"{}", type=Order)
        except msgspec.MsgspecError as error:
            return JSONResponse({"message": str(error)}, 400)
        service.advance(timedelta(seconds=max(0.0, order.advance_seconds)))
        if order.faults is not None:
            faulty.set(order.faults)
        if order.requests_per_minute is not None:
            service.limit = Limit(order.requests_per_minute or None)
        return JSONResponse({"now": rfc3339(service.now)})

    app.router.routes.append(Route(control_path(service), obey, methods=["POST"]))
    return faulty
