"""A home with a meter, and plans to price it on."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

from tests.meters import level
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.store import open_store
from toolkit.tables.rows.plans import account_plan_row, plan_row, read_account_plan

TODAY = date(2024, 8, 20)

NMI = "4103000001"
OF_NO_NETWORK = "NZZZ000001"
"""A meter whose number does not say which network it is on."""


def flat_plan(plan_id: str, cents: str, **more: object) -> dict[str, object]:
    rate = {"rates": [{"unitPrice": cents}], "displayName": "Anytime"}
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "90", "singleRate": rate}
    contract = {"timeZone": "AEST", "tariffPeriod": [period]}
    return {"planId": plan_id, "fuelType": "ELECTRICITY", "electricityContract": contract, **more}


def metered(folder: Path, nmi: str = NMI) -> Context:
    """A new home with meter data from 15 May to 10 August 2024, 12 kWh a day, evenly; no plan and no sun."""
    ctx = Context(folder / "home.db", TODAY)
    (folder / "meter.csv").write_text(level(nmi, date(2024, 5, 15), 88))
    load(ctx, [folder / "meter.csv"])
    return ctx


def import_plans(ctx: Context, folder: Path, *plans: dict[str, object]) -> None:
    path = folder / "plans.ndjson"
    path.write_text("".join(json.dumps(plan) + "\n" for plan in plans))
    load(ctx, [path])


def on(
    ctx: Context,
    cents: int,
    first: str | None,
    last: str | None = None,
    *,
    seen: str = "2024-01-01",
    current: bool = True,
    account: str = "acc",
    contract: dict[str, object] | None = None,
    **more: object,
) -> None:
    """The account is on a plan whose energy costs that many cents, and feed-in a tenth of it; no daily charge."""
    contract = contract or {
        "tariff_period": [{"single_rate": {"rates": [{"unit_price": f"{cents / 100:.2f}"}]}}],
        "solar_feed_in_tariff": [{"single_tariff": {"rates": [{"unit_price": f"{cents / 1000:.3f}"}]}}],
    }
    overview = {"display_name": "Mine", "start_date": first, "end_date": last}
    given = {"service_point_ids": [NMI], "plan_overview": overview, "plan_detail": {"electricity_contract": contract}}
    entry = read_account_plan(account, {**given, **more})
    arrived = int(datetime.fromisoformat(seen).replace(tzinfo=UTC).timestamp())
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert("plans", [plan_row(entry.plan, household_id=home, source="service", sequence=arrived)])
        store.upsert("account_plans", [account_plan_row(entry, household_id=home, is_current=current)])
