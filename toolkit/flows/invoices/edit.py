"""Bills kept by hand: `invoices list|add|edit|remove`. Each change is a decision that `undo` takes back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import Literal

import msgspec
from msgspec.structs import asdict, replace

from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import Invoice, InvoiceDraft, InvoiceEnergy, InvoiceLine, Invoices
from toolkit.errors import ChoiceRequiredError, UsageError, refusals_of
from toolkit.flows.household.context import Context, choose_household, household_for_files, open_home
from toolkit.flows.household.service_points import (
    DECISION,
    ServicePoint,
    also_of_service,
    fuel_named,
    only_others_have_meter,
    same_meter,
    service_points,
    typed_invoices,
)
from toolkit.flows.invoices.form import InvoiceForm, changed_row, new_id, new_row, with_version, wrong_fields
from toolkit.flows.money.overrides import record
from toolkit.flows.wording import Shown, refuse_changed
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, open_store
from toolkit.tables.schema.energy import BillingRow, InvoiceRow
from toolkit.tables.schema.identity import HouseholdRow, InstitutionRow
from toolkit.tables.schema.typed import TypedInvoiceRow

DoubtfulHome = Literal["bill_stored_elsewhere", "bill_meter_elsewhere", "bill_other_meter"]
"""Why a bill may be another household's: that has it, by its number; that has the meter; or this one has meters of the
fuel, and not this one."""


def list_invoices(ctx: Context) -> Invoices:
    """List the bills of the household: those of the service, and those typed, in order of their days."""
    with open_home(ctx) as (store, household):
        return _listed(store, household)


def stored_bill(ctx: Context, read: InvoiceDraft) -> Invoice | None:
    """Return the stored bill that was read again: of the same number, else of the same fuel, days and meter."""
    if not ctx.db.exists():
        return None
    with open_store(ctx.db) as store:
        if not store.count("households"):
            return None
        household = choose_household(store, ctx)
        points = service_points(store, household)
        stored = _listed(store, household).invoices
    return next((bill for bill in stored if is_same_bill(read, bill, points)), None)


def is_same_bill(read: InvoiceDraft, other: Invoice | InvoiceDraft, points: Sequence[ServicePoint] = ()) -> bool:
    """Return whether two are one bill; a number, meter or retailer that one of them lacks speaks against nothing.

    points: the home's meters, which a bill may name by their ids.
    """
    has_same_fuel = None in (read.fuel, other.fuel) or read.fuel == other.fuel
    if not has_same_fuel or not _is_same_meter(read.service_point_id, other.service_point_id, points):
        return False
    if read.invoice_number and other.invoice_number:
        return read.invoice_number == other.invoice_number
    return read.from_ is not None and (read.from_, read.to) == (other.from_, other.to)


def _is_same_meter(one: str | None, other: str | None, points: Sequence[ServicePoint]) -> bool:
    if one is None or other is None or same_meter(one, other):
        return True
    return any(point.is_called(one) and point.is_called(other) for point in points)


def add_invoice(ctx: Context, form: InvoiceForm) -> Invoices:
    """Keep a bill. It counts as an invoice everywhere: reconcile, bill, billing period, forecast, payments.

    Where nothing is stored yet, a household called "Home" is made.

    Raises UsageError where the form is not complete or wrong (see `new_row`), or its days overlap another bill of the
    same meter and fuel; ChoiceRequiredError where the home has several meters of the fuel and none is named.
    """
    blank = new_row(form, ctx.today)  # raises before a database is made
    with open_store(ctx.db) as store, store.transaction():
        household = choose_household(store, ctx) if ctx.household else household_for_files(store, None)
        home = household.household_id
        row = replace(blank, household_id=home)
        row = _with_meter(store, household, row, form.service_point or ctx.service_point)
        _check_overlap(store, household, row)
        doubt = _doubt_of(store, household, row.invoice_number or "", form.service_point or "", row.fuel)
        number = store.count("typed_invoices", home)
        kept = _decide(store, household, replace(row, id=new_id(row, number), entered_at=datetime.now(UTC)))
        return replace(kept, notes=(*kept.notes, Note(doubt))) if doubt else kept


def refused_by_store(ctx: Context, form: InvoiceForm, *, bill: str = "") -> list[UsageError]:
    """Return why the meter and the days of a form are refused beside what is stored: days that overlap another bill.

    bill: id of the bill that is changed, which its own days do not overlap. What `wrong_fields` refuses is left to it.
    """
    if form.fuel is None or not ctx.db.exists():
        return refusals_of(partial(_meter_called, form.service_point, ())) if form.service_point else []
    has_days = bool(form.from_ and form.to) and wrong_fields(form, ctx.today).keys().isdisjoint(("--from", "--to"))
    first, last = (form.from_, form.to) if has_days else (ctx.today, ctx.today)
    plain_form = InvoiceForm(fuel=form.fuel, from_=first, to=last, billed="0", source=form.source)
    with open_store(ctx.db) as store:
        if not store.count("households"):
            return []
        household = choose_household(store, ctx)
        row = replace(new_row(plain_form, ctx.today), household_id=household.household_id, id=bill)
        named = partial(_with_meter, store, household, row, form.service_point or ctx.service_point)
        wrong = refusals_of(named)
        if has_days and not wrong:
            wrong = refusals_of(lambda: _check_overlap(store, household, named()))
        elif has_days and len(service_points(store, household, fuel=row.fuel)) < 2:
            wrong += refusals_of(partial(_check_overlap, store, household, row))
    return wrong


def doubt_of(ctx: Context, *, number: str, meter: str, fuel: Fuel | None) -> DoubtfulHome | None:
    """Return why a bill may be another household's; None where nothing speaks for that.

    number: of the bill, meter: NMI or MIRN; empty where they are not known.
    """
    if not ctx.db.exists():
        return None
    with open_store(ctx.db) as store:
        if not store.count("households"):
            return None
        return _doubt_of(store, choose_household(store, ctx), number, meter, fuel)


def _doubt_of(store: Store, household: HouseholdRow, number: str, meter: str, fuel: str | None) -> DoubtfulHome | None:
    if _only_others_have_bill(store, household.household_id, number):
        return "bill_stored_elsewhere"
    wanted = _without_spaces(meter)
    points = service_points(store, household, fuel=fuel) if wanted else []
    if not wanted or any(point.is_called(wanted) for point in points):
        return None
    if only_others_have_meter(store, household.household_id, [wanted]):
        return "bill_meter_elsewhere"
    return "bill_other_meter" if points else None


def _only_others_have_bill(store: Store, household_id: str, number: str) -> bool:
    """Return whether another household has a bill of this number, and this one does not; removed ones do not count."""
    wanted = _without_spaces(number)
    if not wanted:
        return False
    typed = {home for home, text in store.tuples("typed_invoices", _NUMBERED) if _without_spaces(text or "") == wanted}
    homes = {home for home, text in store.tuples("invoices", _NUMBERED) if _without_spaces(text or "") == wanted}
    homes |= {
        home
        for home in typed
        if any(_without_spaces(bill.invoice_number or "") == wanted for bill in typed_invoices(store, home))
    }
    return bool(homes) and household_id not in homes


_NUMBERED = ("household_id", "invoice_number")


def _without_spaces(text: str) -> str:
    return "".join(text.split()).upper()


def edit_invoice(ctx: Context, bill: str, form: InvoiceForm, *, shown: Invoice | None = None) -> Invoices:
    """Change the fields of a kept bill that the form gives. Raises as `add_invoice`, and where no bill is called so.

    shown: the bill as the form showed it. Raises UsageError with what differs where it has changed since.
    """
    with open_home(ctx) as (store, household), store.transaction():
        stored = _called(store, household.household_id, bill)
        if shown is not None:
            _check_unchanged(shown, _typed(stored))
        row = changed_row(stored, form, ctx.today)
        wanted = form.service_point or ctx.service_point
        if wanted is not None or form.fuel is not None:
            row = _with_meter(store, household, row, wanted)
        _check_overlap(store, household, row)
        return _decide(store, household, row)


_FIELDS = {
    "fuel": "fuel",
    "from_": "first day",
    "to": "last day",
    "billed": "amount",
    "retailer": "retailer",
    "invoice_number": "number",
    "plan_name": "plan",
    "issue_date": "issue date",
    "due_date": "due date",
    "payments": "payments",
    "balance_brought_forward": "balance brought forward",
    "concession": "concession",
    "energy": "energy",
    "estimated": "estimated read",
    "paid": "paid",
    "service_point_id": "meter",
}


def _check_unchanged(shown: Invoice, now: Invoice) -> None:
    refuse_changed("bill", _fields(shown), _fields(now))


def _fields(bill: Invoice) -> dict[str, Shown]:
    fields: dict[str, Shown] = {words: getattr(bill, field) for field, words in _FIELDS.items()}
    energy = ", ".join(f"{each.register} {each.quantity:g} {each.unit}" for each in bill.energy)
    return fields | {"energy": energy}


def remove_invoice(ctx: Context, bill: str, *, shown: Invoice | None = None) -> Invoices:
    """Remove a kept bill; `undo` brings it back. Raises ChoiceRequiredError where no bill is called so.

    shown: as for `edit_invoice`.
    """
    with open_home(ctx) as (store, household), store.transaction():
        row = _called(store, household.household_id, bill)
        if shown is not None:
            _check_unchanged(shown, _typed(row))
        record(store, household.household_id, DECISION, row.id)
        return replace(_listed(store, household), changed=row.id)


def _decide(store: Store, household: HouseholdRow, row: TypedInvoiceRow) -> Invoices:
    """Store a version of a bill and put it in force."""
    store.upsert("typed_invoices", [asdict(row)])
    record(store, household.household_id, DECISION, row.id, row.version)
    return replace(_listed(store, household), changed=row.id)


def _called(store: Store, home: str, wanted: str) -> TypedInvoiceRow:
    """Return the kept bill with this id. Raises ChoiceRequiredError, UsageError for one of the service."""
    rows = typed_invoices(store, home)
    for row in rows:
        if row.id == wanted:
            return row
    if store.count("invoices", home, where={"id": wanted}):
        raise UsageError(f"{wanted} comes from the service and cannot be changed here. Add a bill of your own instead.")
    raise ChoiceRequiredError(f"No bill kept by hand is called {wanted!r}.", [row.id for row in rows])


def _with_meter(store: Store, household: HouseholdRow, row: TypedInvoiceRow, wanted: str | None) -> TypedInvoiceRow:
    """Return the bill with its meter: the one named, else none where the home has at most one of the fuel."""
    points = service_points(store, household, fuel=row.fuel)
    if wanted is None:
        if len(points) > 1 and row.service_point_id is None:
            raise ChoiceRequiredError(
                Message(f"This home has several {row.fuel.lower()} meters: ", Remedy.CHOOSE_METER, "."),
                [point.id for point in points],
            )
        return row
    return with_version(replace(row, service_point_id=_meter_called(wanted, points)))


def _meter_called(wanted: str, points: Sequence[ServicePoint]) -> str:
    """Return the id of a stored meter, or the number of another one. Raises ChoiceRequiredError for other text."""
    number = "".join(wanted.split()).upper()
    known = next((point.id for point in points if point.is_called(number) or point.is_called(wanted)), None)
    if known is None and not (number.isalnum() and len(number) in (10, 11)):
        raise ChoiceRequiredError(
            f"{wanted!r} is not a meter number (an NMI has 10 or 11 letters and digits, a MIRN has 10 or 11 digits).",
            [point.id for point in points],
            option="--service-point",
        )
    return known or number


def _check_overlap(store: Store, household: HouseholdRow, row: TypedInvoiceRow) -> None:
    """Raise UsageError where another bill of the same meter and fuel covers some of the days."""
    for other in _listed(store, household).invoices:
        same_meter = None in (other.service_point_id, row.service_point_id) or (
            other.service_point_id == row.service_point_id
        )
        if other.id == row.id or other.fuel != row.fuel or not same_meter or other.from_ is None or other.to is None:
            continue
        if other.from_ <= row.period_end and row.period_start <= other.to:
            days = f"The days {row.period_start} to {row.period_end} overlap the {row.fuel.lower()} bill of "
            named = Remedy.OTHER_BILL.with_(days=f"{other.from_} to {other.to}", bill=other.id)
            raise UsageError(
                Message(days, named, ". Check the dates, or change that bill first."),
                option="--from",
            )


def _listed(store: Store, household: HouseholdRow) -> Invoices:
    home = household.household_id
    of_service = store.load(InvoiceRow, home, where={"vanished_at": None})
    named = _Named(store, home, service_points(store, household)) if of_service else None
    typed = typed_invoices(store, home)
    listed = [*map(_typed, typed), *(named.invoice(row) for row in of_service if named)]
    given = also_of_service(store, home, typed)
    return Invoices(
        invoices=tuple(sorted(listed, key=lambda each: (each.from_ or date.min, each.fuel or "", each.id))),
        notes=tuple(
            Note("bill_also_from_retailer", first=bill.period_start, last=bill.period_end)
            for bill in typed
            if bill.id in given
        ),
    )


def _typed(row: TypedInvoiceRow) -> Invoice:
    entries = json.loads(row.energy or "[]")
    return Invoice(
        id=row.id,
        retailer=row.retailer,
        fuel=fuel_named(row.fuel),
        from_=row.period_start,
        to=row.period_end,
        billed=aud(row.billed_minor),
        issue_date=row.issue_date,
        due_date=row.due_date,
        payments=_aud(row.payments_minor),
        balance_brought_forward=_aud(row.balance_brought_forward_minor),
        concession=_aud(row.concession_minor),
        energy=tuple(InvoiceEnergy(entry["register"], float(entry["quantity"]), entry["unit"]) for entry in entries),
        source="pdf" if row.source == "pdf" else "typed",
        invoice_number=row.invoice_number,
        plan_name=row.plan_name,
        service_point_id=row.service_point_id,
        estimated=row.estimated,
        lines=msgspec.convert(json.loads(row.lines or "[]"), tuple[InvoiceLine, ...]),
        paid=row.paid,
    )


def _aud(minor: int | None) -> Decimal | None:
    return None if minor is None else aud(minor)


class _Named:
    """What invoices of the service refer to: retailers, service points and the lines of the account."""

    def __init__(self, store: Store, home: str, points: Sequence[ServicePoint]) -> None:
        self.retailers: Mapping[str, str | None] = {row.institution_id: row.name for row in store.load(InstitutionRow)}
        self.points = points
        self.lines: dict[tuple[str, str | None], list[BillingRow]] = defaultdict(list)
        for row in store.load(BillingRow, home, where={"vanished_at": None}):
            self.lines[row.account_id, row.invoice_number].append(row)

    def invoice(self, row: InvoiceRow) -> Invoice:
        """Return an invoice of the service in the form of a typed one; what the service does not give is null."""
        names = json.loads(row.service_points or "[]")
        lines = self.lines[row.account_id, row.invoice_number] if row.invoice_number else []
        return Invoice(
            id=row.id,
            retailer=self.retailers.get(row.institution_id or ""),
            fuel=self._fuel(row, names),
            from_=row.period_start,
            to=row.period_end,
            billed=_aud(row.invoice_amount_minor),
            issue_date=row.issue_date,
            due_date=row.due_date,
            payments=None,
            balance_brought_forward=None,
            concession=None,
            energy=_energy_of(lines),
            source="service",
            invoice_number=row.invoice_number,
            plan_name=None,
            service_point_id=names[0] if len(names) == 1 else None,
            estimated=any(line.is_estimate for line in lines) if lines else None,
            paid=None if row.payment_status is None else row.payment_status == "PAID",
        )

    def _fuel(self, row: InvoiceRow, names: Sequence[str]) -> Fuel | None:
        """Return the fuel of its meters, else of its summary; None where that shows none or both."""
        metered = {point.fuel for point in self.points if any(point.is_called(name) for name in names)}
        detail = json.loads(row.detail or "{}") or {}
        shown = metered or {fuel.upper() for fuel in ("electricity", "gas") if detail.get(fuel)}
        return fuel_named(shown.pop()) if len(shown) == 1 else None


def _energy_of(lines: Iterable[BillingRow]) -> tuple[InvoiceEnergy, ...]:
    """Return the sums of the lines' energy by register."""
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for line in lines:
        if line.usage is not None and (line.transaction_u_type or "").lower() == "usage":
            unit = (line.measure_unit or "KWH").upper()
            sums[(line.time_of_use_type or "general").lower(), "kWh" if unit == "KWH" else unit] += abs(line.usage)
    return tuple(InvoiceEnergy(register, round(total, 6), unit) for (register, unit), total in sums.items())
