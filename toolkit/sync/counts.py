"""Receipt arithmetic: every record fetched is added, updated, unchanged or rejected."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a page or resource. removed: stored rows that are no longer given; not part of the sum."""

    fetched: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: value + getattr(other, name) for name, value in asdict(self).items()})

    @property
    def balances(self) -> bool:
        return self.fetched == self.added + self.updated + self.unchanged + self.rejected

    @property
    def changed(self) -> bool:
        return bool(self.added or self.updated or self.removed)

    def as_json(self) -> dict[str, int]:
        return asdict(self)
