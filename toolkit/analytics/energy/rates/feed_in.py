"""Read what a contract pays for exported energy: feed-in tariffs, their steps and alternatives (pricing rule 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, combinations

from toolkit.analytics.energy.rates.contract import Reading, Terms, all_day, number, text, timed, title
from toolkit.analytics.energy.rates.dates import in_common, spans_in_force
from toolkit.analytics.energy.rates.model import DAY, Span, Tariff, overlapping, read_duration
from toolkit.tables.rows.contracts import Band, Contract, FeedIn

_FEED_IN = Terms(single=DAY, varying=DAY, gst="none", windows="time_variations", times_optional=True)

MOST_SPANS = 4
"""More date ranges than these are not published together; it bounds how many combinations are looked at."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A published feed-in entry, on the days that it applies to."""

    label: str
    span: Span
    written: FeedIn

    @property
    def varying(self) -> list[Band]:
        """Return the entry's bands of time; none where it has a single rate."""
        return [] if self.written["single_tariff"] else self.written["time_varying_tariffs"]


def read_feed_ins(contract: Contract, named: str | None, reading: Reading) -> list[Tariff]:
    """Read the feed-in tariffs, alternatives in listed order; on each day the first that covers it counts.

    named: display name of the tariff that the account is on; then only that one, premium or not.
    """
    offered = [
        (label, written)
        for label, written in _labelled(contract)
        if (_is_open(written) if named is None else label == named)
    ]
    spans = spans_in_force(offered, "Feed-in", reading)
    pairs = zip(offered, spans, strict=True)
    entries = [_Entry(label, span, written) for (label, written), span in pairs if span is not None]
    if contract["solar_feed_in_tariff"] and not offered:
        if named is not None:
            reading.messages.note("feed_in_not_on_plan", label=named)
        else:
            reading.messages.note("feed_in_closed")
    if len({entry.span for entry in entries}) > 1:
        return _by_days(entries, reading)
    kept = _alternatives(entries, reading)
    _note_alternatives(kept, reading)
    return kept


def _by_days(entries: Sequence[_Entry], reading: Reading) -> list[Tariff]:
    """Return the tariff of each set of days that entries of different dates share, the most entries first.

    A set of dates is left out where its days would get the same tariff without it.
    """
    tariffs: list[tuple[frozenset[Span], Tariff]] = []
    for spans, present in reversed(list(_in_force_together(entries))):
        kept = _alternatives(present, reading)
        _note_alternatives(kept, reading)
        otherwise = next((tariff for fewer, tariff in tariffs if fewer <= spans), None)
        if kept and (otherwise is None or replace(kept[0], span=otherwise.span) != otherwise):
            tariffs.insert(0, (spans, kept[0]))
    return [tariff for _, tariff in tariffs]


def _in_force_together(entries: Sequence[_Entry]) -> Iterator[tuple[frozenset[Span], list[_Entry]]]:
    """Yield each set of date ranges that share days, with the entries of those ranges on the shared days."""
    spans = list(dict.fromkeys(entry.span for entry in entries))
    sizes = range(min(len(spans), MOST_SPANS), 0, -1)
    for chosen in (combination for size in sizes for combination in combinations(spans, size)):
        shared = _shared(chosen)
        if shared is not None:
            yield frozenset(chosen), [replace(entry, span=shared) for entry in entries if entry.span in chosen]


def _shared(spans: Sequence[Span]) -> Span | None:
    """Return the days that all spans cover; None where there are none."""
    limited = [span for span in spans if not span.always] or spans[:1]
    if len(limited) == 1:
        return limited[0]
    seasons, dated = [span for span in limited if span.recurs], [span for span in limited if not span.recurs]
    shared = _shared_dates(dated)
    if shared is None or not in_common(seasons):
        return None
    for season in seasons:
        shared = season if shared.always else replace(season, within=shared)
    return shared


def _shared_dates(spans: Sequence[Span]) -> Span | None:
    """Return the days that all spans with dates cover; None where there are none."""
    firsts = [span.first for span in spans if isinstance(span.first, date)]
    lasts = [span.last for span in spans if isinstance(span.last, date)]
    none = firsts and lasts and max(firsts) > min(lasts)
    return None if none else Span(max(firsts, default=None), min(lasts, default=None))


def _alternatives(entries: Sequence[_Entry], reading: Reading) -> list[Tariff]:
    """Return the tariffs that can be priced of entries of the same dates, in listed order."""
    tariffs = (_feed_in_tariff(group, reading) for group in _groups(entries, reading))
    return [tariff for tariff in tariffs if tariff.rates]


def only_closed(contract: Contract) -> str | None:
    """Return the label of the closed tariff of a contract without an open one; None leaves it to pricing rule 9."""
    labelled = _labelled(contract)
    return labelled[0][0] if labelled and not any(_is_open(written) for _, written in labelled) else None


def _labelled(contract: Contract) -> list[tuple[str, FeedIn]]:
    """Return (label, entry) of every feed-in tariff, in listed order."""
    entries = enumerate(contract["solar_feed_in_tariff"], start=1)
    return [(title(written) or f"Feed-in {n}", written) for n, written in entries]


def _is_open(written: FeedIn) -> bool:
    """Return whether it is open to new customers: neither a government's nor a premium scheme (pricing rule 9)."""
    return text(written.get("payer_type")).upper() != "GOVERNMENT" and text(written.get("scheme")).upper() != "PREMIUM"


def _note_alternatives(tariffs: Sequence[Tariff], reading: Reading) -> None:
    """Note that several tariffs apply to the same days: the first is used (pricing rule 9)."""
    if len({tariff.span for tariff in tariffs}) < len(tariffs):
        reading.messages.note("feed_in_alternatives", count=len(tariffs), label=tariffs[0].label)


def _groups(entries: Sequence[_Entry], reading: Reading) -> list[list[_Entry]]:
    """Group the entries that make up one tariff; groups in the order of their first entries."""
    groups: list[list[_Entry]] = []
    for entry in entries:
        for group in groups:
            if _belongs(entry, group, entries, reading):
                group.append(entry)
                break
        else:
            groups.append([entry])
    return groups


def _belongs(entry: _Entry, group: Sequence[_Entry], entries: Sequence[_Entry], reading: Reading) -> bool:
    """Return whether an entry is a step or a band of the group's tariff, not an alternative (pricing rule 9)."""
    first = group[0]
    if entry.span != first.span or bool(entry.varying) != bool(first.varying):
        return False
    if not entry.varying:
        # Single-rate entries are steps of one tariff where all but the last carry a width.
        singles = [e for e in entries if not e.varying and e.span == first.span]
        return all(_carries_width(single) for single in singles[:-1])
    if entry.label != first.label:
        return False
    # Bands within one entry may overlap, as in any tariff; two entries that claim the same minute are alternatives.
    bands_of_each = [timed(each.varying, "", _FEED_IN, reading)[0] for each in (*group, entry)]
    return not overlapping(tuple(tuple(chain.from_iterable(bands)) for bands in bands_of_each))


def _carries_width(entry: _Entry) -> bool:
    """Return whether every rate of a single-rate entry has a volume, so that another step can follow."""
    rates = (entry.written["single_tariff"] or {"rates": []})["rates"]
    return bool(rates) and all((number(rate.get("volume")) or 0) > 0 for rate in rates)


def _feed_in_tariff(group: Sequence[_Entry], reading: Reading) -> Tariff:
    """Return the tariff that a group of entries makes up."""
    first = group[0]
    if first.varying:
        bands, rates = timed([band for e in group for band in e.varying], first.label, _FEED_IN, reading)
    else:
        singles: list[Band] = [entry.written["single_tariff"] or {"rates": []} for entry in group]
        steps_with_width = [entry.written["single_tariff"] or {} for entry in group if _carries_width(entry)]
        periods = {read_duration(step.get("period")) or _FEED_IN.single for step in steps_with_width}
        if len(periods) > 1:  # widths per day and per month make no one ladder; no published plan has both
            reading.messages.note("feed_in_block_periods", label=group[0].label)
        steps: Band = {**singles[0], "rates": [rate for single in singles for rate in single["rates"]]}
        bands, rates = all_day(steps, first.label, _FEED_IN, reading)
    return Tariff(first.label, first.span, reading.other_time_zone, bands, rates)
