"""The embedded service, for whoever may not reach into its room."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.sandbox.serve import Running


def sandbox(**world: Any) -> AbstractContextManager[Running]:
    """The service on this machine for as long as the context lasts; `world` as `sandbox.serve.running` takes it."""
    from toolkit.sandbox.serve import running

    return running(**world)
