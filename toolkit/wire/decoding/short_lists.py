"""A short list read whole. What of it cannot be read stays beside the rest: whoever asks is to say so."""

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
        """The records that are wanted; what was rejected may be one of them, and stays."""
        kept = [(record, raw) for record, raw in zip(self.records, self.raws, strict=True) if wanted(record)]
        unparsed = {raw: self.unparsed[raw] for _, raw in kept if raw in self.unparsed}
        return replace(self, records=[record for record, _ in kept], raws=[raw for _, raw in kept], unparsed=unparsed)


def listed(pages: Iterable[Page]) -> Listing[Any]:
    """The whole of a list, page by page."""
    whole: Listing[Any] = Listing()
    for page in pages:
        whole.records.extend(page.records)
        whole.raws.extend(page.raws)
        whole.rejected.extend(page.rejected)
        whole.unparsed.update(page.unparsed)
    return whole
