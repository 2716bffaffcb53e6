"""What each endpoint answers: a function per row of `wire.endpoints`, by name."""

from __future__ import annotations

from toolkit.sandbox.routes.calls import Answer, Call, Handler
from toolkit.sandbox.routes.consenting import CONSENTING
from toolkit.sandbox.routes.data import DATA
from toolkit.sandbox.routes.identity import IDENTITY

HANDLERS: dict[str, Handler] = {**IDENTITY, **CONSENTING, **DATA}

__all__ = ["HANDLERS", "Answer", "Call", "Handler"]
