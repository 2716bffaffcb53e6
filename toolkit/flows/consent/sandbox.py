"""Run the embedded data-sharing service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TypedDict, Unpack

from toolkit.answers.data import SandboxAddress
from toolkit.sandbox.serve import Running, running


class SandboxOptions(TypedDict):
    """How the service runs, and the households that it invents; see `sandbox.serve.running`."""

    host: str
    port: int
    """0: a free one."""
    seed: int
    households: int
    years: int
    """Years of history."""
    today: date
    tls: bool
    state: Path | None
    """File to keep the state in."""
    faults: Path | None
    """JSON list of faults."""


@contextmanager
def sandbox(**world: Unpack[SandboxOptions]) -> Iterator[SandboxAddress]:
    """Run the service on this machine while the context lasts."""
    with running(**world) as service:
        yield sandbox_address(service)


def sandbox_address(service: Running) -> SandboxAddress:
    """Return addresses and credentials of a running sandbox."""
    facts = {name: getattr(service, name) for name in SandboxAddress.__struct_fields__}
    return SandboxAddress(**{**facts, "people": tuple(service.people)})
