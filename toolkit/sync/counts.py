"""Receipt arithmetic: every record fetched is added, updated, unchanged or rejected."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """removed stands beside the sum: rows that were stored and are no longer there."""

    fetched: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: value + getattr(other, name) for name, value in asdict(self).items()})

    @property
    def balances(self) -> bool:
        return self.fetched == self.added + self.updated + self.unchanged + self.rejected

    @property
    def changed(self) -> bool:
        return bool(self.added or self.updated or self.removed)

    def as_json(self) -> dict[str, int]:
        return asdict(self)
