"""Find what to delete from the name or id of a consent, household, import, account or service point."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from msgspec import DecodeError
from msgspec import json as wire_json

from toolkit.errors import ChoiceRequiredError
from toolkit.flows.consent.consents import known_consents
from toolkit.flows.household.context import named_household
from toolkit.flows.sync.end_users import CONSENTS
from toolkit.store import Store
from toolkit.store.sync_state import tombstones_of
from toolkit.tables.schema.identity import EndUserRow, HouseholdRow
from toolkit.tables.schema.journal import QuarantineRow
from toolkit.tables.words import not_one

Kind = Literal["consent", "household", "file", "account", "service_point"]
COLUMN: dict[Kind, str] = {
    "consent": "arrangement_id",
    "household": "household_id",
    "file": "file_id",
    "account": "account_id",
    "service_point": "service_point_id",
}
"""Kind → the column with its id in every table."""


@dataclass(slots=True)
class Target:
    """What to delete; `id` is empty if its rows were deleted earlier.

    names: words by which other files may still name it. shared: whether another household has something with that id.
    tombstone: the hash stored once it is deleted. owners: for a household, arrangement → end user:
    an end user who connects again has only their own tombstones removed.
    """

    kind: Kind
    household_id: str
    id: str
    tombstone: str
    arrangements: list[str] = field(default_factory=list)
    end_users: list[str] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    shared: bool = False

    def ids(self) -> dict[str, list[str]]:
        """Return column → the target's ids in it; empty lists if it was deleted earlier."""
        ids_by_column = {
            "arrangement_id": self.arrangements,
            "end_user_id": self.end_users,
            COLUMN[self.kind]: [self.id],
        }
        return {column: [id_ for id_ in ids if id_] for column, ids in ids_by_column.items()}


@dataclass(frozen=True, slots=True)
class _Thing:
    """One thing of a kind. words: the names it goes by; the last is suggested if a name matches nothing."""

    household_id: str
    id: str
    words: tuple[str | None, ...]


def find(store: Store, kind: Kind, wanted: str, household_id: str | None = None) -> Target:
    """Find the one thing with this name or id, in one household if that is given.

    Raises ChoiceRequiredError if none or several match.
    """
    if kind == "household":
        home = named_household(store, store.load(HouseholdRow), wanted)
        return _target(store, kind, [_Thing(home.household_id, home.household_id, ())], wanted)
    things = _things(store, kind, household_id)
    called = _called(things, wanted)
    if len({(thing.household_id, thing.id) for thing in called}) != 1:
        raise _unclear(store, kind, wanted, called or things)
    return _target(store, kind, called, wanted)


def _called(things: list[_Thing], wanted: str) -> list[_Thing]:
    """Return the things that match; within one household a match by id outranks matches by name."""
    called = [thing for thing in things if wanted in thing.words]
    by_id = [thing for thing in called if thing.id == wanted]
    return by_id if by_id and len({thing.household_id for thing in called}) == 1 else called


def find_by_tombstone(store: Store, target: Target) -> list[Target]:
    """Find the target in a copy of the database by its tombstone, whatever its name there."""
    matches: dict[tuple[str, str], list[_Thing]] = defaultdict(list)
    for thing in _things(store, target.kind, target.household_id or None):
        if target.tombstone in tombstones_of(target.kind, thing.id, thing.household_id):
            matches[thing.household_id, thing.id].append(thing)
    return [_target(store, target.kind, things) for things in matches.values()]


def shared_arrangements(store: Store, target: Target) -> set[str]:
    """Return those of the target's arrangements that other households have too."""
    if not target.arrangements:  # looking for them reads the records of every household
        return set()
    others = {thing.id for thing in _things(store, "consent") if thing.household_id != target.household_id}
    return others & set(target.arrangements)


def _target(store: Store, kind: Kind, things: list[_Thing], *names: str) -> Target:
    """Build the target. things: the same thing as several tables describe it."""
    household_id, id_ = things[0].household_id, things[0].id
    everywhere, here = tombstones_of(kind, id_, household_id)
    if kind == "household":
        arrangements = [thing.id for thing in _things(store, "consent", household_id)]
        people = [row.end_user_id for row in store.load(EndUserRow, household_id)]
        owners = {row.arrangement_id: row.end_user_id for row in known_consents(store, household_id)}
        words = {id_, *arrangements, *people, *names}
        return Target(kind, household_id, id_, everywhere, arrangements, people, owners, words)
    shared = any(thing.id == id_ and thing.household_id != household_id for thing in _things(store, kind))
    tombstone = here if shared else everywhere
    if kind == "consent":
        words = {word for thing in things for word in thing.words if word}
        return Target(kind, household_id, id_, tombstone, [id_], names={id_, *words, *names}, shared=shared)
    return Target(kind, household_id, id_, tombstone, names={id_, *names}, shared=shared)


def _unclear(store: Store, kind: Kind, wanted: str, things: list[_Thing]) -> ChoiceRequiredError:
    """Build the error for no match or several. things: the matches, or all of the kind if there are none."""
    what = kind.replace("_", " ")
    if not _called(things, wanted):
        return ChoiceRequiredError(not_one(what, wanted, 0), sorted({it.words[-1] or it.id for it in things}))
    homes = {thing.household_id for thing in things}
    if len(homes) > 1:
        names = sorted(row.name for row in store.load(HouseholdRow) if row.household_id in homes)
        return ChoiceRequiredError(f"Several households have the {what} {wanted!r}: add --household.", names)
    return ChoiceRequiredError(f"Several {what}s are called {wanted!r}: use the id.", sorted({it.id for it in things}))


_NAMED_IN: dict[Kind, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "household": (("households", ("household_id", "name")),),
    "file": (("files", ("file_id", "name")),),
    "account": (
        ("accounts", ("account_id", "display_name", "nickname")),
        ("energy_accounts", ("account_id", "display_name")),
    ),
    "service_point": (
        ("service_points", ("service_point_id", "national_metering_id")),
        ("typed_invoices", ("service_point_id",)),
    ),
}
"""Kind → tables that describe it, with the column of its id (first) and the columns of its names."""


def _things(store: Store, kind: Kind, household_id: str | None = None) -> list[_Thing]:
    if kind == "consent":
        return _consents(store, household_id)
    return [
        _Thing(home, names[0], tuple(names))
        for table, columns in _NAMED_IN[kind]
        for home, *names in store.tuples(table, ("household_id", *columns), household_id)
        if names[0] is not None
    ]


def _consents(store: Store, household_id: str | None) -> list[_Thing]:
    """Return stored consents, those known from records, and quarantined ones that give a consent id."""
    known = [
        _Thing(row.household_id, row.arrangement_id, (row.consent_id, row.arrangement_id))
        for row in known_consents(store, household_id)
    ]
    quarantined = store.load(QuarantineRow, household_id, where={"resource": CONSENTS})
    unreadable = [
        _Thing(row.household_id, row.arrangement_id, (_consent_id(row.raw), row.arrangement_id))
        for row in quarantined
        if row.arrangement_id is not None
    ]
    return [*known, *unreadable]


def _consent_id(raw: str) -> str | None:
    """Return the consent id in a quarantined record, in either spelling; None if there is none."""
    with suppress(DecodeError, RecursionError):
        record = wire_json.decode(raw)
        if isinstance(record, dict):
            ids = (record.get("consent_id"), record.get("consentId"))
            return next((id_ for id_ in ids if isinstance(id_, str)), None)
    return None
