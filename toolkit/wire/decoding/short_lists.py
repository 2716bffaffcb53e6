"""Short lists read to the end, with what could not be read; callers report that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from toolkit.wire.decoding.pages import Page, Rejected, UnparsedField

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """All pages of a list as one: records and raws in pairs, unparsed fields by raw record, as on a `Page`."""

    records: list[T] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    unparsed: dict[bytes, list[UnparsedField]] = field(default_factory=dict)

    def where(self, wanted: Callable[[T], bool]) -> Listing[T]:
        """Keep the wanted records. Rejected records stay, as they may be wanted ones."""
        kept = [(record, raw) for record, raw in zip(self.records, self.raws, strict=True) if wanted(record)]
        unparsed = {raw: self.unparsed[raw] for _, raw in kept if raw in self.unparsed}
        return replace(self, records=[record for record, _ in kept], raws=[raw for _, raw in kept], unparsed=unparsed)


def listed(pages: Iterable[Page]) -> Listing[Any]:
    """Join the pages of a list."""
    whole: Listing[Any] = Listing()
    for page in pages:
        whole.records.extend(page.records)
        whole.raws.extend(page.raws)
        whole.rejected.extend(page.rejected)
        whole.unparsed.update(page.unparsed)
    return whole
