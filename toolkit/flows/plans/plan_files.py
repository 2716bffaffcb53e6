"""Plans of a file or a folder, read and compiled once for what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from toolkit.analytics.energy.plans.offered import PlanHeader
from toolkit.analytics.energy.rates.stored import Compiled, compile_for_store, from_bytes, to_bytes
from toolkit.errors import Problem
from toolkit.flows.plans.cache import cache_file, content_digest, keep, kept
from toolkit.flows.plans.stored import latest, plans_at
from toolkit.importers.source import files_under
from toolkit.tables.plans import Fuel


@dataclass(frozen=True, slots=True)
class Given:
    """Plans of one fuel, side by side with their headers. problems: entries that are no plan."""

    headers: tuple[PlanHeader, ...]
    plans: tuple[Compiled, ...]
    problems: tuple[Problem, ...]


def given_plans(path: Path, fuel: Fuel) -> Given:
    """The latest version of each plan of the fuel; kept for the next time. Raises ImportFailedError as `plans_at`."""
    file = _cache_of(path, fuel)
    found = _from_bytes(kept(file)) if file else None
    if found is not None:
        return found
    given = _compiled(path, fuel)
    if file:
        keep(file, _to_bytes(given))
    return given


def _cache_of(path: Path, fuel: Fuel) -> Path | None:
    try:
        return cache_file(f"given-{fuel.lower()}", content_digest(files_under(path)))
    except OSError:
        return None


def _compiled(path: Path, fuel: Fuel) -> Given:
    plans, problems = plans_at(path)
    own = [plan for plan in latest(plans) if fuel in plan.fuels]
    return Given(tuple(map(PlanHeader.of, own)), tuple(compile_for_store(plan, fuel) for plan in own), tuple(problems))


def _to_bytes(given: Given) -> bytes:
    return msgspec.msgpack.encode((given.headers, to_bytes(given.plans), given.problems))


def _from_bytes(data: bytes) -> Given | None:
    """None where there is nothing, or something else."""
    try:
        headers, plans, problems = _decoder().decode(data)
    except msgspec.DecodeError:
        return None
    compiled = tuple(from_bytes(plans))
    return Given(headers, compiled, problems) if len(compiled) == len(headers) else None


@lru_cache(maxsize=1)
def _decoder() -> Any:
    """[headers, plans as `stored.to_bytes` writes them, problems]."""
    return msgspec.msgpack.Decoder(tuple[tuple[PlanHeader, ...], bytes, tuple[Problem, ...]])
