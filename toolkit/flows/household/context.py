"""What every question is asked in: which database, which day, which household, which service point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from toolkit.errors import ChoiceRequiredError, NothingStoredError
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.tables.schema.identity import EndUserRow, HouseholdRow
from toolkit.tables.words import not_one

Progress = Callable[[str], None]


def quiet(_message: str) -> None:
    """Progress that nobody listens to."""


@dataclass(frozen=True, slots=True)
class Context:
    """db: the database. today: the day that "next" and "so far" are counted from; no analysis uses another.

    household: id, name, end user id or email, as given. service_point: id, as given.
    new_household: create a household of that name even if another one has a similar name.
    """

    db: Path
    today: date
    household: str | None = None
    service_point: str | None = None
    new_household: bool = False


@contextmanager
def open_home(ctx: Context) -> Iterator[tuple[Store, HouseholdRow]]:
    """Open the store and load the row of the household in question.

    Raises StoreError where nothing is stored yet, ChoiceRequiredError where several households are and none was named.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        yield store, choose_household(store, ctx)


def nothing_stored(db: Path) -> Message:
    """Return a message on how to begin. Raises StoreError where data was stored, and the database is missing."""
    is_stored(db)
    return Message(f"{db}: nothing is stored yet. ", Remedy.BEGIN, ".")


def choose_household(store: Store, ctx: Context) -> HouseholdRow:
    """Return the household named by `ctx`, or the only one. Raises StoreError or ChoiceRequiredError."""
    households = store.load(HouseholdRow)
    if not households:
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    if ctx.household is not None:
        return named_household(store, households, ctx.household)
    if len(households) > 1:
        raise ChoiceRequiredError(
            Message("Several households are stored: ", Remedy.CHOOSE_HOUSEHOLD, "."), _names(households)
        )
    return households[0]


def named_household(store: Store, households: list[HouseholdRow], wanted: str) -> HouseholdRow:
    """Return the household with this id or name, or with this end user (id or email).

    Raises ChoiceRequiredError unless exactly one matches.
    """
    owners = {user.household_id for user in store.load(EndUserRow) if wanted in (user.end_user_id, user.email)}
    matches = [home for home in households if wanted in (home.household_id, home.name) or home.household_id in owners]
    if len(matches) == 1:
        return matches[0]
    raise ChoiceRequiredError(not_one("household", wanted, len(matches)), _names(households))


def _names(households: list[HouseholdRow]) -> list[str]:
    return sorted(household.name for household in households)
