"""Leaving gas keeps heat: MJ × efficiency = kWh × 3.6 × COP; what is left and what leaves is all of the gas."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from tests.analytics.energy.whatif.homes import ZONE
from tests.many_cases import examples
from toolkit.analytics.energy.bills import Options, Period
from toolkit.analytics.energy.rates import Window, compile_plan
from toolkit.analytics.energy.whatif import GasHome, OffGas, profile_of
from toolkit.analytics.energy.whatif.off_gas import base_of, electrified
from toolkit.tables.rows.plans import read_plan

FIRST = date(2026, 6, 1)
RATES = compile_plan(read_plan({"plan_id": "G", "gas_contract": flat("0.03")}), "GAS")


def gas(days: list[int]) -> GasHome:
    rows = [row for n, mj in enumerate(days) for row in meter_days(FIRST + timedelta(n), 1, f"{mj / 24}", minutes=60)]
    period = Period(FIRST, FIRST + timedelta(len(days) - 1))
    return GasHome(reads_frame(rows, unit="MJ"), RATES, Options(), [period], ZONE)


@settings(max_examples=examples(25))
@given(
    st.lists(st.integers(0, 300), min_size=2, max_size=6),
    st.floats(0.3, 1.0),
    st.floats(1.0, 6.0),
    st.booleans(),
    st.booleans(),
)
def test_heat_is_kept_and_no_gas_is_lost(
    mj: list[int], efficiency: float, cop: float, water: bool, rooms: bool
) -> None:
    home = gas(mj)
    profile = profile_of(reads_frame(meter_days(FIRST - timedelta(1), len(mj) + 2, "0.25")), ZONE)
    leaving = OffGas(water, rooms, efficiency, cop, efficiency, cop)
    done = electrified(profile, home, leaving, Window(600, 900), Window(960, 1320))
    moved = (
        home.daily.select(pl.lit(0.0) + (pl.col("hot_water") if water else 0.0) + (pl.col("heating") if rooms else 0.0))
        .to_series()
        .sum()
    )
    assert done.kwh * 3.6 * cop == pytest.approx(moved * efficiency, abs=1e-3)
    assert done.unread == 0
    assert (done.profile.bought >= profile.bought).all()
    left = home.left(leaving)["energy_nano"].sum() / 1e9
    assert left + moved == pytest.approx(float(home.daily["mj"].sum()), abs=1e-3)


def test_the_base_is_that_of_summer_days() -> None:
    days = pl.DataFrame({"date": [date(2026, 1, 1) + timedelta(n) for n in range(212)]}).with_columns(
        mj=pl.when(pl.col("date").dt.month() <= 2).then(20.0).otherwise(100.0)
    )
    assert base_of(days) == 20.0
    assert base_of(days.filter(pl.col("date").dt.month() > 2)) == 100.0
    assert base_of(days.clear()) == 0.0
    assert Decimal(str(base_of(days.head(20)))) == 20
