"""The handler of each endpoint, by its name in `wire.endpoints`."""

from __future__ import annotations

from toolkit.sandbox.routes.call import Call, Handler
from toolkit.sandbox.routes.consents import CONSENTS
from toolkit.sandbox.routes.data import DATA
from toolkit.sandbox.routes.identity import IDENTITY

HANDLERS: dict[str, Handler] = {**IDENTITY, **CONSENTS, **DATA}

__all__ = ["HANDLERS", "Call", "Handler"]
