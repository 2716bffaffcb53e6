"""Payments that are known beforehand, read from what banks give: scheduled payments and loan instalments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from toolkit.tables.cadences import Cadence, of_duration

_FREQUENCIES = {"WEEKLY": "P1W", "FORTNIGHTLY": "P2W", "MONTHLY": "P1M", "QUARTERLY": "P3M"}


@dataclass(frozen=True, slots=True)
class Planned:
    """A payment out of `account_id` (None: unknown). amount_minor: cents, negative; None where it is not fixed.

    cadence: None for a single payment. until: last possible day. remaining: payments left. to_account: the account it
    goes to, where the bank says so. source: `scheduled_payment` or `loan`.
    """

    name: str
    account_id: str | None
    amount_minor: int | None
    cadence: Cadence | None
    next: date
    source: str
    until: date | None = None
    remaining: int | None = None
    to_account: str | None = None


def scheduled_payment(row: Mapping[str, Any]) -> Planned | None:
    """A row of table `scheduled_payments`; None where it is not active or its next day is unknown."""
    recurrence, payments = _object(row["recurrence"]), _list(row["payment_set"])
    once = _object(recurrence.get("once_off"))
    rule = _object(recurrence.get("interval_schedule")) or _object(recurrence.get("last_week_day"))
    due = row["next_payment_date"] or _day(recurrence.get("next_payment_date")) or _day(once.get("payment_date"))
    if row["vanished_at"] is not None or row["status"] not in (None, "ACTIVE") or due is None:
        return None
    return Planned(
        name=_payment_name(row, payments),
        account_id=row["account_id"],
        amount_minor=_total(payments),
        cadence=None if once else _cadence(rule),
        next=due,
        source="scheduled_payment",
        until=_day(rule.get("final_payment_date")),
        remaining=rule.get("payments_remaining"),
        to_account=_destination(payments).get("account_id"),
    )


def loan_instalment(row: Mapping[str, Any]) -> Planned | None:
    """The next instalment of a row of table `accounts`; None where it is no loan or says none."""
    loan = _object(_object(row["raw"]).get("loan"))
    due, amount = _day(loan.get("next_instalment_date")), _cents(loan.get("min_instalment_amount"))
    if due is None or amount is None:
        return None
    frequency = str(loan.get("repayment_frequency") or "")
    cadence = of_duration(_FREQUENCIES.get(frequency.upper(), frequency))
    return Planned(_account_name(row), None, -abs(amount), cadence, due, "loan", until=_day(loan.get("loan_end_date")))


def _payment_name(row: Mapping[str, Any], payments: list[Any]) -> str:
    to = _destination(payments)
    biller, domestic = _object(to.get("biller")), _object(_object(to.get("domestic")).get("account"))
    names = (row["nickname"], to.get("nickname"), biller.get("biller_name"), domestic.get("account_name"))
    return next((str(name) for name in (*names, row["payer_reference"]) if name), "Scheduled payment")


def _destination(payments: list[Any]) -> dict[str, Any]:
    return _object(payments[0].get("to")) if payments and isinstance(payments[0], dict) else {}


def _account_name(row: Mapping[str, Any]) -> str:
    return next((str(row[name]) for name in ("nickname", "display_name", "product_name") if row[name]), "Loan")


def _cadence(rule: Mapping[str, Any]) -> Cadence | None:
    intervals = _list(rule.get("intervals"))
    interval = intervals[0].get("interval") if intervals and isinstance(intervals[0], dict) else rule.get("interval")
    return of_duration(interval if isinstance(interval, str) else None)


def _total(payments: list[Any]) -> int | None:
    """All parts of a payment, as money out; None where one is calculated at the time or cannot be read."""
    amounts = [_cents(part.get("amount")) if isinstance(part, dict) else None for part in payments]
    known = [amount for amount in amounts if amount is not None]
    return -sum(abs(amount) for amount in known) if known and len(known) == len(amounts) else None


def _object(value: Any) -> dict[str, Any]:
    found = _parsed(value)
    return found if isinstance(found, dict) else {}


def _list(value: Any) -> list[Any]:
    found = _parsed(value)
    return found if isinstance(found, list) else []


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _cents(value: Any) -> int | None:
    try:
        return int((Decimal(str(value)) * 100).to_integral_value())
    except (InvalidOperation, ValueError):
        return None
