"""Small invented frames and plans, the same on every machine, to try the functions with before one has data."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice
from typing import Literal, get_args

import polars as pl

from toolkit.errors import UsageError
from toolkit.sandbox.register.market import RETAILERS, Market
from toolkit.sandbox.world.households import World
from toolkit.sandbox.world.people import FAMILY, Person, seeded_people
from toolkit.sandbox.world.power.meters import LAG_DAYS, registers_of
from toolkit.tables.rows.plans import Plan, read_plan
from toolkit.tables.transaction_days import DATE_TIMES

SampleName = Literal["meter", "homes", "bank"]
SEED = 1
FIRST, LAST = date(2025, 7, 1), date(2026, 6, 30)
"""Days of the samples: one financial year."""
_COLUMNS = {"E1": "import_kwh", "E2": "controlled_load_kwh", "B1": "export_kwh"}


def sample(name: SampleName, *, homes: int = 5) -> pl.DataFrame:
    """Return an invented frame of the year from 1 July 2025 to 30 June 2026, shaped as people have their data.

    Args:
        name: `meter` is half-hours of one solar home in Marrickville, NSW: `time` (start, meter time: AEST without a
            zone) and energy in kWh. `homes` is the same of several homes, with their name in `home`; those without a
            register have null in its column. `bank` is `date`, `account`, `amount` (AUD, money out negative) and
            `description` of the accounts of the family in the first home. Three days of each meter were never read:
            their values are null.
        homes: How many homes `homes` has.

    Returns:
        The frame, the same on every machine.

    Raises:
        UsageError: The name is another.

    Examples:
        >>> meter = toolkit.sample("meter")
        >>> meter.head(2)
        shape: (2, 4)
        ┌─────────────────────┬────────────┬─────────────────────┬────────────┐
        │ time                ┆ import_kwh ┆ controlled_load_kwh ┆ export_kwh │
        │ ---                 ┆ ---        ┆ ---                 ┆ ---        │
        │ datetime[μs]        ┆ f64        ┆ f64                 ┆ f64        │
        ╞═════════════════════╪════════════╪═════════════════════╪════════════╡
        │ 2025-07-01 00:00:00 ┆ 0.155      ┆ 0.0                 ┆ 0.0        │
        │ 2025-07-01 00:30:00 ┆ 0.181      ┆ 0.0                 ┆ 0.0        │
        └─────────────────────┴────────────┴─────────────────────┴────────────┘
        >>> meter.height == 365 * 48, meter["import_kwh"].null_count() == 3 * 48
        (True, True)
        >>> toolkit.sample("homes", homes=3)["home"].unique(maintain_order=True).to_list()
        ['renter', 'family', 'solar-battery']
        >>> toolkit.sample("bank").columns
        ['date', 'account', 'amount', 'description']
    """
    if name == "meter":
        return _meter(FAMILY).drop("home")
    if name == "homes":
        return pl.concat([_meter(person) for person in seeded_people(SEED, homes)], how="diagonal")
    if name == "bank":
        return _bank()
    raise UsageError(f"{name!r} is not a sample (choose from {', '.join(get_args(SampleName))}).")


def sample_plans(count: int = 60) -> list[Plan]:
    """Return invented electricity plans for homes on the samples' network (Ausgrid), of all kinds of tariffs.

    Args:
        count: How many, at most 60.

    Returns:
        The plans, the same on every machine.

    Examples:
        >>> [(plan.plan_id, plan.name, plan.plan_type) for plan in toolkit.sample_plans(2)]
        [('LYR100000SRE1@EME', 'Lyrebird Saver', 'STANDING'), ('LYR100425MRE1@EME', 'Lyrebird Evening', 'MARKET')]
    """
    market = Market(SEED, LAST)
    of_retailers = (market.retailer_plans(retailer.slug) for retailer in RETAILERS)
    here = (
        plan
        for offered in of_retailers
        if offered is not None
        for plan in offered.plans.values()
        if plan["fuelType"] == "ELECTRICITY"
        and plan["customerType"] == "RESIDENTIAL"
        and "Ausgrid" in plan["geography"]["distributors"]
    )
    return [read_plan(plan) for plan in islice(here, count)]


def _meter(person: Person) -> pl.DataFrame:
    """Return half-hourly reads in kWh; the five minutes of newer meters are summed up."""
    span = FIRST, LAST + timedelta(days=LAG_DAYS)
    columns: dict[str, list[float | None]] = {}
    for register in registers_of(person, SEED, span, LAST):
        half_hours: list[float | None] = []
        for stretch in register.stretches:
            sums = stretch.wh.reshape(len(stretch.wh), 48, -1).sum(axis=2)
            for nth, day in enumerate(sums.tolist()):
                known = stretch.day(nth) not in register.missing
                half_hours += [wh / 1000 for wh in day] if known else [None] * 48
        columns[_COLUMNS[register.suffix]] = half_hours
    midnight = pl.Series([FIRST]).cast(pl.Datetime("us"))[0]
    count = len(columns["import_kwh"])
    times = [midnight + timedelta(minutes=30 * nth) for nth in range(count)]
    return pl.DataFrame({"home": [person.persona] * count, "time": times, **columns})


def _bank() -> pl.DataFrame:
    world = World(SEED, LAST, households=FAMILY.index + 1, years=1)
    names = {account["account_id"]: account["display_name"] for account in world.records(FAMILY, "banking.accounts")}
    rows = [
        (
            date.fromisoformat(next(row[name] for name in DATE_TIMES if row.get(name))[:10]),
            names[row["account_id"]],
            float(row["amount"]),
            row["description"],
        )
        for row in world.records(FAMILY, "banking.transactions")
        if row["status"] == "POSTED"
    ]
    schema = {"date": pl.Date, "account": pl.String, "amount": pl.Float64, "description": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("date") >= FIRST).sort("date", "account")
