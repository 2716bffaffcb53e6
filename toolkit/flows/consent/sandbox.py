"""The embedded service, for whoever may not reach into its room."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from toolkit.sandbox.serve import Running, running


def sandbox(**world: Any) -> AbstractContextManager[Running]:
    """The service on this machine for as long as the context lasts; `world` as `sandbox.serve.running` takes it."""
    return running(**world)
