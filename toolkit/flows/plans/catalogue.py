"""The published plans of the store, or those at a path, with what they compile to.

Plans are compiled when they are stored, because compiling 5,000 takes seconds, and their charges are kept as arrays in
a file of the data folder (not in the database: it is derived from published data and from this version of the program,
so that no backup or export needs it). A file is named after the versions of exactly the plans in it and after
`COMPILER_VERSION`. After an upgrade of the program no file has such a name, and all plans are compiled when a database
is opened (`open_home`), before any question. Where a program was stopped after it had stored plans, the next opening of
the catalogue compiles what is new. A missing or damaged file, or a folder that cannot be written to, only means
compiling again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import get_args
from zlib import crc32

import msgspec

from toolkit.analytics.energy.plans.offers import Catalogue, PlanHeader
from toolkit.analytics.energy.pricing import tables
from toolkit.analytics.energy.pricing.rows import tables_of
from toolkit.analytics.energy.rates.compile import Compiled, compile_for_store, from_bytes, to_bytes
from toolkit.errors import StoreError
from toolkit.flows.household.context import Progress, quiet
from toolkit.flows.plans.choice import latest, plans_at
from toolkit.importers.source import files_under
from toolkit.problems import Problem
from toolkit.settings import data_dir
from toolkit.store import Store, Where
from toolkit.store.connection import replace_private
from toolkit.store.plan_repository import latest_rows
from toolkit.store.statements import batches
from toolkit.tables.compiler import COMPILED_LAYOUT, COMPILER_VERSION
from toolkit.tables.rows.plans import Fuel, Plan, stored_plan
from toolkit.tables.schema.energy import PUBLISHED

PLANS_AT_ONCE = 500
"""Plans in one statement: SQLite takes so many values in a list, and more would fill memory for nothing."""
_KEPT = 4
"""How many files of a family stay, such as those of several stores that are used in turn."""


class CompiledPlans(msgspec.Struct, frozen=True, array_like=True):
    """Plans of one fuel, latest versions, as they are kept in a file.

    plans: header and encoded `Compiled` of each, which is decoded only where a question needs the plan.
    numbers: of each plan's first rates in `charges`, the encoded tables of all rates of all plans.
    problems: entries of a path that cannot be read as plans.
    """

    plans: tuple[tuple[PlanHeader, msgspec.Raw], ...] = ()
    numbers: tuple[int, ...] = ()
    charges: bytes = b""
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, plans: Iterable[tuple[PlanHeader, msgspec.Raw]], problems: Iterable[Problem] = ()) -> CompiledPlans:
        """Add the charges of compiled plans as tables."""
        kept = tuple(plans)
        by_plan = [plan.by_day for plan in from_bytes(msgspec.msgpack.encode([plan for _, plan in kept]))]
        *numbers, _ = accumulate(map(len, by_plan), initial=0)
        charges = tables.to_bytes(tables_of(chain.from_iterable(by_plan)))
        return cls(kept, tuple(numbers), charges, tuple(problems))

    def compiled(self, wanted: Iterable[PlanHeader]) -> Mapping[str, Compiled]:
        """Return the compiled plans of these headers, by version."""
        by_version = {header.version: plan for header, plan in self.plans}
        encoded = msgspec.msgpack.encode([by_version[header.version] for header in wanted])
        return {plan.version: plan for plan in from_bytes(encoded)}


def open_catalogue(store: Store, path: str | None, fuel: Fuel) -> Catalogue:
    """Return the plans in the store, or those at a path. Raises ImportFailedError where that cannot be opened."""
    plans = _stored(store, fuel) if path is None else _plans_at(Path(path), fuel)
    headers = tuple(header for header, _ in plans.plans)
    numbers = {header.version: number for header, number in zip(headers, plans.numbers, strict=True)}
    charges = partial(tables.from_bytes, plans.charges)
    return Catalogue(fuel, headers, plans.compiled, charges, numbers, plans.problems)


def compiled_plans(store: Store, fuel: Fuel, wanted: Collection[PlanHeader]) -> Mapping[str, Compiled]:
    """Return the published ones of these plans, by version: on offer or not, as compiled when they were stored."""
    found: dict[str, Compiled] = {}
    for listed in (True, False):
        kept = _stored(store, fuel, listed=listed)
        versions = {header.version for header, _ in kept.plans}
        found |= kept.compiled(header for header in wanted if header.version in versions)
    return found


def keep_compiled(store: Store, progress: Progress = quiet) -> None:
    """Compile the published plans of the store that are new, and keep the result in the data folder.

    Those that the plan register no longer lists are kept in a file of their own: no comparison has them, but a home
    can still be on one.
    """
    for fuel in get_args(Fuel):
        for listed in (True, False):
            _stored(store, fuel, progress, listed=listed)


def _stored(store: Store, fuel: Fuel, progress: Progress = quiet, *, listed: bool = True) -> CompiledPlans:
    """Return the published plans that are listed, or those that no longer are, compiled now where no file has them."""
    rows = latest_rows(store, ("plan_id", "version", "fuel_type", "vanished_at"), {"household_id": PUBLISHED})
    versions = [
        (plan_id, version)
        for plan_id, version, kind, vanished_at in rows
        if kind in (fuel, "DUAL", None) and (vanished_at is None) == listed
    ]
    if not versions:
        return CompiledPlans()
    families = {True: f"plans-{fuel.lower()}", False: f"past-{fuel.lower()}"}
    file = _cache_file(families[listed], hashlib.sha256(repr(versions).encode()).hexdigest())
    kept = _read(file)
    if kept is not None:
        return kept
    known = {
        (header.plan_id, header.version): (header, plan)
        for family in families.values()
        for other in file.parent.glob(f"{_of_this_compiler(family)}-*.msgpack")
        for header, plan in (_read(other) or CompiledPlans()).plans
    }
    new = [version for version in versions if version not in known]
    known |= _compiled_now(store, fuel, new, progress)
    plans = CompiledPlans.of(known[version] for version in versions if version in known)
    _keep(file, families[listed], plans)
    return plans


def _compiled_now(
    store: Store, fuel: Fuel, versions: Sequence[tuple[str, str]], progress: Progress
) -> dict[tuple[str, str], tuple[PlanHeader, msgspec.Raw]]:
    """Compile these versions, and say how far it has come. Plans that turn out to be of another fuel are left out."""
    compiled: dict[tuple[str, str], tuple[PlanHeader, msgspec.Raw]] = {}
    for number, some in enumerate(batches(versions, PLANS_AT_ONCE)):
        if len(versions) > PLANS_AT_ONCE:
            done = number * PLANS_AT_ONCE
            progress(f"preparing {fuel.lower()} plans for comparisons: {done:,} of {len(versions):,}")
        plan_ids, hashes = zip(*some, strict=True)
        where: Where = {"household_id": PUBLISHED, "plan_id": plan_ids, "version": hashes}
        rows = store.tuples("plans", ("plan_id", "version", "raw"), where=where)
        plans = [stored_plan(raw, plan_id, version) for plan_id, version, raw in rows]
        compiled |= {(header.plan_id, header.version): (header, plan) for header, plan in _compiled(plans, fuel)}
    return compiled


def _compiled(plans: Iterable[Plan], fuel: Fuel) -> Iterator[tuple[PlanHeader, msgspec.Raw]]:
    for plan in plans:
        if fuel in plan.fuels:
            (encoded,) = msgspec.msgpack.decode(to_bytes([compile_for_store(plan, fuel)]), type=list[msgspec.Raw])
            yield PlanHeader.of(plan), encoded


def _plans_at(path: Path, fuel: Fuel) -> CompiledPlans:
    """Return the latest version of each plan of the fuel at a path, kept by the content of its files.

    Raises ImportFailedError as `plans_at`.
    """
    family = f"given-{fuel.lower()}"
    file = None
    with contextlib.suppress(OSError):
        file = _cache_file(family, _digest_of(files_under(path)))
    kept = _read(file) if file else None
    if kept is not None:
        return kept
    given, problems = plans_at(path)
    plans = CompiledPlans.of(_compiled(latest(given), fuel), problems)
    if file:
        _keep(file, family, plans)
    return plans


def _digest_of(files: Iterable[Path]) -> str:
    """Hash the files' names and bytes. Raises OSError for an unreadable file."""
    digest = hashlib.sha256()
    for file in files:
        data = file.read_bytes()
        digest.update(f"{file.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _of_this_compiler(family: str) -> str:
    return f"{family}-{COMPILER_VERSION}.{COMPILED_LAYOUT}"


def _cache_file(family: str, digest: str) -> Path:
    """Return the path of the file for plans of this digest, as this version of the compiler compiles them."""
    return Path(data_dir()) / "cache" / f"{_of_this_compiler(family)}-{digest[:16]}.msgpack"


def _read(file: Path) -> CompiledPlans | None:
    """Read what `_keep` wrote: None where there is no such file, or its checksum does not match."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    checksum, plans = data[:4], data[4:]
    return _DECODER.decode(plans) if crc32(plans).to_bytes(4) == checksum else None


def _keep(file: Path, family: str, plans: CompiledPlans) -> None:
    """Write the file in one step, for the owner alone, and delete the oldest of its family.

    Where the folder cannot be written to, or the disk is full, nothing is kept.
    """
    encoded = msgspec.msgpack.encode(plans)
    with contextlib.suppress(OSError, StoreError):
        replace_private(file, lambda unfinished: unfinished.write_bytes(crc32(encoded).to_bytes(4) + encoded))
        files = sorted(file.parent.glob(f"{family}-*.msgpack"), key=lambda other: other.stat().st_mtime)
        for old in files[:-_KEPT]:
            old.unlink(missing_ok=True)


_DECODER = msgspec.msgpack.Decoder(CompiledPlans)
