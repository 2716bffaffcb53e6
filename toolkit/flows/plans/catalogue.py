"""The published plans of the store, or those at a path, compiled once for what they hold.

Compiled plans are cached in the data folder: compiling 5,000 takes seconds, loading them almost none. Stored plans are
keyed by plan version, plans of files by the files' content, both by `COMPILER_VERSION`. A damaged or missing cache file
only means compiling again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import msgspec

from toolkit.analytics.energy.plans.offers import Catalogue, PlanHeader
from toolkit.analytics.energy.rates import COMPILER_VERSION
from toolkit.analytics.energy.rates.compile import Compiled, compile_for_store, from_bytes, to_bytes
from toolkit.errors import Problem, StoreError
from toolkit.flows.plans.stored import latest, plans_at
from toolkit.importers.source import files_under
from toolkit.settings import data_dir
from toolkit.store import Store
from toolkit.store.files import replace_private
from toolkit.tables.plans import Fuel, read_plan

_COLUMNS = (
    *("plan_id", "version", "last_updated", "sequence", "fuel_type", "name", "retailer", "customer_type", "plan_type"),
    *("distributors", "included_postcodes", "excluded_postcodes", "effective_from", "effective_to"),
)
_AT_ONCE = 500
"""Plans in one statement: SQLite takes so many values in a list, and more would fill memory for nothing."""
_KEPT = 2
"""How many files of a family stay: this code's (or the last folder's) and the one before."""


def open_catalogue(store: Store, path: str | None, fuel: Fuel) -> Catalogue:
    """Return the plans in the store, or those at a path. Raises ImportFailedError where that cannot be opened."""
    if path is None:
        rows = list(_newest(store, fuel))
        unsure = frozenset(str(row[1]) for row in rows if row[4] is None)
        headers = tuple(_stored_header(row) for row in rows)
        return Catalogue(fuel, headers, lambda wanted: _known(store, fuel, wanted), unsure)
    given = given_plans(Path(path), fuel)
    known = {plan.version: plan for plan in given.plans}
    return Catalogue(fuel, given.headers, lambda _wanted: known, problems=given.problems)


def keep_compiled(store: Store) -> None:
    """Compile what was not yet: after plans arrived, so that the next comparison need not."""
    for fuel in get_args(Fuel):
        _known(store, fuel, [_stored_header(row) for row in _newest(store, fuel)])


def _known(store: Store, fuel: Fuel, headers: Iterable[PlanHeader]) -> dict[str, Compiled]:
    """Compiled plans by version: those of the headers, and whatever else is kept."""
    cache = CompiledPlans.of(fuel)
    known = cache.load()
    fresh = _compiled_now(store, fuel, [header for header in headers if header.version not in known])
    if fresh:
        known |= fresh
        cache.save(known.values())
    return known


def _newest(store: Store, fuel: Fuel) -> Iterator[tuple[Any, ...]]:
    """Header rows of the latest version of each plan that may be of the fuel and is still offered."""
    newest: dict[str, tuple[Any, ...]] = {}
    rows = store.tuples("plans", _COLUMNS, where={"household_id": "", "vanished_at": None})
    for row in sorted(rows, key=lambda row: (row[2] or "", row[3])):
        newest[row[0]] = row
    return (row for row in newest.values() if row[4] in (fuel, "DUAL", None))


def _stored_header(row: tuple[Any, ...]) -> PlanHeader:
    plan_id, version, last_updated, _, _, name, retailer, customer_type, plan_type, *rest = row
    networks, included, excluded = (tuple(json.loads(entries or "[]")) for entries in rest[:3])
    effective_from, effective_to = rest[3:]
    known = plan_id, version, name, retailer, customer_type, plan_type
    return PlanHeader(*known, networks, included, excluded, effective_from, effective_to, last_updated)


def _compiled_now(store: Store, fuel: Fuel, headers: Sequence[PlanHeader]) -> dict[str, Compiled]:
    compiled: dict[str, Compiled] = {}
    for start in range(0, len(headers), _AT_ONCE):
        some = headers[start : start + _AT_ONCE]
        where = {"household_id": "", "plan_id": [h.plan_id for h in some], "version": [h.version for h in some]}
        for plan_id, version, raw in store.tuples("plans", ("plan_id", "version", "raw"), where=where):
            compiled[version] = compile_for_store(read_plan(json.loads(raw), plan_id=plan_id, version=version), fuel)
    return compiled


@dataclass(frozen=True, slots=True)
class Given:
    """Plans of one fuel, side by side with their headers. problems: entries that are no plan."""

    headers: tuple[PlanHeader, ...]
    plans: tuple[Compiled, ...]
    problems: tuple[Problem, ...]


def given_plans(path: Path, fuel: Fuel) -> Given:
    """Return the latest version of each plan of the fuel, and cache the result.

    Raises ImportFailedError as `plans_at`.
    """
    file = _cache_of(path, fuel)
    cached = _from_bytes(kept(file)) if file else None
    if cached is not None:
        return cached
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


@dataclass(frozen=True, slots=True)
class CompiledPlans:
    """Return the cache file of a fuel's stored plans, as this version of the compiler compiles them."""

    path: Path

    @classmethod
    def of(cls, fuel: Fuel) -> CompiledPlans:
        return cls(cache_file(f"plans-{fuel.lower()}", _compiler_digest()))

    def load(self) -> dict[str, Compiled]:
        """By version; empty where there is no readable cache."""
        return {plan.version: plan for plan in from_bytes(kept(self.path))}

    def save(self, plans: Iterable[Compiled]) -> None:
        keep(self.path, to_bytes(list(plans)))


def cache_file(family: str, digest: str) -> Path:
    """Return the path of a cache file. digest: of all that its content depends on."""
    return Path(data_dir()) / "cache" / f"{family}-{digest}.msgpack"


def kept(path: Path) -> bytes:
    """Read a cache file; empty where there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def keep(path: Path, data: bytes) -> None:
    """Write a cache file in one step, for the owner alone, and delete the oldest of its family.

    Where the folder cannot be written to, or the disk is full, nothing is kept.
    """
    family = path.name.rpartition("-")[0]
    with contextlib.suppress(OSError, StoreError):
        replace_private(path, lambda unfinished: unfinished.write_bytes(data))
        files = sorted(path.parent.glob(f"{family}-*.msgpack"), key=lambda other: other.stat().st_mtime)
        for old in files[:-_KEPT]:
            old.unlink(missing_ok=True)


def content_digest(files: Iterable[Path]) -> str:
    """Hash the files' names and bytes together with the compiler's version. Raises OSError for an unreadable file."""
    digest = hashlib.sha256(_compiler_digest().encode())
    for file in files:
        data = file.read_bytes()
        digest.update(f"{file.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def _compiler_digest() -> str:
    return hashlib.sha256(f"compiled plans {COMPILER_VERSION}".encode()).hexdigest()[:16]
