"""A battery on a plan with demand charges: the lowest peak it can hold, by hand and as laws."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import Row, flat, meter_days, reads_frame
from tests.many_cases import examples
from toolkit.analytics.energy.bills import Bill, Period, price
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.whatif import Battery, Profile, Stored, peaks_of, profile_of, slot_prices, with_battery
from toolkit.tables.rows.plans import read_plan

ZONE = "Etc/GMT-10"
FIRST = date(2024, 6, 10)
KW = 10**9
A_WATT = 1_000_000


def demand(start: str = "1500", end: str = "2100", **more: object) -> dict[str, object]:
    return {"amount": "0.50", "measure_unit": "KW", "start_time": start, "end_time": end, **more}


def rates_of(*charges: dict[str, object], cheap: tuple[str, str] | None = None) -> Rates:
    """30 c a kWh, but for 5 c in the hours `cheap`."""
    contract = flat("0.30")
    period = contract["tariff_period"][0]
    period["demand_charges"] = list(charges)
    if cheap:
        hours = ((*cheap, "0.05"), (cheap[1], cheap[0], "0.30"))
        bands = [{"rates": [{"unit_price": price}], "time_of_use": [window(a, b)]} for a, b, price in hours]
        period |= {"single_rate": None, "time_of_use_rates": bands}
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": contract}), "ELECTRICITY")


def window(start: str, end: str) -> dict[str, object]:
    return {"start_time": start, "end_time": end}


def shaved(rows: list[Row], rates: Rates, battery: Battery, *months: Period) -> tuple[Profile, Stored]:
    home = profile_of(reads_frame(rows), ZONE)
    peaks = peaks_of(home, rates, ZONE, months)
    return home, with_battery(home, battery, slot_prices(home, rates, ZONE), peaks)


def at(half_hours: dict[str, str], otherwise: str = "0.5") -> object:
    return lambda moment: half_hours.get(f"{moment:%H:%M}", otherwise)


def days(count: int, first: date = FIRST) -> Period:
    return Period(first, date.fromordinal(first.toordinal() + count - 1))


@pytest.mark.parametrize(
    ("peaks", "battery", "held"),
    [
        # 1 kW all day and 4 kW in one half hour: 1 kWh takes 2 kW off it
        ({"18:00": "2"}, Battery(1, 4, 1.0), 2.0),
        # no more than its power takes off
        ({"18:00": "2"}, Battery(5, 0.5, 1.0), 3.5),
        # two half hours share what it holds: 2 × 0.5 h × 1 kW
        ({"18:00": "2", "18:30": "2"}, Battery(1, 4, 1.0), 3.0),
        # three hours apart it is filled again, below the limit: 2.5 h × 1 kW in, enough for another kWh
        ({"16:00": "2", "19:00": "2"}, Battery(1, 4, 1.0), 2.0),
        # a half hour apart, (x − 1) / 2 kWh flow in between: 2 × (4 − x) / 2 = 1 + (x − 1) / 2
        ({"18:00": "2", "19:00": "2"}, Battery(1, 4, 1.0), 7 / 3),
        # a flat kilowatt: 3 kWh stored before last for the six hours
        ({}, Battery(3, 4, 1.0), 0.5),
    ],
)
def test_the_lowest_limit_by_hand(peaks: dict[str, str], battery: Battery, held: float):
    rates = rates_of(demand())
    home, stored = shaved(meter_days(FIRST, 3, at(peaks)), rates, battery, days(3))
    (limit,) = stored.limits
    assert limit / KW == pytest.approx(held, abs=0.002)
    inside = (home.minute >= 900) & (home.minute < 1260)
    assert (stored.profile.bought * 2)[inside].max() == pytest.approx(limit, abs=A_WATT)


def test_the_losses_are_paid_before_the_window_opens():
    """4/5 come back: 1 kWh out needs 1.25 kWh in, before 15:00, where buying is free of demand."""
    home, stored = shaved(meter_days(FIRST, 1, at({"18:00": "2"})), rates_of(demand()), Battery(1, 4, 0.8), days(1))
    assert stored.limits[0] / KW == pytest.approx(2.0, abs=0.002)
    more = stored.profile.bought - home.bought
    assert more[more > 0].sum() == pytest.approx(1.25e9, abs=2e6)


def test_each_month_has_a_limit_of_its_own():
    def load(moment: datetime) -> str:
        return {("06", "18:00"): "2", ("07", "18:00"): "3"}.get((f"{moment:%m}", f"{moment:%H:%M}"), "0.5")

    both = days(4, date(2024, 6, 29))
    _, stored = shaved(meter_days(date(2024, 6, 29), 4, load), rates_of(demand()), Battery(1, 4, 1.0), both)
    # the latest first: 6 − 2 kW in July, 4 − 2 in June
    assert [limit / KW for limit in stored.limits] == pytest.approx([4.0, 2.0], abs=0.002)


def test_below_the_least_that_is_charged_nothing_is_spent():
    rates = rates_of(demand(min_demand="3"))
    _, stored = shaved(meter_days(FIRST, 1, at({"18:00": "2"})), rates, Battery(5, 5, 1.0), days(1))
    assert stored.limits == (3 * KW,)


def test_five_minute_spikes_count_by_their_half_hour():
    """5 minutes of 12 kW are 2 kW of the half hour, over 0.5 kW else: (1 + 0.208) kWh; 0.4 kWh take 0.8 kW off."""

    def load(moment: datetime) -> str:
        return "1" if (moment.hour, moment.minute) == (18, 10) else "0.041666667"

    home, stored = shaved(meter_days(FIRST, 1, load, minutes=5), rates_of(demand()), Battery(0.4, 6, 1.0), days(1))
    before = 2 * (1 + 5 * 0.041666667)
    assert stored.limits[0] / KW == pytest.approx(before - 0.8, abs=0.002)
    assert stored.given <= home.bought.sum()


@settings(max_examples=examples(40))
@given(st.lists(st.integers(0, 3000), min_size=12, max_size=12), st.integers(100, 8000))
def test_no_lower_limit_can_be_held(loads: list[int], size: int):
    """Full at 15:00, without losses and with any power, T is held exactly where no run of half hours asks for more than
    the battery holds above T: T is the greatest of (energy of a run − size) ÷ its length. loads, size: Wh."""

    def load(moment: datetime) -> str:
        place = moment.hour * 2 + moment.minute // 30 - 30
        return f"{loads[place] / 1000:.3f}" if 0 <= place < 12 else "0.1"

    runs = [(sum(loads[i:j]), j - i) for i in range(12) for j in range(i + 1, 13)]
    lowest = max(0.0, *(2 * (energy - size) / length for energy, length in runs)) / 1000
    battery = Battery(size / 1000, 50, 1.0)
    _, stored = shaved(meter_days(FIRST, 1, load), rates_of(demand()), battery, days(1))
    assert stored.limits[0] / KW == pytest.approx(lowest, abs=0.002)


def monthly(bill: Bill) -> Fraction:
    return sum((line.quantity for line in bill.lines if line.component == "demand"), Fraction(0))


def drawn(seed: int, count: int, minutes: int) -> list[Row]:
    draw = np.random.default_rng(seed)

    def bought(_at: datetime) -> str:
        return f"{draw.integers(0, 2500) / 1000:.3f}"

    def sold(moment: datetime) -> str:
        return f"{draw.integers(0, 1500) / 1000 if 8 <= moment.hour < 16 else 0:.3f}"

    first = date(2024, 6, 28)
    return [
        *meter_days(first, count, bought, minutes=minutes),
        *meter_days(first, count, sold, role="export", minutes=minutes),
    ]


WINDOWS = [("1500", "2100"), ("0000", "0000"), ("2200", "0700"), ("1200", "1230")]


@settings(max_examples=examples(40))
@given(
    st.integers(0, 10_000),
    st.sampled_from([5, 15, 30, 60]),
    st.lists(st.sampled_from(WINDOWS), min_size=1, max_size=2, unique=True),
    st.builds(Battery, st.floats(0.2, 15), st.floats(0.2, 8), st.integers(500, 1000).map(lambda part: part / 1000)),
    st.booleans(),
    st.sampled_from([None, ("0000", "0600"), ("1600", "2000")]),
)
def test_no_peak_is_raised_and_no_energy_made(
    seed: int,
    minutes: int,
    windows: list[tuple[str, str]],
    battery: Battery,
    lower: bool,
    cheap: tuple[str, str] | None,
):
    """Four days over the end of June, billed apart; whatever the load, the bill's own demand never rises."""
    reads = reads_frame(drawn(seed, 4, minutes))
    every_day = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    rates = rates_of(*[demand(start, end, days=every_day) for start, end in windows], cheap=cheap)
    periods = [Period(date(2024, 6, 28), date(2024, 7, 1))]
    home = profile_of(reads, ZONE)
    peaks = peaks_of(home, rates, ZONE, periods)
    stored = with_battery(home, battery, slot_prices(home, rates, ZONE), peaks, lower=lower)

    for n, peak in enumerate(peaks if lower else []):
        energy = np.zeros(len(peak.energy), dtype=np.int64)
        np.add.at(energy, peak.half, stored.profile.bought[peak.rows])
        assert (energy * 60 <= stored.limits[n] * peak.minutes).all()
        assert stored.limits[n] <= peak.highest
    before, after = (price(each.reads(), rates, periods, zone=ZONE) for each in (home, stored.profile))
    assert monthly(after) <= monthly(before)

    assert stored.charged == stored.given + stored.lost + stored.left
    net = stored.profile.bought.sum() - stored.profile.sold.sum() - (home.bought.sum() - home.sold.sum())
    assert net == stored.lost + stored.left
    assert 0 <= stored.left <= stored.highest <= round(battery.kwh * 1e9)
    assert (stored.profile.bought >= 0).all()
    assert (stored.profile.sold >= 0).all()
    limit = home.minutes * round(battery.kw * 1e9) // 60
    assert (np.abs(stored.profile.bought - home.bought) + home.sold - stored.profile.sold <= limit).all()
    assert stored.lost == pytest.approx(stored.charged * (1 - battery.efficiency), abs=2 * len(home.bought), rel=1e-5)
