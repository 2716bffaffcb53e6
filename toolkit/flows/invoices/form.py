"""What a person types of a bill, checked field by field."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial

from msgspec.structs import asdict, replace

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import InvoiceLine
from toolkit.errors import UsageError, refusals_of
from toolkit.flows.household.service_points import fuel_named
from toolkit.flows.money.spending import typed_cents
from toolkit.flows.typed_days import check_day
from toolkit.remedies import Message, field_of
from toolkit.tables.schema.typed import TypedInvoiceRow

LONGEST = timedelta(400)
"""No bill covers more than a year and a month; a longer one has a slip in its dates."""
_MOST_ENERGY = Decimal(10_000_000)
_MOST_CENTS = 100_000_000
"""A bill of more than a million dollars has a slip in its amount."""
_MOST_LETTERS = 200
_UNITS: dict[Fuel, str] = {"ELECTRICITY": "kWh", "GAS": "MJ"}
_QUANTITY = re.compile(r"(?P<number>[0-9][0-9,]*(\.[0-9]{1,9})?|\.[0-9]{1,9})\s*(?P<unit>[A-Za-z]*)")
_CREDIT = re.compile(r"(?P<amount>.*\d)\s*(CR|-)", re.IGNORECASE)
_OWED = re.compile(r"(?<=\d)\s*DR", re.IGNORECASE)
_MINUS = str.maketrans("−–", "--")


@dataclass(frozen=True, slots=True)
class InvoiceForm:
    """The fields of a bill as typed; None is not given, an empty text or tuple takes an optional field away."""

    fuel: Fuel | None = None
    from_: date | None = None
    to: date | None = None
    """Last day, inclusive."""
    billed: Decimal | str | None = None
    """New charges of the period in AUD with GST; negative, or with CR behind it, for a credit."""
    retailer: str | None = None
    number: str | None = None
    plan_name: str | None = None
    issue_date: date | None = None
    due_date: date | None = None
    payments: Decimal | str | None = None
    balance_brought_forward: Decimal | str | None = None
    concession: Decimal | str | None = None
    energy: Sequence[str] | None = None
    """`REGISTER=QUANTITY` each, for example `peak=120.5`; a quantity alone is general use."""
    estimated: bool | None = None
    paid: bool | None = None
    """Whether the person says that it is paid."""
    service_point: str | None = None
    """NMI or MIRN."""
    lines: Sequence[InvoiceLine] | None = None
    """The lines of charges that were read of a PDF."""
    source: str = "typed"


def new_row(form: InvoiceForm, today: date) -> TypedInvoiceRow:
    """Return a bill from a complete form, without household and id.

    Raises UsageError where fuel, days or amount are missing, and as `changed_row`.
    """
    wanted = (("--fuel", form.fuel), ("--from", form.from_), ("--to", form.to), ("--billed", form.billed))
    missing = [option for option, value in wanted if value in (None, "")]
    if missing or form.fuel is None or form.from_ is None or form.to is None:
        listed = [part for option in missing for part in (", ", field_of(option))][1:]
        text = Message("A bill needs its fuel, first day, last day and amount: add ", *listed, ".")
        raise UsageError(text, option=missing[0])
    blank = TypedInvoiceRow(
        household_id="",
        id="",
        version="",
        source=form.source,
        retailer=None,
        fuel=form.fuel,
        service_point_id=None,
        invoice_number=None,
        plan_name=None,
        period_start=form.from_,
        period_end=form.to,
        issue_date=None,
        due_date=None,
        billed_minor=0,
        payments_minor=None,
        balance_brought_forward_minor=None,
        concession_minor=None,
        energy=None,
        estimated=None,
    )
    return changed_row(blank, form, today)


def changed_row(row: TypedInvoiceRow, form: InvoiceForm, today: date) -> TypedInvoiceRow:
    """Return the bill with the fields that the form gives, under the version of its new content.

    Raises UsageError for dates out of order, too far apart or in the future, for amounts that are not whole cents, and
    for energy that is not a quantity in the fuel's unit.
    """
    amounts = {
        "billed_minor": _cents("--billed", form.billed or None),
        "payments_minor": _positive(_cents("--payments", form.payments)),
        "balance_brought_forward_minor": _cents("--balance", form.balance_brought_forward),
        "concession_minor": _positive(_cents("--concession", form.concession)),
    }
    texts = {
        "retailer": _text("--retailer", form.retailer),
        "invoice_number": _text("--number", form.number),
        "plan_name": _text("--plan-name", form.plan_name),
    }
    facts = {
        "fuel": form.fuel,
        "period_start": form.from_,
        "period_end": form.to,
        "issue_date": form.issue_date,
        "due_date": form.due_date,
        "estimated": form.estimated,
        "paid": form.paid,
    }
    given = {name: value for name, value in {**amounts, **texts, **facts}.items() if value is not None}
    cleared = {name for name, value in {**amounts, **texts}.items() if value == ""}
    changed = replace(row, **given | dict.fromkeys(cleared))
    if form.energy is not None or form.fuel is not None:
        entries = (
            form.energy
            if form.energy is not None
            else [f"{entry['register']}={entry['quantity']}" for entry in json.loads(row.energy or "[]")]
        )
        changed = replace(changed, energy=_energy(entries, fuel_named(changed.fuel)))
    if form.lines is not None:
        changed = replace(changed, lines=json.dumps([_line(line) for line in form.lines]) if form.lines else None)
    _check_days(changed.period_start, changed.period_end, today)
    check_day(changed.issue_date, "--issued")
    check_day(changed.due_date, "--due")
    return with_version(changed)


def wrong_fields(form: InvoiceForm, today: date) -> dict[str, UsageError]:
    """Return why fields of a new bill are refused, by option, energy by `energy REGISTER`; empty ones are not."""
    checks: dict[str, Callable[[], object]] = {
        "--billed": partial(_cents, "--billed", form.billed or None),
        "--payments": partial(_cents, "--payments", form.payments),
        "--balance": partial(_cents, "--balance", form.balance_brought_forward),
        "--concession": partial(_cents, "--concession", form.concession),
        "--retailer": partial(_text, "--retailer", form.retailer),
        "--number": partial(_text, "--number", form.number),
        "--plan-name": partial(_text, "--plan-name", form.plan_name),
        "--issued": partial(check_day, form.issue_date, "--issued"),
        "--due": partial(check_day, form.due_date, "--due"),
    }
    for entry in form.energy or ():
        checks[f"energy {entry.rpartition('=')[0]}"] = partial(_energy, [entry], form.fuel or "ELECTRICITY")
    if form.from_ is not None and form.to is not None:
        checks["--to"] = partial(_check_days, form.from_, form.to, today)
    refused = [(field, error) for field, check in checks.items() for error in refusals_of(check)]
    return {error.option if field == "--to" else field: error for field, error in refused}


def _line(line: InvoiceLine) -> dict[str, str | None]:
    """Return a line as the table holds it, numbers as text."""
    numbers = {name: getattr(line, name) for name in ("quantity", "unit_price", "amount")}
    written = {name: None if value is None else f"{value:f}" for name, value in numbers.items()}
    return {"component": line.component, "name": line.name, "unit": line.unit, **written}


_NO_CONTENT = ("household_id", "id", "version", "entered_at")


def with_version(row: TypedInvoiceRow) -> TypedInvoiceRow:
    """Return the row under the version of its content."""
    content = {name: str(value) for name, value in asdict(row).items() if name not in _NO_CONTENT}
    for later in ("lines", "paid"):  # the versions of bills stored by earlier releases stay the same
        if getattr(row, later) is None:
            del content[later]
    return replace(row, version=_digest(content)[:16])


def new_id(row: TypedInvoiceRow, number: int) -> str:
    """Return the id of a new bill, the household's `number`-th; that of another household's equal bill differs."""
    return f"bill-{_digest([row.household_id, row.version, number])[:8]}"


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _cents(option: str, given: Decimal | str | None) -> int | str | None:
    """Return cents; None where nothing is given, an empty text where the amount is taken away."""
    text = "" if given is None else _OWED.sub("", str(given).strip().translate(_MINUS))
    if not text:
        return None if given is None else ""
    credit = _CREDIT.fullmatch(text)
    cents = -abs(typed_cents(option, credit["amount"])) if credit else typed_cents(option, text)
    if abs(cents) > _MOST_CENTS:
        too_much = f": {given} is more than any household's bill. Check the amount."
        raise UsageError(Message(field_of(option), too_much), option=option)
    return cents


def _positive(cents: int | str | None) -> int | str | None:
    """Return a payment or concession as a positive amount: bills print them with either sign."""
    return abs(cents) if isinstance(cents, int) else cents


def _text(option: str, given: str | None) -> str | None:
    text = None if given is None else " ".join(given.split())
    if text is not None and len(text) > _MOST_LETTERS:
        raise UsageError(
            Message(field_of(option), f": the text is longer than {_MOST_LETTERS} letters. Shorten it."), option=option
        )
    return text


def _energy(entries: Sequence[str], fuel: Fuel) -> str | None:
    """Return the registers as the table holds them. Raises UsageError."""
    registers: dict[str, dict[str, str]] = {}
    for entry in entries:
        name, _, quantity = entry.rpartition("=")
        register = " ".join(name.split()).lower() or "general"
        if register in registers:
            twice = f": {register!r} is given twice. Give each register of the bill once."
            raise UsageError(Message(field_of("--energy"), twice), option="--energy")
        registers[register] = {"register": register, "quantity": _quantity(quantity, fuel), "unit": _UNITS[fuel]}
    return json.dumps(list(registers.values())) if registers else None


def _quantity(written: str, fuel: Fuel) -> str:
    unit = _UNITS[fuel]
    if not written.strip():
        raise UsageError(
            Message(field_of("--energy"), f": type the energy in {unit}, such as 120.5."), option="--energy"
        )
    match = _QUANTITY.fullmatch(written.strip())
    number = Decimal(match["number"].replace(",", "")) if match else None
    if match is None or number is None or number > _MOST_ENERGY or match["unit"].lower() not in ("", unit.lower()):
        wrong = f": {written.strip()!r} is not an amount of energy. Write it in {unit}, such as 120.5."
        raise UsageError(Message(field_of("--energy"), wrong), option="--energy")
    return f"{number:f}"


def _check_days(first: date, last: date, today: date) -> None:
    check_day(first, "--from")
    check_day(last, "--to")
    if last < first:
        raise UsageError(
            f"The last day {last} is before the first day {first}. Check the dates on the bill.", option="--to"
        )
    if last - first >= LONGEST:
        raise UsageError(f"{first} to {last} is longer than any bill. Check the year of both dates.", option="--to")
    if first > today:
        raise UsageError(f"The bill begins on {first}, after today ({today}). Check the year.", option="--from")
