"""Run the embedded data-sharing service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toolkit.answers.data import SandboxAddress
from toolkit.sandbox.serve import Running, running


@contextmanager
def sandbox(**world: Any) -> Iterator[SandboxAddress]:
    """Run the service on this machine while the context lasts; `world` as `sandbox.serve.running` takes it."""
    with running(**world) as service:
        yield sandbox_address(service)


def sandbox_address(service: Running) -> SandboxAddress:
    """Return addresses and credentials of a running sandbox."""
    facts = {name: getattr(service, name) for name in SandboxAddress.__struct_fields__}
    return SandboxAddress(**{**facts, "people": tuple(service.people)})
