"""What is meant by the name of a consent, a household, an import, an account or a service point."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import DecodeError
from msgspec import json as wire_json

from toolkit.errors import ChoiceRequiredError
from toolkit.flows.consent.known_consents import known_consents
from toolkit.flows.forget.tombstones import graves
from toolkit.flows.household.context import named_household
from toolkit.flows.sync.consents import CONSENTS
from toolkit.store import Store

Kind = Literal["consent", "household", "file", "account", "service_point"]
COLUMN: dict[Kind, str] = {
    "consent": "arrangement_id",
    "household": "household_id",
    "file": "file_id",
    "account": "account_id",
    "service_point": "service_point_id",
}
"""The column that says what a row belongs to."""


@dataclass(slots=True)
class Target:
    """What is to go; without an id, what went earlier.

    names: words by which it may still be named in other files. shared: whether another household has one of that id.
    buried: the hash that it is known by once it is forgotten. owners: of a household, whose each arrangement is:
    who connects again lifts the tombstones of their own.
    """

    kind: Kind
    household_id: str
    id: str
    buried: str
    arrangements: list[str] = field(default_factory=list)
    end_users: list[str] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    shared: bool = False

    def ids(self) -> dict[str, list[str]]:
        """Column → the ids in it that are the target's; none where it went earlier."""
        found = {"arrangement_id": self.arrangements, "end_user_id": self.end_users, COLUMN[self.kind]: [self.id]}
        return {column: [id_ for id_ in ids if id_] for column, ids in found.items()}


@dataclass(frozen=True, slots=True)
class _Thing:
    """Anything of a kind. words: what it may be called; the last is offered where nothing is called as was said."""

    household_id: str
    id: str
    words: tuple[str | None, ...]


def find(store: Store, kind: Kind, wanted: str, household_id: str | None = None) -> Target:
    """What is called so, within one household where it is given.

    Raises ChoiceRequiredError where nothing is, or more than one thing.
    """
    if kind == "household":
        found = named_household(store, store.rows("households"), wanted)
        return _target(store, kind, [_Thing(found["household_id"], found["household_id"], ())], wanted)
    things = _things(store, kind, household_id)
    called = _called(things, wanted)
    if len({(thing.household_id, thing.id) for thing in called}) != 1:
        raise _unclear(store, kind, wanted, called or things)
    return _target(store, kind, called, wanted)


def _called(things: list[_Thing], wanted: str) -> list[_Thing]:
    """Within one household an id goes before names: there may be no other way to say it."""
    called = [thing for thing in things if wanted in thing.words]
    by_id = [thing for thing in called if thing.id == wanted]
    return by_id if by_id and len({thing.household_id for thing in called}) == 1 else called


def find_buried(store: Store, target: Target) -> list[Target]:
    """The same in a copy of the database, whatever it is called there."""
    found: dict[tuple[str, str], list[_Thing]] = defaultdict(list)
    for thing in _things(store, target.kind, target.household_id or None):
        if target.buried in graves(target.kind, thing.id, thing.household_id):
            found[thing.household_id, thing.id].append(thing)
    return [_target(store, target.kind, things) for things in found.values()]


def arrangements_of_others(store: Store, household_id: str) -> set[str]:
    """Arrangements that other households have, of which some may be this one's, too."""
    return {thing.id for thing in _things(store, "consent") if thing.household_id != household_id}


def _target(store: Store, kind: Kind, things: list[_Thing], *names: str) -> Target:
    """things: what is told about it in several places."""
    household_id, id_ = things[0].household_id, things[0].id
    everywhere, here = graves(kind, id_, household_id)
    if kind == "household":
        arrangements = [thing.id for thing in _things(store, "consent", household_id)]
        people = [row["end_user_id"] for row in store.rows("end_users", household_id)]
        owners = {row["arrangement_id"]: row["end_user_id"] for row in known_consents(store, household_id)}
        words = {id_, *arrangements, *people, *names}
        return Target(kind, household_id, id_, everywhere, arrangements, people, owners, words)
    shared = any(thing.id == id_ and thing.household_id != household_id for thing in _things(store, kind))
    buried = here if shared else everywhere
    if kind == "consent":
        words = {word for thing in things for word in thing.words if word}
        return Target(kind, household_id, id_, buried, [id_], names={id_, *words, *names}, shared=shared)
    return Target(kind, household_id, id_, buried, names={id_, *names}, shared=shared)


def _unclear(store: Store, kind: Kind, wanted: str, things: list[_Thing]) -> ChoiceRequiredError:
    """things: those that are called so, or all where none is."""
    what = kind.replace("_", " ")
    if not _called(things, wanted):
        return ChoiceRequiredError(
            f"No single {what} is called {wanted!r}.", sorted({it.words[-1] or it.id for it in things})
        )
    homes = {thing.household_id for thing in things}
    if len(homes) > 1:
        names = sorted(row["name"] for row in store.rows("households") if row["household_id"] in homes)
        return ChoiceRequiredError(f"Several households have the {what} {wanted!r}: add --household.", names)
    return ChoiceRequiredError(f"Several {what}s are called {wanted!r}: say the id.", sorted({it.id for it in things}))


_TOLD_IN: dict[Kind, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "household": (("households", ("household_id", "name")),),
    "file": (("files", ("file_id", "name")),),
    "account": (
        ("accounts", ("account_id", "display_name", "nickname")),
        ("energy_accounts", ("account_id", "display_name")),
    ),
    "service_point": (("service_points", ("service_point_id", "national_metering_id")),),
}
"""Where each is told about, and the columns whose value may name it; the first identifies it."""


def _things(store: Store, kind: Kind, household_id: str | None = None) -> list[_Thing]:
    if kind == "consent":
        return _consents(store, household_id)
    return [
        _Thing(row["household_id"], row[columns[0]], tuple(row[column] for column in columns))
        for table, columns in _TOLD_IN[kind]
        for row in store.rows(table, household_id)
    ]


def _consents(store: Store, household_id: str | None) -> list[_Thing]:
    """Those of the store, those of its records, and those that could not be read, as far as they name themselves."""
    aside = store.rows("quarantine", household_id, where={"resource": CONSENTS})
    unread = [{**row, "consent_id": _consent_id(row["raw"])} for row in aside if row["arrangement_id"] is not None]
    return [
        _Thing(row["household_id"], row["arrangement_id"], (row["consent_id"], row["arrangement_id"]))
        for row in (*known_consents(store, household_id), *unread)
    ]


def _consent_id(raw: str) -> str | None:
    """What a record calls itself that could not be read, in either spelling."""
    with suppress(DecodeError, RecursionError):
        given: dict[str, Any] = wire_json.decode(raw)
        return next((given[name] for name in ("consent_id", "consentId") if isinstance(given.get(name), str)), None)
    return None
