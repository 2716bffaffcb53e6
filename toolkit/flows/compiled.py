"""Compiled published plans, kept in the data folder by version: compiling 5,000 takes seconds, loading them none.

The cache holds nothing but published plans, and anything wrong with it means no more than compiling again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.analytics.energy.rates.stored import Compiled
    from toolkit.tables.plans import Fuel

_KEPT = 2
"""How many files of a fuel stay: this code's and the one before."""


@dataclass(frozen=True, slots=True)
class CompiledPlans:
    """The cache file of one fuel for this very code: another code compiles differently, and has another file."""

    path: Path

    @classmethod
    def of(cls, fuel: Fuel) -> CompiledPlans:
        from toolkit.settings import data_dir

        return cls(Path(data_dir()) / "cache" / f"plans-{fuel.lower()}-{_code_digest()}.msgpack")

    def load(self) -> dict[str, Compiled]:
        """By version; empty where there is no readable cache."""
        from toolkit.analytics.energy.rates.stored import from_bytes

        try:
            data = self.path.read_bytes()
        except OSError:
            return {}
        return {plan.version: plan for plan in from_bytes(data)}

    def save(self, plans: Iterable[Compiled]) -> None:
        """In one step, for the owner alone. A folder that cannot be written to goes without a cache."""
        from toolkit.analytics.energy.rates.stored import to_bytes
        from toolkit.store.private import replace_private

        data = to_bytes(list(plans))
        with contextlib.suppress(OSError):
            replace_private(self.path, lambda unfinished: unfinished.write_bytes(data))
            self._drop_old()

    def _drop_old(self) -> None:
        fuel = self.path.name.rpartition("-")[0]
        files = sorted(self.path.parent.glob(f"{fuel}-*.msgpack"), key=lambda path: path.stat().st_mtime)
        for path in files[:-_KEPT]:
            path.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _code_digest() -> str:
    """Of everything that decides how a plan compiles."""
    package = Path(__file__).parent.parent
    sources = [*(package / "analytics" / "energy" / "rates").glob("*.py"), *(package / "tables").glob("plan*.py")]
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
