"""Reads and plans written out by rule, so that the next bill can be told by hand."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from tests.truth.homes import daily_reads
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.tables.rows.plans import read_plan

Reads = Callable[..., pl.DataFrame]
Plan = Callable[..., Rates]


def flat_plan(price: str = "0.30", supply: str = "1.00", **more: object) -> Rates:
    """One rate all year on AEST, before GST."""
    period = {"daily_supply_charge": supply, "single_rate": {"rates": [{"unit_price": price}]}}
    fuel = str(more.pop("fuel", "electricity"))
    contract = {"time_zone": "AEST", "tariff_period": [period], **more}
    return compile_plan(
        read_plan({"plan_id": "P", f"{fuel}_contract": contract}), "GAS" if fuel == "gas" else "ELECTRICITY"
    )


@pytest.fixture(scope="session")
def reads_of() -> Reads:
    return daily_reads


@pytest.fixture(scope="session")
def flat() -> Plan:
    return flat_plan
