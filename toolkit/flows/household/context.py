"""What every question is asked in: which database, which day, which household, which service point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from toolkit.errors import ChoiceRequiredError, StoreError
from toolkit.store import Store, open_store
from toolkit.store.integrity import is_stored

Progress = Callable[[str], None]


def quiet(_message: str) -> None:
    """Progress that nobody listens to."""


@dataclass(frozen=True, slots=True)
class Context:
    """db: the database. today: the day that "next" and "so far" are counted from; the only clock of the centre.

    household: id, name, end user id or email, as given. service_point: id, as given.
    new_household: create a household of that name even if another one has a similar name.
    """

    db: Path
    today: date
    household: str | None = None
    service_point: str | None = None
    new_household: bool = False


@contextmanager
def open_home(ctx: Context) -> Iterator[tuple[Store, dict[str, Any]]]:
    """The store and the row of the household in question.

    Raises StoreError where nothing is stored yet, ChoiceRequiredError where several households are and none was named.
    """
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        yield store, choose_household(store, ctx)


def nothing_stored(db: Path) -> str:
    """What to do first. Raises StoreError where something was stored, and the database is missing."""
    is_stored(db)
    return (
        f"{db}: nothing is stored yet. Import files (`toolkit import FILE…`), connect (`toolkit connect`, "
        "`toolkit sync`), or look around with `toolkit demo`."
    )


def choose_household(store: Store, ctx: Context) -> dict[str, Any]:
    """The household named by `ctx`, or the only one. Raises StoreError or ChoiceRequiredError."""
    households = store.rows("households")
    if not households:
        raise StoreError(nothing_stored(ctx.db))
    if ctx.household is not None:
        return named_household(store, households, ctx.household)
    if len(households) > 1:
        raise ChoiceRequiredError("Several households are stored: add --household.", _names(households))
    return households[0]


def named_household(store: Store, households: list[dict[str, Any]], wanted: str) -> dict[str, Any]:
    """Return the household with this id or name, or with this end user (id or email).

    Raises ChoiceRequiredError unless exactly one matches.
    """
    people = [p for p in store.rows("end_users") if wanted in (p["end_user_id"], p["email"])]
    owners = {person["household_id"] for person in people}
    matches = [h for h in households if wanted in (h["household_id"], h["name"]) or h["household_id"] in owners]
    if len(matches) == 1:
        return matches[0]
    raise ChoiceRequiredError(f"No single household is called {wanted!r}.", _names(households))


def _names(households: list[dict[str, Any]]) -> list[str]:
    return sorted(str(household["name"]) for household in households)
