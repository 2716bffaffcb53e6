"""Energy accounts with their plans, invoices, billing lines and concessions as rows."""

from __future__ import annotations

from msgspec import json as wire_json

from toolkit.errors import PricingError
from toolkit.problems import Problem
from toolkit.tables.rows.banking import common_columns, named_by_service
from toolkit.tables.rows.plans import account_plan_row, plan_row, read_account_plan
from toolkit.tables.rows.values import RecordRow, Scope, UnreadableValueError, canonical, day, money, own_id, real
from toolkit.wire.decoding.lenient import with_surrogates_replaced
from toolkit.wire.records.energy import BillingTransaction, Concession, Invoice
from toolkit.wire.records.energy_plans import EnergyAccount


def account(record: EnergyAccount, scope: Scope, raw: str) -> RecordRow:
    """Return the row of an energy account, without its plans (see `plans_of`)."""
    return {
        **common_columns(record, scope, raw, record.account_id),
        "account_id": record.account_id,
        "account_number": record.account_number,
        "display_name": record.display_name,
        "open_status": record.open_status,
        "creation_date": day("creation_date", record.creation_date),
    }


def plans_of(record: EnergyAccount, scope: Scope, raw: str) -> tuple[list[RecordRow], list[RecordRow], list[Problem]]:
    """Return rows of `account_plans` and `plans`, with unknown fields as the record gives them; and problems.

    Lone surrogates in it are replaced: see `wire.decoding.lenient`. Raises UnreadableValueError for an impossible
    first or last day.
    """
    account_plans: list[RecordRow] = []
    plans: list[RecordRow] = []
    problems: list[Problem] = []
    for given in wire_json.decode(with_surrogates_replaced(raw.encode())).get("plans") or []:
        try:
            entry = read_account_plan(record.account_id, given)
        except PricingError as error:
            problems.append(Problem(record.platform_id or record.account_id, str(error), "warning"))
            continue
        home, arrangement = scope.household_id, record.arrangement_id
        link: RecordRow = account_plan_row(entry, household_id=home, arrangement_id=arrangement)
        account_plans.append({**link, **{name: day(name, link[name]) for name in ("start_date", "end_date")}})
        plans.append(
            plan_row(
                entry.plan,
                source="service",
                sequence=int(scope.seen_at.timestamp()),
                household_id=home,
                arrangement_id=arrangement,
            )
        )
    return account_plans, plans, problems


def invoice(record: Invoice, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `invoices`; its parts as given are in column `detail`."""
    period = record.period
    parts = {name: getattr(record, name) for name in _INVOICE_PARTS}
    detail = {name: wire_json.decode(wire_json.encode(value)) for name, value in parts.items() if value}
    return {
        **common_columns(record, scope, raw, own_id(record.account_id, record.invoice_number)),
        "account_id": record.account_id,
        "invoice_number": record.invoice_number,
        "issue_date": day("issue_date", record.issue_date),
        "due_date": day("due_date", record.due_date),
        "period_start": day("period.start_date", period.start_date if period else None),
        "period_end": day("period.end_date", period.end_date if period else None),
        **money("invoice_amount", record.invoice_amount),
        **money("gst_amount", record.gst_amount),
        **money("balance_at_issue", record.balance_at_issue),
        "payment_status": record.payment_status,
        "service_points": canonical(record.service_points),
        "detail": canonical(detail or None),
    }


def billing(record: BillingTransaction, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `billing`: the filled variant's fields, amounts with the sign as given.

    Raises UnreadableValueError where no variant is filled.
    """
    variants = (record.usage, record.demand, record.once_off, record.other_charges, record.payment)
    line = next((variant for variant in variants if variant is not None), None)
    if line is None:
        raise UnreadableValueError("none of usage, demand, once_off, other_charges and payment is filled")
    fields = {name: getattr(line, name, None) for name in _LINE_FIELDS}
    return {
        **named_by_service(record, scope, raw, f"the {record.transaction_u_type or 'billing'} line"),
        "account_id": record.account_id,
        "transaction_u_type": record.transaction_u_type,
        "execution_date_time": record.execution_date_time,
        **fields,
        **money("amount", line.amount),
        **money("gst", record.gst),
        "usage": real("usage", getattr(line, "usage", None)),
        "rate": real("rate", getattr(line, "rate", None)),
    }


_INVOICE_PARTS = ("electricity", "gas", "account_charges", "pay_on_time_discount")
_LINE_FIELDS = (
    "invoice_number",
    "service_point_id",
    "start_date",
    "end_date",
    "description",
    "measure_unit",
    "time_of_use_type",
    "is_estimate",
    "method",
)


def concession(record: Concession, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `concessions`. It has no id of its own: an account may have several of one name."""
    name = f"the concession {record.display_name or 'without a name'}"
    return {
        **named_by_service(record, scope, raw, name),
        "account_id": record.account_id,
        "display_name": record.display_name,
        "type": record.type,
        **money("amount", record.amount),
        "percentage": record.percentage,
        "discount_frequency": record.discount_frequency,
        "applied_to": canonical(record.applied_to),
        "start_date": day("start_date", record.start_date),
        "end_date": day("end_date", record.end_date),
        "additional_info": record.additional_info,
    }
