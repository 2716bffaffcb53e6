"""Overrides: what people of a household decided, as one append-only log from which answers are derived; and its undo.

A later override never changes or deletes an earlier one: the latest in force on a subject counts. Taking one back puts
it out of force, so that the answers are again what they were before it. Stored in table `choices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import asdict, replace

from toolkit.analytics.money.overrides import BATCH, REMOVAL, override_of
from toolkit.answers.decisions import Undone
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.reclassify import deciding
from toolkit.store import Store
from toolkit.tables.schema.journal import OverrideRow


def undo(ctx: Context, *, shown: int | None = None) -> Undone:
    """Take back the household's latest override, of whatever kind.

    shown: number of the override that was the latest where a page offered this. Raises UsageError where nothing is left
    to undo, or where another override is the latest by now.
    """
    with open_home(ctx) as (store, household), store.transaction():
        number = _latest_number(store, household.household_id)
        if shown is not None and number not in (None, shown):
            raise UsageError(
                "Something else was decided after the page was opened, in another tab or elsewhere. Select Undo "
                "again to take that back."
            )
        return Undone(undone=override_of(undo_latest(store, household.household_id)))


def latest_decision(ctx: Context) -> int | None:
    """Return the number of what `undo` would take back; None where nothing is left."""
    with open_home(ctx) as (store, household):
        return _latest_number(store, household.household_id)


def in_force(store: Store, household_id: str) -> list[OverrideRow]:
    """Return the overrides that nobody took back, oldest first."""
    rows = store.load(OverrideRow, household_id, where={"active": True})
    return [row for row in rows if row.kind not in (REMOVAL, BATCH)]


def record(store: Store, household_id: str, kind: str, subject: str, value: str = "") -> OverrideRow:
    """Append an override, bring the roll-ups up to date, and return its row. Runs in the caller's transaction."""
    return record_all(store, household_id, [(kind, subject, value)])[0]


def record_all(store: Store, household_id: str, decisions: Sequence[tuple[str, str, str]]) -> list[OverrideRow]:
    """Append overrides (kind, subject, value), which one `undo` takes back together; return their rows."""
    first = _next_number(store, household_id)
    now = datetime.now(UTC)
    rows = [OverrideRow(household_id, first + place, *given, True, now) for place, given in enumerate(decisions)]
    together = [OverrideRow(household_id, first + len(rows), BATCH, str(first), "", active=True)] if rows[1:] else []
    with deciding(store, household_id):
        store.upsert("choices", [asdict(row) for row in (*rows, *together)])
    return rows


def take_back(store: Store, household_id: str, number: int) -> OverrideRow:
    """Put override `number` out of force and return it; `undo_latest` brings it back.

    Raises UsageError where no override of that number is in force.
    """
    row = store.first(OverrideRow, household_id, where={"number": number, "active": True})
    if row is None or row.kind in (REMOVAL, BATCH):
        raise UsageError(f"No decision in force has the number {number}: it was taken back already, or there is none.")
    with deciding(store, household_id):
        _set_active(store, row, active=False)
        removal = OverrideRow(household_id, _next_number(store, household_id), REMOVAL, str(number), "", active=True)
        store.upsert("choices", [asdict(removal)])
    return row


def undo_latest(store: Store, household_id: str) -> OverrideRow:
    """Take back the latest override, of whatever kind, or the latest removal, and return it.

    Of overrides made together all are taken back; the last of them is returned.

    Raises UsageError where nothing is left to undo.
    """
    rows = store.load(OverrideRow, household_id, where={"active": True})
    if not rows:
        raise UsageError("There is nothing to undo.")
    last = max(rows, key=lambda row: row.number)
    with deciding(store, household_id):
        _set_active(store, last, active=False)
        if last.kind == REMOVAL:
            for removed in store.load(OverrideRow, household_id, where={"number": int(last.subject)}):
                _set_active(store, removed, active=True)
        if last.kind == BATCH:
            together = [row for row in rows if int(last.subject) <= row.number < last.number]
            for row in together:
                _set_active(store, row, active=False)
            last = max(together, key=lambda row: row.number, default=last)
    return last


def _latest_number(store: Store, household_id: str) -> int | None:
    numbers = store.tuples("choices", ("number",), household_id, where={"active": True})
    return max((number for (number,) in numbers), default=None)


def _next_number(store: Store, household_id: str) -> int:
    return max((number for (number,) in store.tuples("choices", ("number",), household_id)), default=0) + 1


def _set_active(store: Store, row: OverrideRow, *, active: bool) -> None:
    store.upsert("choices", [asdict(replace(row, active=active))])
