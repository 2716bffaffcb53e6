"""Energy is neither made nor lost by a change; powers and sizes are kept."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from tests.analytics.energy.whatif.homes import FIRST, ZONE, homes, net, profile
from tests.many_cases import examples
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.solar import climate
from toolkit.analytics.energy.whatif import (
    Battery,
    Profile,
    more_panels,
    moved,
    profile_of,
    slot_prices,
    vehicle,
    with_battery,
)
from toolkit.tables.rows.plans import read_plan

efficiencies = st.integers(500, 1000).map(lambda thousandths: thousandths / 1000)


def rates_of(*bands: tuple[str, str, str]) -> object:
    windows = [
        {"rates": [{"unit_price": price}], "type": f"B{n}", "time_of_use": [{"start_time": start, "end_time": end}]}
        for n, (price, start, end) in enumerate(bands)
    ]
    given_plan = {"tariff_period": [{"time_of_use_rates": windows}], "time_zone": "AEST"}
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": given_plan}), "ELECTRICITY")


TIME_OF_USE = (("0.10", "0000", "0600"), ("0.25", "0600", "1500"), ("0.50", "1500", "2100"), ("0.25", "2100", "0000"))


@settings(max_examples=examples(40))
@given(
    homes, st.floats(0.5, 20), st.floats(0.5, 10), st.integers(500, 1000).map(lambda part: part / 1000), st.booleans()
)
def test_a_battery_never_makes_energy(home: Profile, kwh: float, kw: float, efficiency: float, by_price: bool):
    prices = slot_prices(home, rates_of(*TIME_OF_USE), ZONE) if by_price else None
    stored = with_battery(home, Battery(kwh, kw, efficiency), prices)
    after = stored.profile
    assert stored.charged == stored.given + stored.lost + stored.left
    assert net(after) == net(home) + stored.lost + stored.left
    assert min(stored.charged, stored.given, stored.lost, stored.left) >= 0
    assert (after.bought >= 0).all()
    assert (after.sold >= 0).all()
    limit = home.minutes * round(kw * 1e9) // 60
    assert (np.abs(after.bought - home.bought) + home.sold - after.sold <= limit).all()
    assert stored.left <= round(kwh * 1e9)
    # each round trip loses its share and no more than a rounding
    assert stored.lost == pytest.approx(stored.charged * (1 - efficiency), abs=len(home.bought) + 10, rel=1e-5)


@settings(max_examples=examples(40))
@given(homes, st.floats(0.1, 20), st.sampled_from([(0, 360), (600, 900), (1320, 360)]))
def test_a_vehicle_adds_exactly_its_energy(home: Profile, kwh: float, window: tuple[int, int]):
    when = Window(*window)
    charging = vehicle(home, kwh, 7.0, when)
    after = charging.profile
    at = home.minute
    chosen = (at >= when.start) & (at < when.end) if when.start < when.end else (at >= when.start) | (at < when.end)
    sessions = len(np.unique(home.day[chosen] - ((when.start > when.end) & (at[chosen] < when.end))))
    assert len(charging.day) == sessions
    assert net(after) - net(home) == charging.given.sum()
    assert (charging.given <= charging.wanted).all()
    assert charging.wanted.tolist() == [round(share * round(kwh * 1e9)) for share in charging.share]
    assert ((after.bought != home.bought) | (after.sold != home.sold))[~chosen].sum() == 0


@settings(max_examples=examples(40))
@given(homes, st.floats(0.01, 1.0))
def test_shifting_conserves_and_shedding_saves(home: Profile, share: float):
    evening, midday = Window(1020, 1260), Window(600, 840)
    shifted, shed = (moved(home, share, evening, to).profile for to in (midday, None))
    assert net(home) >= net(shed)
    away = home.bought - shed.bought
    assert (away >= 0).all()
    assert (shed.sold == home.sold).all()
    kept = int(away.sum()) if len(np.unique(home.day)) else 0
    # the first and last local day may lack the midday hours, and then keep their load
    assert net(home) - net(shifted) == 0
    assert 0 <= kept <= int(home.bought.sum())


def test_panels_serve_the_home_first_and_sell_the_rest():
    home = profile(3, 7)
    city = climate.city("NSW", "2000")
    assert city is not None
    after = more_panels(home, 5.0, city)
    made = net(home) - net(after)
    assert made > 0
    assert (after.bought <= home.bought).all()
    assert (after.sold >= home.sold).all()
    assert (((after.bought > 0) & (after.sold > home.sold)).sum()) == 0


def test_a_profile_is_exactly_its_reads():
    rows = meter_days(FIRST, 2, "0.123", minutes=5) + meter_days(FIRST, 2, "0.5", role="export", minutes=30)
    rows += meter_days(FIRST, 2, "1.5", role="controlled")
    rows[3] = (rows[3][0], 5, "general", None)
    reads = reads_frame(rows)
    home = profile_of(reads, ZONE)
    assert set(home.minutes.tolist()) == {30}
    assert int(home.sold.sum()) == 96 * 500_000_000
    assert home.known.all()  # five of the six reads of that half hour count, as in a bill
    again = profile_of(home.reads(), ZONE)
    assert int(again.bought.sum()) == int(home.bought.sum()) == 575 * 123_000_000
    assert home.reads().filter(pl.col("controlled_load"))["energy_nano"].sum() == 96 * 1_500_000_000


def test_battery_by_hand():
    """One day: 4 kWh of surplus at noon, 2 kWh an hour wanted from 18:00. 5 kWh at 2 kW, four fifths come back."""

    def at_noon(at: datetime) -> str:
        return "1" if 10 <= at.hour < 12 else "0"

    def evening(at: datetime) -> str:
        return "1" if 18 <= at.hour < 22 else "0"

    home = profile_of(
        reads_frame(meter_days(FIRST, 1, evening) + meter_days(FIRST, 1, at_noon, role="export")), "Etc/GMT-10"
    )
    stored = with_battery(home, Battery(5, 2, 0.8))
    assert (stored.charged, stored.given, stored.lost, stored.left) == (4 * 10**9, 32 * 10**8, 8 * 10**8, 0)
    assert int(stored.profile.sold.sum()) == 0
    assert stored.profile.bought.sum() == 8 * 10**9 - 32 * 10**8


def test_by_price_a_battery_waits_for_the_peak():
    """0.5 kWh each half hour, no sun: it fills before 06:00 and gives from 15:00 on, when the peak begins."""
    home = profile_of(reads_frame(meter_days(FIRST, 1, "0.5")), "Etc/GMT-10")
    prices = slot_prices(home, rates_of(*TIME_OF_USE), "Etc/GMT-10")
    after = with_battery(home, Battery(4, 4, 1.0), prices).profile
    gave = np.flatnonzero(after.bought < home.bought)
    took = np.flatnonzero(after.bought > home.bought)
    assert int((home.bought - after.bought)[gave].sum()) == int((after.bought - home.bought)[took].sum()) == 4 * 10**9
    assert took.max() < 12
    assert gave.min() >= 30
    assert gave.max() < 42


def test_flat_prices_buy_nothing_for_storing():
    home = profile_of(reads_frame(meter_days(FIRST, 1, "0.5")), "Etc/GMT-10")
    rates = compile_plan(read_plan({"plan_id": "P", "electricity_contract": flat("0.30")}), "ELECTRICITY")
    stored = with_battery(home, Battery(4, 4, 0.9), slot_prices(home, rates, "Etc/GMT-10"))
    assert stored.charged == 0


def test_utc_instants_stay():
    home = profile(1, 3)
    starts = home.reads().filter(pl.col("direction") == "import")["starts_at"]
    assert starts[0] == datetime(2024, 2, 29, 14, tzinfo=UTC)
    assert Decimal(int(home.bought.sum())) == home.reads().filter(pl.col("direction") == "import")["energy_nano"].sum()
