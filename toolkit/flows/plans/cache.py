"""Cache compiled plans in the data folder: compiling 5,000 takes seconds, loading them almost none.

Stored plans are keyed by plan version, plans of files by the files' content, both by `COMPILER_VERSION`. A damaged or
missing cache file only means compiling again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toolkit.analytics.energy.rates import COMPILER_VERSION
from toolkit.analytics.energy.rates.stored import Compiled, from_bytes, to_bytes
from toolkit.errors import StoreError
from toolkit.settings import data_dir
from toolkit.store.files import replace_private
from toolkit.tables.plans import Fuel

_KEPT = 2
"""How many files of a family stay: this code's (or the last folder's) and the one before."""


@dataclass(frozen=True, slots=True)
class CompiledPlans:
    """The cache file of a fuel's stored plans, as this version of the compiler compiles them."""

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
    """Where something is kept. digest: of all that decides what it is."""
    return Path(data_dir()) / "cache" / f"{family}-{digest}.msgpack"


def kept(path: Path) -> bytes:
    """Empty where nothing is."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def keep(path: Path, data: bytes) -> None:
    """In one step, for the owner alone, in the place of the oldest of its family. Where the folder cannot be written
    to, or the disk is full, nothing is kept.
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
