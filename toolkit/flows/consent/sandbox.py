"""The embedded service; a module of its own, as it loads the web server."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from toolkit.sandbox.serve import Running, running


def sandbox(**world: Any) -> AbstractContextManager[Running]:
    """Run the embedded service for as long as the context lasts; arguments as those of `sandbox.serve.running`."""
    return running(**world)
