"""Invoices as a retailer writes them, and the payments for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tests.flows.energy.homes import NMI
from tests.meters import level
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.store import open_store
from toolkit.tables.rows.plans import account_plan_row, plan_row, read_account_plan

# 24 kWh in and 4.8 kWh out a day; July has 31 days: 744 kWh and 148.8 kWh.
# supply 31 × 0.90 × 1.1 = 30.69; usage 744 × 0.30 × 1.1 = 245.52; feed-in 148.8 × 0.05 = 7.44
SUPPLY, USAGE, CREDIT = Decimal("30.69"), Decimal("245.52"), Decimal("-7.44")

JULY = SUPPLY + USAGE + CREDIT


def contract(price: str = "0.30", **more: object) -> dict[str, object]:
    single = {"display_name": "Anytime", "rates": [{"unit_price": price}]}
    feed_in = {"display_name": "Solar", "single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    period = {"daily_supply_charge": "0.90", "single_rate": single}
    return {"tariff_period": [period], "solar_feed_in_tariff": [feed_in], **more}


def on_plan(
    ctx: Context,
    terms: Mapping[str, object],
    first: str = "2024-01-01",
    last: str | None = None,
    *,
    name: str = "Mine",
    nmi: str = NMI,
) -> None:
    overview = {"display_name": name, "start_date": first, "end_date": last}
    given = {"service_point_ids": [nmi], "plan_overview": overview, "plan_detail": {"electricity_contract": terms}}
    entry = read_account_plan("acc" if nmi == NMI else f"acc-{nmi}", given)
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert("plans", [plan_row(entry.plan, household_id=home, source="service", sequence=0)])
        store.upsert("account_plans", [account_plan_row(entry, household_id=home)])


def written(ctx: Context, table: str, *rows: Mapping[str, object]) -> None:
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert(table, [{"household_id": home, **row} for row in rows])


def read(ctx: Context, nmi: str, first: date, days: int, kwh: str, suffix: str = "E1") -> None:
    """Import a file with `kwh` in every half hour of that many days."""
    meter = ctx.db.parent / f"{nmi}-{suffix}-{first}.csv"
    meter.write_text(level(nmi, first, days, kwh, suffix))
    load(ctx, [meter])


def checked(ctx: Context, amount: Decimal | str, *lines: Mapping[str, Any], **more: object) -> dict[str, Any]:
    written(ctx, "invoices", stated(amount, **more))
    written(ctx, "billing", *(stated_line(n, line) for n, line in enumerate(lines)))
    return reconcile(ctx).invoices[-1]


def stated(amount: Decimal | str, **more: object) -> dict[str, object]:
    gst = (Decimal(amount) / 11).quantize(Decimal("0.01"))
    return {
        "id": "inv",
        "account_id": "acc",
        "institution_id": "retailer",
        "invoice_number": "INV-7",
        "issue_date": "2024-08-04",
        "due_date": "2024-08-21",
        "period_start": "2024-07-01",
        "period_end": "2024-07-31",
        "invoice_amount": str(amount),
        "invoice_amount_minor": int(Decimal(amount) * 100),
        "gst_amount_minor": int(gst * 100),
        "service_points": json.dumps([NMI]),
        **more,
    }


def stated_line(number: int, line: Mapping[str, Any]) -> dict[str, object]:
    amount = Decimal(line["amount"])
    kind = line.get("transaction_u_type", "usage")
    more = {**line, "transaction_u_type": kind, "amount": str(amount), "amount_minor": int(amount * 100)}
    return {"id": f"line-{number}", "account_id": "acc", "invoice_number": "INV-7", "service_point_id": NMI, **more}


def supply(amount: object = SUPPLY) -> dict[str, object]:
    return {"transaction_u_type": "otherCharges", "description": "Daily charge", "amount": amount}


def usage(amount: object = USAGE, kwh: float = 744, **more: object) -> dict[str, object]:
    return {"description": "Anytime", "amount": amount, "usage": kwh, "measure_unit": "KWH", **more}


def solar(amount: object = CREDIT) -> dict[str, object]:
    return {"time_of_use_type": "SOLAR", "description": "Solar", "amount": amount, "usage": 148.8}


def payment(number: int, amount: str, day: str, words: str) -> dict[str, object]:
    return {
        "id": f"tx-{number}",
        "source": "service",
        "account_id": "bank",
        "status": "POSTED",
        "amount": amount,
        "amount_minor": int(Decimal(amount) * 100),
        "currency": "AUD",
        "posting_date_time": f"{day}T00:00:00Z",
        "description": words,
    }


def bpay(number: int, cents: int, day: str, words: str = "BPAY WOMBAT 123") -> dict[str, object]:
    return payment(number, f"-{Decimal(cents) / 100}", day, words)
