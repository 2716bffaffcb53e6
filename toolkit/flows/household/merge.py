"""What was put into the wrong household, moved: all of one (`household merge`); undone until the next sync."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict, replace

from toolkit.analytics.money.overrides import BATCH, REMOVAL
from toolkit.answers.base import Note
from toolkit.answers.households import Households
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, find_household
from toolkit.flows.household.facts import FACTS
from toolkit.flows.household.listed import listed_homes
from toolkit.flows.money.spending import mark_all, refresh
from toolkit.flows.money.summary import ROLLUP
from toolkit.store import Condition, Record, Store, open_store
from toolkit.tables.schema import STORED, table
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import MoveRow, OverrideRow

JOURNAL = "moves"
COPIED = "copy"
"""How the journal marks a file that both households have, as both have rows of it."""
DERIVED = (ROLLUP, "rollups", "account_suggestions", "household_figures", "visits")
_TOGETHER = (
    ("postcode", "state", "network", "timezone"),
    ("plan_id", "plan_since", "other_plans"),
    *((name,) for name in ("customer_type", "panels_kw", "billing", "note", "follow_up", "purpose")),
    *((name,) for name in ("arrays", "inverter_kw", "battery_kwh", "folder")),
)
"""Facts that describe one thing: they are taken together, or not at all."""
_APART = ("households", "choices", JOURNAL)
"""Tables with rows that do not simply change their household."""
NOTHING_TO_UNDO = "No merge or move can be undone: none was made since the last sync or deletion."


@dataclass(frozen=True, slots=True)
class Move:
    """number: of the journal. source and target: household ids."""

    number: int
    source: str
    target: str


def merge(ctx: Context, into: str, other: str) -> Households:
    """Move everything of household B into A and delete B (`household merge A B`).

    Facts that A has keep their values; rows with a key that A already has stay as in A. Nothing is lost: `undo_move`
    restores B, until the next sync. Raises UsageError if both are the same household.
    """
    with open_store(ctx.db, create=False) as store, store.transaction():
        target, source = find_household(store, into), find_household(store, other)
        if target.household_id == source.household_id:
            raise UsageError(f"{into!r} and {other!r} are the same household.")
        move = begin(store, source.household_id, target.household_id)
        moved, left = _everything(store, move)
        _merge_facts(store, move, source, target)
        recompute(store, move.target)
        notes = tuple(
            Note("rows_of_both_households", count=number, table=name.replace("_", " "), household=target.name)
            for name, number in sorted(left.items())
        )
        return replace(listed_homes(store), moved=dict(sorted(moved.items())), notes=notes)


def undo_move(ctx: Context, *, shown: tuple[str, str] | None = None) -> Households:
    """Take the latest merge or move back (`household merge --undo`).

    shown: ids of the household that was merged and of the one it went into, where a page offers to undo that. Raises
    UsageError where there is none to undo, or another one is the latest by now.
    """
    with open_store(ctx.db, create=False) as store, store.transaction():
        journal = store.load(MoveRow)
        if not journal:
            raise UsageError(NOTHING_TO_UNDO)
        last = max(journal, key=lambda row: row.number)
        move = Move(last.number, last.source, last.household_id)
        if shown is not None and shown != (move.source, move.target):
            raise UsageError(
                "Other households were merged after the page was opened, in another tab or elsewhere. Nothing was "
                "undone."
            )
        entries = [row for row in journal if row.number == move.number]
        _bring_back_household(store, move, entries)
        for entry in sorted(entries, key=lambda entry: entry.moved_to == COPIED):
            if entry.table_name != "households":
                _bring_back(store, move, entry)
        store.delete(JOURNAL, {"household_id": move.target, "number": move.number})
        for household_id in (move.target, move.source):
            recompute(store, household_id)
        return listed_homes(store)


def begin(store: Store, source: str, target: str) -> Move:
    """Return the next move of the journal."""
    number = max((number for (number,) in store.tuples(JOURNAL, ("number",))), default=0) + 1
    return Move(number, source, target)


def move_rows(store: Store, move: Move, name: str, where: dict[str, Condition] | None = None) -> Counter[str]:
    """Move a table's rows from source to target; returns how many were `moved`, and `left` as the target had them."""
    key = table(name).own_key
    rows = store.tuples(name, table(name).names, move.source, where=where)
    place = [table(name).names.index(column) for column in key]
    taken = set(store.tuples(name, key, move.target))
    counts: Counter[str] = Counter()
    for row in rows:
        identity = tuple(row[index] for index in place)
        one = {"household_id": move.source, **dict(zip(key, identity, strict=True))}
        is_left = identity in taken
        note(store, move, name, identity, row if is_left else None)
        counts["left" if is_left else "moved"] += 1
        if is_left:
            store.delete(name, one)
        elif where is not None:
            store.update(name, {"household_id": move.target}, one)
    if where is None:
        store.update(name, {"household_id": move.target}, {"household_id": move.source})
    return counts


def note(
    store: Store, move: Move, name: str, identity: tuple[Any, ...], row: tuple[Any, ...] | None, moved_to: str = ""
) -> None:
    """Write one row of the journal. row: the stored values of one that is not in the target."""
    entry: Record = {
        "household_id": move.target,
        "number": move.number,
        "source": move.source,
        "table_name": name,
        "row_key": json.dumps(identity),
        "moved_to": moved_to,
        "row": None if row is None else json.dumps(row, default=lambda blob: {"base64": b64encode(blob).decode()}),
    }
    store.upsert(JOURNAL, [entry])


def recompute(store: Store, household_id: str) -> None:
    """Recompute the roll-ups of a household after its rows changed."""
    mark_all(store, household_id)
    refresh(store, household_id)


def _stored(values: str) -> tuple[Any, ...]:
    return tuple(b64decode(value["base64"]) if isinstance(value, dict) else value for value in json.loads(values))


def _everything(store: Store, move: Move) -> tuple[Counter[str], Counter[str]]:
    """Move the rows; return how many of each table were moved, and how many left as the target had them."""
    moved, left = Counter[str](), Counter[str]()
    for name in DERIVED:
        store.delete(name, {"household_id": move.source})
    for stored in STORED:
        if "household_id" in stored.names and stored.name not in (*_APART, *DERIVED):
            counts = move_rows(store, move, stored.name)
            moved[stored.name], left[stored.name] = counts["moved"], counts["left"]
    moved["choices"] = move_decisions(store, move, store.load(OverrideRow, move.source))
    return +moved, +left


def move_decisions(store: Store, move: Move, decisions: list[OverrideRow]) -> int:
    """Append the decisions to those of the target, under new numbers; returns how many."""
    first = max((number for (number,) in store.tuples("choices", ("number",), move.target)), default=0) + 1
    numbers = {row.number: first + index for index, row in enumerate(decisions)}
    for row in decisions:
        [stored] = store.tuples("choices", table("choices").names, move.source, where={"number": row.number})
        note(store, move, "choices", (row.number,), stored, moved_to=str(numbers[row.number]))
        store.delete("choices", {"household_id": move.source, "number": row.number})
        subject = row.subject
        if row.kind in (REMOVAL, BATCH):  # they name other decisions by number
            subject = str(numbers.get(int(subject), subject))
        moved = replace(row, household_id=move.target, number=numbers[row.number], subject=subject)
        store.upsert("choices", [asdict(moved)])
    return len(decisions)


def _merge_facts(store: Store, move: Move, source: HouseholdRow, target: HouseholdRow) -> None:
    """Fill the target's missing facts from the source; the journal keeps both as they were."""
    names = table("households").names
    for household in (source, target):
        identity = household.household_id
        note(store, move, "households", (identity,), store.tuples("households", names, identity)[0])
    unset = [name for facts in _TOGETHER if all(getattr(target, name) is None for name in facts) for name in facts]
    if taken := {name: value for name in unset if (value := getattr(source, name)) is not None}:
        store.update("households", taken, {"household_id": move.target})
    store.delete("households", {"household_id": move.source})


def _bring_back_household(store: Store, move: Move, entries: list[MoveRow]) -> None:
    """Restore the merged household, and remove the facts that the other one took from it. Raises UsageError."""
    kept = [entry for entry in entries if entry.table_name == "households"]
    rows = {json.loads(entry.row_key)[0]: _stored(entry.row or "[]") for entry in kept}
    if not rows:
        if not store.count("households", move.source):
            raise UsageError("The household that the account came from has been removed, so the move cannot be undone.")
        return
    names = table("households").names
    was, before = (dict(zip(names, rows[household], strict=True)) for household in (move.source, move.target))
    if any(store.count("households", where={name: was[name]}) for name in ("household_id", "name")):
        raise UsageError(f"A household called {was['name']!r} was made since the merge. Rename it, then undo.")
    now = dict(zip(names, store.tuples("households", names, move.target)[0], strict=True))
    store.upsert("households", [rows[move.source]])
    if taken := [name for name in (*FACTS, "other_plans") if before[name] is None and now[name] == was[name]]:
        store.update("households", dict.fromkeys(taken), {"household_id": move.target})


def _bring_back(store: Store, move: Move, entry: MoveRow) -> None:
    name = entry.table_name
    if name == "choices":
        _bring_back_decision(store, move, entry)
        return
    if entry.row is not None:
        store.upsert(name, [_stored(entry.row)])
        return
    key = dict(zip(table(name).own_key, json.loads(entry.row_key), strict=True))
    here = {"household_id": move.target, **key}
    if entry.moved_to == COPIED and is_file_used(store, move.target, key["file_id"]):
        return
    if store.count(name, move.source, where=key):
        store.delete(name, here)
    else:
        store.update(name, {"household_id": move.source, **key}, here)


def is_file_used(store: Store, household_id: str, file_id: str) -> bool:
    """Return whether any row of the household is of that file."""
    holders = [t.name for t in STORED if {"file_id", "household_id"} <= set(t.names) and t.name != "files"]
    return any(store.count(name, household_id, where={"file_id": file_id}) for name in holders)


def _bring_back_decision(store: Store, move: Move, entry: MoveRow) -> None:
    """Restore the decision under its old number; in force or not as it is now."""
    here: dict[str, Condition] = {"household_id": move.target, "number": int(entry.moved_to or 0)}
    for (active,) in store.tuples("choices", ("active",), where=here):
        was = dict(zip(table("choices").names, _stored(entry.row or "[]"), strict=True))
        store.delete("choices", here)
        store.upsert("choices", [tuple({**was, "active": active}.values())])
