"""The desk's figures of a household as stored, and the hash of what they were worked out from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

import msgspec

from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.insights import DeskLowPoint, Insight
from toolkit.flows.desk.program import program_checksum
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.schema import STORED, Cell, table
from toolkit.tables.schema.desk import HouseholdFiguresRow
from toolkit.tables.schema.energy import PUBLISHED

_OF_DESK = {"household_figures", "insight_decisions", "visits"}
_DERIVED = {"spending_months", "rollups", "frame_columns", "account_suggestions"}
_OF_NO_FIGURE = ("raw", "entered_at", "linked_account_id")
"""Columns of several tables; the last one is worked out with the roll-up."""
_WORDS = ("name", "purpose", "note", "follow_up", "archived_on", "folder")
"""What a person wrote or decided about a household, and is in none of its figures."""
_OF_REPORT = {"as_told"}
_IN_PLACE = ("choices", "typed_concessions", "consents", "persons", "service_points", "accounts", "account_plans")
"""Small tables with rows that change in place."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a household's row on the desk and its insights are made of. AUD; None where not known."""

    as_of: date
    data_to: date | None
    next_bill: Decimal | None
    saving: Decimal | None
    low_point: DeskLowPoint | None
    bills_that_differ: int | None
    insights: list[Insight]
    next_bills: list[Forecast]
    """The next bill alone of each meter, without notes and problems."""


def stored_figures(store: Store, household_id: str) -> tuple[Figures, str] | None:
    """Return the figures as stored, with their basis; None before the first time."""
    row = store.first(HouseholdFiguresRow, household_id)
    return (figures_of(row), row.basis) if row else None


def figures_of(row: HouseholdFiguresRow) -> Figures:
    """Return a stored row as figures."""
    low = None
    if row.low_point_on is not None and row.low_point_minor is not None:
        low = DeskLowPoint(row.low_point_on, _aud(row.low_point_p10_minor), amount(row.low_point_minor))
    return Figures(
        as_of=row.as_of,
        data_to=row.data_to,
        next_bill=_aud(row.next_bill_minor),
        saving=_aud(row.saving_minor),
        low_point=low,
        bills_that_differ=row.bills_that_differ,
        insights=_INSIGHTS.decode(row.insights),
        next_bills=_FORECASTS.decode(row.next_bills or "[]"),
    )


def basis_of(store: Store, households: Iterable[str]) -> dict[str, str]:
    """Return for each household a hash of everything that its figures are worked out from, the program included.

    The day is not in it. Rows are counted, not read: a new or deleted row shows in the count or the highest row id;
    what changes in place (facts of the home, its meters and accounts, decisions, concessions, consents) is read. A sync
    leaves receipts, an import a file, and a plan that is current again the highest sequence.
    """
    unused = _OF_DESK | _DERIVED | _OF_REPORT
    of_homes = [each.name for each in STORED if "household_id" in each.names and each.name not in unused]
    facts: dict[str, list[object]] = {home: [] for home in households}
    of_these = {"household_id": sorted(facts)}
    sizes = {name: store.sizes(name, facts) for name in of_homes}
    with_published = {"household_id": sorted({PUBLISHED, *facts})}
    newest = dict(store.summed("plans", ("household_id",), {"sequence": "max"}, where=with_published))
    offered = store.count("plans", where={"household_id": PUBLISHED, "vanished_at": None})
    published = offered, store.sizes("plans", [PUBLISHED]), newest.get(PUBLISHED)
    for name in ("households", *_IN_PLACE):
        unread = (*_OF_NO_FIGURE, *_WORDS) if name == "households" else _OF_NO_FIGURE
        columns = [column for column in table(name).names if column not in unread]
        place = columns.index("household_id")
        for row in store.tuples(name, columns, where=of_these):
            facts[row[place]].append(row)
    # The rest of a run leaves no receipt: duplicates found, plans that are not current any more.
    for home in _being_synced(store) & facts.keys():
        facts[home].append("sync")
    shared = (program_checksum(), published)
    return {
        home: sha256(
            repr((shared, own, newest.get(home), [(name, counts.get(home)) for name, counts in sizes.items()])).encode()
        ).hexdigest()
        for home, own in facts.items()
    }


def _being_synced(store: Store) -> set[str]:
    """Return the households that a run which has not ended brought pages of."""
    runs = [run for (run,) in store.tuples("runs", ("run_id",), where={"finished_at": None})]
    return {home for (home,) in store.tuples("receipts", ("household_id",), where={"run_id": runs})} if runs else set()


def row_of(household_id: str, figures: Figures, basis: str) -> dict[str, Cell]:
    """Return figures as a row to store, with the hash of what they were worked out from."""
    low = figures.low_point
    return {
        "household_id": household_id,
        "as_of": figures.as_of,
        "basis": basis,
        "data_to": figures.data_to,
        "next_bill_minor": _cents(figures.next_bill),
        "saving_minor": _cents(figures.saving),
        "low_point_on": low.date if low else None,
        "low_point_p10_minor": _cents(low.p10) if low else None,
        "low_point_minor": _cents(low.p50) if low else None,
        "bills_that_differ": figures.bills_that_differ,
        "insights": msgspec.json.encode(figures.insights, enc_hook=_packed).decode(),
        "next_bills": msgspec.json.encode(figures.next_bills, enc_hook=_packed).decode(),
    }


def _packed(value: object) -> list[object]:
    assert isinstance(value, Note)
    return value.packed()


def _unpacked(_kind: type, parts: Sequence[Any]) -> Note:
    return Note.unpacked(parts)


_INSIGHTS = msgspec.json.Decoder(list[Insight], dec_hook=_unpacked)
_FORECASTS = msgspec.json.Decoder(list[Forecast], dec_hook=_unpacked)


def _cents(dollars: Decimal | None) -> int | None:
    return None if dollars is None else int(dollars.scaleb(2).to_integral_value())


def _aud(cents: int | None) -> Decimal | None:
    return None if cents is None else amount(cents)
