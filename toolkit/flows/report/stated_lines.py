"""Lines that the person states for the report: `as-told list|add|remove`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Literal, get_args

import msgspec
from msgspec.structs import asdict

from toolkit.answers.report.income_expenses import AsTold, AsToldLine, ExpenseSection, StatedKind, StatedPer
from toolkit.errors import ChoiceRequiredError, UsageError, refusals_of
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.entered import upsert_typed
from toolkit.flows.money.spending import typed_cents
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.schema.typed import AsToldRow

_MOST_LETTERS = 100
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class StatedLine:
    """What a form or `as-told add` asks for. Amounts in AUD as typed; None where nothing was typed."""

    kind: StatedKind
    name: str
    amount: Decimal | str | None = None
    per: StatedPer | None = None
    balance: Decimal | str | None = None
    arrears: Decimal | str | None = None
    section: ExpenseSection | None = None


def list_stated_lines(ctx: Context) -> AsTold:
    """List the lines that the person stated, by kind and name."""
    with open_home(ctx) as (store, household):
        return stated_lines_of(store, household.household_id)


def add_stated_line(ctx: Context, line: StatedLine) -> AsTold:
    """Keep a line; one of the same kind and name is replaced. Raises UsageError where a figure is missing or odd."""
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        row = _checked(home, line)
        known = {each.id for each in store.load(AsToldRow, home)}
        if len(known | {row.id}) > _MOST_LINES:
            raise UsageError(f"At most {_MOST_LINES} lines are kept. Remove one first.")
        upsert_typed(store, "as_told", asdict(row))
        return stated_lines_of(store, home)


def remove_stated_line(ctx: Context, line_id: str) -> AsTold:
    """Delete a line by its id, or by its name where only one has it. Raises ChoiceRequiredError for another text."""
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        rows = store.load(AsToldRow, home)
        wanted = line_id.strip().casefold()
        matching = [row.id for row in rows if wanted in (row.id, row.name.casefold())]
        if len(matching) != 1:
            listed = [f"{row.id} ({row.name})" for row in rows]
            named = f"{line_id!r} names {len(matching)} lines."
            raise ChoiceRequiredError(Message(named, Remedy.STATED_LINES), listed)
        store.delete("as_told", {"household_id": home, "id": matching[0]})
        return stated_lines_of(store, home)


def stated_lines_of(store: Store, household_id: str) -> AsTold:
    """Return the kept lines of a household."""
    order = {kind: place for place, kind in enumerate(get_args(StatedKind))}
    rows = sorted(store.load(AsToldRow, household_id), key=lambda row: (order[row.kind], row.name.casefold(), row.id))
    return AsTold(
        lines=tuple(
            msgspec.convert(
                {
                    **{name: getattr(row, name) for name in ("id", "kind", "name", "per", "section")},
                    "amount": _dollars(row.amount_minor),
                    "balance": _dollars(row.balance_minor),
                    "arrears": _dollars(row.arrears_minor),
                },
                AsToldLine,
            )
            for row in rows
        )
    )


def _dollars(cents: int | None) -> Decimal | None:
    return None if cents is None else amount(cents)


def wrong_fields(line: StatedLine) -> list[UsageError]:
    """Return why a line cannot be kept, one reason for each field that is wrong; their option names it."""
    called = " ".join(line.name.split()) or "The line"
    wrong = refusals_of(partial(_name_of, line), *(partial(_cents_of, called, line, what) for what in _AMOUNTS))
    if all(error.option == "Name" for error in wrong):  # what is missing is said where the amounts can be read
        wrong += refusals_of(partial(_checked, "", replace(line, name=called)))
    return wrong


_AMOUNTS: tuple[Literal["amount", "balance", "arrears"], ...] = ("amount", "balance", "arrears")


def _cents_of(name: str, line: StatedLine, what: Literal["amount", "balance", "arrears"]) -> int | None:
    """Return an amount of a line in cents. Raises UsageError for one that is not an amount, or below zero."""
    given = getattr(line, what)
    cents = None if given in (None, "") else typed_cents(what.capitalize(), given)
    if cents is not None and cents < 0:
        wanted = "enter amounts without a minus; the kind of line states which way money goes"
        raise UsageError(f"{name}: {wanted}.", option=what.capitalize())
    return cents


def _name_of(line: StatedLine) -> str:
    name = " ".join(line.name.split())
    if not name or len(name) > _MOST_LETTERS:
        raise UsageError(f"A line needs a name of at most {_MOST_LETTERS} letters.", option="Name")
    return name


def _checked(home: str, line: StatedLine) -> AsToldRow:
    name = _name_of(line)
    if line.kind not in get_args(StatedKind) or (line.per and line.per not in get_args(StatedPer)):
        raise UsageError(f"{line.kind!r} each {line.per!r} is not a line that can be kept.")
    cents = {what: _cents_of(name, line, what) for what in _AMOUNTS}
    owing = cents["balance"] is not None or cents["arrears"] is not None
    if owing and line.kind != "debt":
        raise UsageError(f"{name}: only a debt has a balance or arrears.")
    if line.kind == "people" and (cents["amount"] is not None or line.per):
        raise UsageError(
            f"{name}: people in the home have no amount. Keep what they pay or cost as lines of their own."
        )
    if line.kind in ("income", "expense") and cents["amount"] is None:
        raise UsageError(f"{name}: enter its amount.", option="Amount")
    if line.kind == "debt" and cents["amount"] is None and not owing:
        raise UsageError(f"{name}: enter its repayment, its balance or its arrears.", option="Amount")
    if (cents["amount"] is None) != (line.per is None):
        raise UsageError(
            Message(f"{name}: an amount needs how often it comes", Remedy.HOW_OFTEN, ", and only an amount does.")
        )
    if line.section and line.kind != "expense":
        raise UsageError(f"{name}: only an expense has a section of the report.")
    return AsToldRow(
        household_id=home,
        id="line_" + sha256(f"{line.kind}\n{name.casefold()}".encode()).hexdigest()[:12],
        kind=line.kind,
        name=name,
        section=line.section,
        amount_minor=cents["amount"],
        per=line.per,
        balance_minor=cents["balance"],
        arrears_minor=cents["arrears"],
    )
