"""What people of a household decided: one append-only log, from which answers are derived, and its undo.

A decision is never changed or deleted by a later one: the latest in force on a subject counts. Taking one back puts it
out of force, so the answers are again what they were before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.rollups import mark_all, refresh
from toolkit.store import Condition, Store

TABLE = "choices"
REMOVAL = "removal"
"""The kind of a decision that takes another one back: its subject is that one's number."""


_OF_PAIRS = ("link", "unlink")
"""Kinds whose value is a JSON list of pairs of account ids."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, as table `choices` keeps it.

    kind: what is decided, such as `rule`, `category`, `transfer`, `link`.
    subject: id of what it is about, or the pattern of a rule.
    value: what it is from now on: text, or JSON where a kind has more to say.
    """

    kind: str
    subject: str
    value: str = ""


def in_force(store: Store, household_id: str, *kinds: str) -> list[dict[str, Any]]:
    """Decisions of these kinds (none named: of every kind) that nobody took back, oldest first; rows of `choices`."""
    where: dict[str, Condition] = {"active": True}
    if kinds:
        where["kind"] = list(kinds)
    return [row for row in store.rows(TABLE, household_id, where=where) if row["kind"] != REMOVAL]


def record(store: Store, household_id: str, decision: Decision) -> dict[str, Any]:
    """Append a decision, bring the roll-ups up to date, and return its row. Runs in the caller's transaction."""
    row = _append(store, household_id, decision)
    _derive(store, household_id)
    return row


def take_back(store: Store, household_id: str, number: int) -> dict[str, Any]:
    """Put decision `number` out of force and return its row; `undo_latest` brings it back.

    Raises UsageError where no decision of that number is in force.
    """
    found = store.rows(TABLE, household_id, where={"number": number, "active": True})
    if not found or found[0]["kind"] == REMOVAL:
        raise UsageError(f"No decision in force has the number {number}. `toolkit rules list` shows the numbers.")
    _put(store, found[0], in_force=False)
    record(store, household_id, Decision(REMOVAL, str(number)))
    return found[0]


def undo_latest(store: Store, household_id: str) -> dict[str, Any]:
    """Take back the latest decision, of whatever kind, or the latest removal, and return its row.

    Raises UsageError where nothing is left to undo.
    """
    done = store.rows(TABLE, household_id, where={"active": True})
    if not done:
        raise UsageError("There is nothing to undo.")
    last = max(done, key=lambda row: int(row["number"]))
    _put(store, last, in_force=False)
    if last["kind"] == REMOVAL:
        for restored in store.rows(TABLE, household_id, where={"number": int(last["subject"])}):
            _put(store, restored, in_force=True)
    _derive(store, household_id)
    return last


def undo(ctx: Context) -> dict[str, Any]:
    """`undo`: take back the household's latest decision. Raises UsageError where nothing is left to undo."""
    with open_home(ctx) as (store, household), store.transaction():
        return {"undone": as_shown(undo_latest(store, household.household_id))}


def as_shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A decision as answers give it: `number`, `kind`, `subject`, `value`."""
    return {name: row[name] for name in ("number", "kind", "subject", "value")}


def mentioned(row: Mapping[str, Any]) -> set[str]:
    """The ids that a decision is about: its subject, its value, and the ends of each pair that the value lists."""
    value = str(row["value"])
    pairs = json.loads(value) if row["kind"] in _OF_PAIRS else []
    return {str(row["subject"]), value, *(end for pair in pairs for end in pair)}


def _append(store: Store, household_id: str, decision: Decision) -> dict[str, Any]:
    number = max((number for (number,) in store.tuples(TABLE, ("number",), household_id)), default=0) + 1
    row = {"household_id": household_id, "number": number, **asdict(decision), "active": True}
    store.upsert(TABLE, [row])
    return row


def _put(store: Store, row: Mapping[str, Any], *, in_force: bool) -> None:
    """Put a stored decision in or out of force; the one place where that happens."""
    store.upsert(TABLE, [{**row, "active": in_force}])


def _derive(store: Store, household_id: str) -> None:
    mark_all(store, household_id)
    refresh(store, household_id)
