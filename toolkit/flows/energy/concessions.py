"""Concessions that a home holds, typed from a bill or chosen from the packaged list. What they credit: `bill`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import partial
from hashlib import sha256
from typing import get_args

from msgspec.structs import asdict

from toolkit.answers.households import Household, PackagedConcession, PackagedConcessions
from toolkit.errors import ChoiceRequiredError, UsageError, refusals_of
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.entered import upsert_typed
from toolkit.flows.household.listed import home_concession
from toolkit.flows.money.spending import typed_cents
from toolkit.flows.typed_days import check_day
from toolkit.flows.wording import concession_terms, refuse_changed
from toolkit.remedies import Message, field_of
from toolkit.store import Store
from toolkit.tables.reference import places
from toolkit.tables.reference.concessions import ListedConcession, Shape, concessions_read, listed_concessions
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema.typed import TypedConcessionRow

OPTION = "--concession"
_FORM = "NAME: 285 a year, NAME: 17.5% above 171.60 a year, or NAME: 5% of usage"
_MOST_LETTERS = 100
_YEARLY = re.compile(r"\$?(?P<amount>[\d,.]+) a year", re.IGNORECASE)
_ABOVE = re.compile(r"(?P<percent>[\d.]+) ?% above \$?(?P<amount>[\d,.]+)(?: a year)?", re.IGNORECASE)
_OF_USAGE = re.compile(r"(?P<percent>[\d.]+) ?% of usage", re.IGNORECASE)
_FIGURES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("yearly", _YEARLY),
    ("percent_above", _ABOVE),
    ("percent_of_usage", _OF_USAGE),
)


@dataclass(frozen=True, slots=True)
class TypedConcession:
    """What a form asks for. amount: AUD a year. percent: such as 17.5. first, last: inclusive, None where open."""

    name: str
    shape: Shape
    amount: Decimal | str | None = None
    percent: Decimal | str | float | None = None
    fuel: Fuel = "ELECTRICITY"
    first: date | None = None
    last: date | None = None
    listed_id: str | None = None


def packaged_concessions(ctx: Context, state: str | None = None) -> PackagedConcessions:
    """List the packaged concessions of a state or territory, or all (`household concessions`), as of `ctx.today`.

    Raises UsageError for a state that has none.
    """
    wanted = state.upper() if state else None
    listed = listed_concessions(wanted)
    if not listed:
        states = sorted({each.state for each in listed_concessions()})
        raise UsageError(f"No concession of {state!r} is in the packaged list (it has {', '.join(states)}).")
    return PackagedConcessions(concessions=tuple(_answered(each, ctx.today) for each in listed))


def concessions_here(ctx: Context) -> PackagedConcessions:
    """List the packaged concessions of the home's state or territory; all of them where it is not known."""
    with open_home(ctx) as (_, household):
        state = household.state or places.state(household.postcode)
    return packaged_concessions(ctx, state if listed_concessions(state) else None)


def _answered(listed: ListedConcession, today: date) -> PackagedConcession:
    facts = asdict(listed)
    first, last = facts.pop("first"), facts.pop("last")
    lapsed = last is not None and last < today
    return PackagedConcession(**facts, from_=first, to=last, read=concessions_read(), lapsed=lapsed)


def add_concession(ctx: Context, typed: TypedConcession, *, shown: Household | None = None) -> None:
    """Keep a concession of the home; one of the same fuel, name and first day is replaced.

    shown: the home with its concessions, as the page showed it. Raises UsageError where a figure is missing or not
    valid, or the one that would be replaced is not as shown.
    """
    with open_home(ctx) as (store, household), store.transaction():
        row = _checked(household.household_id, typed)
        if shown is not None:
            _refuse_replaced(store, row, shown)
        upsert_typed(store, "typed_concessions", asdict(row))


def _refuse_replaced(store: Store, row: TypedConcessionRow, shown: Household) -> None:
    """Raise UsageError where a concession would be replaced that the page did not show, or showed otherwise."""
    stored = store.load(TypedConcessionRow, row.household_id, where={"id": row.id})
    now = {each.name: concession_terms(home_concession(each)) for each in stored}
    before = {each.name: concession_terms(each) for each in shown.concessions if each.id == row.id}
    refuse_changed("concession", before, now, repeat="Add it again")


def remove_concession(ctx: Context, concession_id: str) -> None:
    """Delete a kept concession by its id; one that is not there is no error."""
    with open_home(ctx) as (store, household), store.transaction():
        store.delete("typed_concessions", {"household_id": household.household_id, "id": concession_id})


def set_concessions(store: Store, home: str, texts: Sequence[str]) -> None:
    """Keep concessions as `household set --concession` writes them.

    `NAME: 285 a year`, `NAME: 17.5% above 171.60 a year`, `NAME: 5% of usage`, each with `, gas`, `, from DATE`, `, to
    DATE` behind it where needed; or the id of a packaged one. `NAME:` alone deletes those of that name, an empty text
    all. Raises UsageError for another text.
    """
    for text in texts:
        name, colon, figures = (part.strip() for part in text.partition(":"))
        if not text.strip():
            store.delete("typed_concessions", {"household_id": home})
        elif colon and not figures:
            store.delete("typed_concessions", {"household_id": home, "name": " ".join(name.split())})
        elif colon:
            upsert_typed(store, "typed_concessions", asdict(_checked(home, _read_text(name, figures))))
        else:
            upsert_typed(store, "typed_concessions", asdict(_checked(home, concession_listed(name))))


def concession_listed(concession_id: str) -> TypedConcession:
    """Return a packaged concession as a form would give it. Raises ChoiceRequiredError for another id."""
    listed = next((each for each in listed_concessions() if each.id == concession_id.casefold()), None)
    if listed is None:
        known = [each.id for each in listed_concessions()]
        raise ChoiceRequiredError(
            Message(
                field_of(OPTION), f": {concession_id!r} is not in the packaged list. Write {_FORM}, or choose one."
            ),
            known,
        )
    about = (listed.name, listed.shape, listed.amount, listed.percent, listed.fuel, listed.first, listed.last)
    return TypedConcession(*about, listed.id)


def _read_text(name: str, text: str) -> TypedConcession:
    figures, *more = (part.strip() for part in text.split(", "))
    dates: dict[str, date | None] = {"from": None, "to": None}
    fuel: Fuel = "ELECTRICITY"
    for part in more:
        word, _, value = part.casefold().partition(" ")
        if part.casefold() in ("gas", "electricity"):
            fuel = "GAS" if part.casefold() == "gas" else "ELECTRICITY"
        elif word in dates and value:
            dates[word] = _day(value)
        else:
            raise UsageError(Message(field_of(OPTION), f": {part!r} is not gas, from DATE or to DATE."))
    for shape, form in _FIGURES:
        if match := form.fullmatch(figures):
            found = match.groupdict()
            amount, percent = found.get("amount"), found.get("percent")
            return TypedConcession(name, shape, amount, percent, fuel, dates["from"], dates["to"])
    raise UsageError(Message(field_of(OPTION), f": {figures!r} is not read. Write {_FORM}."))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a valid date (YYYY-MM-DD).") from error


def wrong_fields(typed: TypedConcession) -> list[UsageError]:
    """Return why a typed concession cannot be kept, one reason for each field that is wrong; their option names it."""
    called = " ".join(typed.name.split()) or "The concession"
    checks: list[Callable[[], object]] = [partial(_name_of, typed)]
    if typed.shape != "yearly":
        checks.append(partial(_percent, called, typed.percent))
    if typed.shape != "percent_of_usage":
        checks.append(partial(_yearly_cents, called, typed))
    checks.append(partial(_check_days, called, typed))
    return refusals_of(*checks)


def _name_of(typed: TypedConcession) -> str:
    name = " ".join(typed.name.split())
    if not name or len(name) > _MOST_LETTERS or ":" in name:
        raise UsageError(
            f"A concession needs a name of at most {_MOST_LETTERS} letters, without a colon.", option="name"
        )
    return name


def _checked(home: str, typed: TypedConcession) -> TypedConcessionRow:
    name = _name_of(typed)
    if typed.shape not in get_args(Shape) or typed.fuel not in get_args(Fuel):
        raise UsageError(f"{typed.shape!r} is not a kind of concession ({', '.join(get_args(Shape))}).")
    _check_days(name, typed)
    written = f"{typed.fuel}\n{name}\n{typed.first or ''}"
    return TypedConcessionRow(
        household_id=home,
        id="concession_" + sha256(written.encode()).hexdigest()[:12],
        name=name,
        fuel=typed.fuel,
        shape=typed.shape,
        amount_minor=None if typed.shape == "percent_of_usage" else _yearly_cents(name, typed),
        percent=None if typed.shape == "yearly" else _percent(name, typed.percent),
        first_day=typed.first,
        last_day=typed.last,
        listed_id=typed.listed_id,
    )


def _check_days(name: str, typed: TypedConcession) -> None:
    check_day(typed.first, "first")
    check_day(typed.last, "last")
    if typed.first and typed.last and typed.last < typed.first:
        raise UsageError(f"{name}: its last day, {typed.last}, is before its first, {typed.first}.", option="last")


def _yearly_cents(name: str, typed: TypedConcession) -> int:
    cents = 0 if typed.amount in (None, "") else typed_cents(OPTION, typed.amount or 0)
    if cents < 0 or (typed.shape == "yearly" and cents == 0):
        raise UsageError(f"{name}: enter its amount a year as on the bill, for example 285.", option=OPTION)
    return cents


def _percent(name: str, given: Decimal | str | float | None) -> str:
    try:
        percent = Decimal(str(given))
    except InvalidOperation:
        percent = Decimal(0)
    if not (percent.is_finite() and 0 < percent <= 100):
        raise UsageError(
            f"{name}: enter its percentage as on the bill, above 0 and at most 100, for example 17.5.", option="percent"
        )
    return f"{percent.normalize():f}"
