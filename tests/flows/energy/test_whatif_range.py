"""What a what-if says of days that were read in part, of plans of another time, of holidays and of fine windows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from tests.flows.energy.homes import flat_plan, on
from tests.meters import day, days, level, nem12, register
from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.whatif import moved, peaks_of, profile_of, slot_prices, vehicle
from toolkit.answers.base import Note
from toolkit.errors import PricingError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.whatif import whatif
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.tables.rows.plans import read_plan

NMI = "4103000001"
TODAY = date(2025, 8, 20)
AEST = "Etc/GMT-10"
ALL_DAY = "00:00-24:00"


def home(folder: Path, text: str, *plans: dict[str, object]) -> Context:
    (folder / "meter.csv").write_text(text)
    (folder / "plan.json").write_text(json.dumps(plans[0] if plans else flat_plan("FLAT", "30")))
    ctx = Context(folder / "home.db", TODAY)
    load(ctx, [folder])
    set_home(ctx, postcode="4000")
    return ctx


@pytest.fixture
def read_to_20_july(tmp_path: Path) -> Context:
    """12 kWh a day from 1 June to 20 July 2025, at 30 c with GST on top; Brisbane, without daylight saving."""
    return home(tmp_path, level(NMI, date(2025, 6, 1), 50))


def a_tenth_less(ctx: Context, first: date, last: date, price: str | None = None) -> dict[str, object]:
    return whatif(ctx, "shift", share=0.1, window=ALL_DAY, price=price, from_=first, to=last)


def test_a_year_is_reckoned_from_the_days_that_were_read(read_to_20_july: Context):
    answer = a_tenth_less(read_to_20_july, date(2025, 6, 1), date(2025, 8, 31), "1445.40")
    # 50 of 92 days are read: 60 kWh less, at 33 c; by month 11.88 and 7.92
    assert (answer.days, answer.days_read, answer.saving) == (92, 50.0, Decimal("19.80"))
    # 19.80 × 365 / 50, and not / 92
    assert (answer.yearly, answer.payback_years) == (Decimal("144.54"), 10.0)
    assert answer.assumptions[2] == Note("part_of_year", read=50.0, days=92)


@pytest.mark.parametrize(("last", "read"), [(27, 27.0), (28, 28.0)])
def test_from_less_than_any_month_no_year_is_told(read_to_20_july: Context, last: int, read: float):
    answer = a_tenth_less(read_to_20_july, date(2025, 6, 1), date(2025, 6, last), "100")
    assert (answer.days_read, answer.saving > 0) == (read, True)
    told = answer.yearly is not None
    assert told == (answer.payback_years is not None) == (read >= 28)
    # 28 × 1.2 kWh × 0.33 = 11.09; × 365 / 28 = 144.57
    assert answer.yearly == (Decimal("144.57") if told else None)
    assert ("too_few_days_for_year" in answer.assumption_codes) == (not told)


def test_a_few_hours_of_a_day_are_a_part_of_it(tmp_path: Path):
    """30 June is read to 18:00: three quarters of a day."""
    rows = [day(when, ["0.25"] * 48) for when in days("2025-06-01", 29)]
    rows += [day("20250630", [0.25] * 36 + [0] * 12, flag="V"), "400,1,36,A,,", "400,37,48,N,,"]
    ctx = home(tmp_path, nem12(register(nmi=NMI), *rows))
    assert a_tenth_less(ctx, date(2025, 6, 1), date(2025, 6, 30)).days_read == 29.8  # 29.75


def test_days_of_which_none_was_read_are_refused(read_to_20_july: Context):
    with pytest.raises(PricingError):
        a_tenth_less(read_to_20_july, date(2025, 8, 1), date(2025, 8, 31))


def test_a_whole_year_needs_no_scaling(tmp_path: Path):
    ctx = replace(home(tmp_path, level(NMI, date(2024, 7, 1), 365)), today=date(2025, 8, 14))
    answer = a_tenth_less(ctx, date(2024, 7, 1), date(2025, 6, 30), "100")
    assert answer.yearly == answer.saving
    assert not [code for code in answer.assumption_codes if "year" in code]


@pytest.mark.parametrize(("billing", "last_day"), [("monthly", date(2025, 8, 14)), ("quarterly", date(2025, 9, 30))])
def test_reads_past_the_limit_give_no_yearly_saving(tmp_path: Path, billing: str, last_day: date):
    """Reads end on 30 June: 45 days later, or the 92 of July to September, the year is still told."""
    ctx = home(tmp_path, level(NMI, date(2024, 7, 1), 365))
    set_home(ctx, billing=billing)
    span = date(2024, 7, 1), date(2025, 6, 30)
    fresh = a_tenth_less(replace(ctx, today=last_day), *span, "100")
    assert fresh.yearly == fresh.saving
    old = a_tenth_less(replace(ctx, today=last_day + timedelta(1)), *span, "100")
    assert (old.yearly, old.payback_years, old.saving) == (None, None, fresh.saving)
    (too_old,) = [note for note in old.assumptions if note.code == "too_old_for_year"]
    assert too_old.figures["last_read"] == date(2025, 6, 30)


def test_days_of_the_past_are_reckoned_on_todays_plan(read_to_20_july: Context):
    """The account's plan cost 30 c until 31 July and costs 40 c since, GST on top; 30 days × 1.2 kWh less of June."""
    on(read_to_20_july, 30, "2024-01-01", "2025-07-31")
    on(read_to_20_july, 40, "2025-08-01")
    june = date(2025, 6, 1), date(2025, 6, 30)
    answer = a_tenth_less(read_to_20_july, *june)
    assert bill(read_to_20_july, BillingQuestion(*june)).total == Decimal("118.80")  # 360 × 0.33
    assert (answer.before, answer.saving) == (Decimal("158.40"), Decimal("15.84"))  # 360 and 36 × 0.44
    assert answer.assumptions[1] == Note("priced_as_in_force", plan="Mine", day=date(2025, 8, 20))
    named = whatif(read_to_20_july, "shift", share=0.1, window=ALL_DAY, plan="FLAT", from_=june[0], to=june[1])
    assert (named.plan_id, named.saving) == ("FLAT", Decimal("11.88"))  # 36 × 0.33
    assert named.assumptions[1] == Note("priced_as_requested", plan="FLAT")


CHRISTMAS = date(2024, 12, 25)  # a Wednesday


def on_holidays(charge: dict[str, object] | None = None) -> Rates:
    """10 c on public holidays, 40 c else; a demand charge."""
    everyday = [{"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "start_time": "0000", "end_time": "0000"}]
    holiday = [{"days": ["PUBLIC_HOLIDAYS"], "start_time": "0000", "end_time": "0000"}]
    contract = flat("0.30")
    bands = [
        {"rates": [{"unit_price": price}], "type": kind, "time_of_use": window}
        for kind, price, window in (("OFF_PEAK", "0.10", holiday), ("PEAK", "0.40", everyday))
    ]
    contract["tariff_period"][0] |= {"single_rate": None, "time_of_use_rates": bands}
    if charge:
        contract["tariff_period"][0]["demand_charges"] = [charge]
    return compile_plan(read_plan({"plan_id": "P", "electricity_contract": contract}), "ELECTRICITY")


def test_a_battery_knows_the_prices_of_public_holidays():
    three = profile_of(reads_frame(meter_days(date(2024, 12, 24), 3, "0.5")), AEST)
    prices = slot_prices(three, on_holidays(), AEST, frozenset({CHRISTMAS}))
    gst = prices.reshape(3, 48)[:, [0, 47]] / prices[0] * 40
    assert gst.round(6).tolist() == [[40, 40], [10, 10], [40, 40]]


@pytest.mark.parametrize(("holidays", "highest"), [(frozenset({CHRISTMAS}), 8), (frozenset(), 4)])
def test_a_battery_knows_the_demand_of_public_holidays(holidays: frozenset[date], highest: int):
    """4 kW on Wednesday the 25th, 1 kW on the days around it; the window names holidays alone, or there are none."""
    charge = {"amount": "0.50", "measure_unit": "KW", "start_time": "1500", "end_time": "2100"}
    only = {**charge, "days": ["PUBLIC_HOLIDAYS"]} if holidays else charge

    def load_of(at: datetime) -> str:
        return {(25, 16): "4", (24, 16): "2"}.get((at.day, at.hour), "0.5")

    three = profile_of(reads_frame(meter_days(date(2024, 12, 24), 2, load_of)), AEST)
    periods = [Period(date(2024, 12, 24), CHRISTMAS)]
    (peak,) = peaks_of(three, on_holidays(only), AEST, periods, holidays)
    assert (peak.highest, set(peak.rows // 48)) == (8 * 10**9, {1} if holidays else {0, 1})


def test_a_battery_fills_on_a_public_holiday_of_the_state(tmp_path: Path):
    """10 c until 15:00 on holidays alone, 40 c else: 1 kWh is bought at noon for the evening, twice in December."""
    every = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    bands = [
        {
            "rates": [{"unitPrice": "10"}],
            "type": "OFF_PEAK",
            "timeOfUse": [hours(["PUBLIC_HOLIDAYS"], "0000", "1500")],
        },
        {"rates": [{"unitPrice": "40"}], "timeOfUse": [hours(every, "0000", "0000")]},
    ]
    plan = flat_plan("HOLIDAY", "30")
    plan["electricityContract"]["tariffPeriod"] = [{"dailySupplyCharge": "90", "timeOfUseRates": bands}]
    ctx = home(tmp_path, level(NMI, date(2024, 12, 1), 31), plan)
    december = {"from_": date(2024, 12, 1), "to": date(2024, 12, 31)}
    answer = whatif(ctx, "battery", kwh=1, kw=1, efficiency=1.0, **december)
    # Christmas and Boxing Day; Queensland's Christmas Eve counts from 18:00 alone, and not as a day: 2 × 0.30 × 1.1
    assert (answer.way, answer.saving) == ("tariff", Decimal("0.66"))


def hours(named: list[str], start: str, end: str) -> dict[str, object]:
    return {"days": named, "startTime": start, "endTime": end}


@pytest.mark.parametrize(
    ("text", "saving", "cut"),
    [
        ("15:00-15:30", "3.07", False),  # 31 × 0.3 kWh × 0.33
        ("15:10-15:20", "1.02", True),  # a third of it
        ("15:10-15:40", "3.07", True),  # two thirds of one half hour, a third of the next
        ("23:50-00:10", "2.04", True),  # a third on either side of midnight: 147.31 − 145.27
    ],
)
def test_an_interval_counts_by_its_minutes_in_the_window(tmp_path: Path, text: str, saving: str, cut: bool):
    ctx = home(tmp_path, level(NMI, date(2025, 7, 1), 31, "0.3"))
    answer = whatif(ctx, "shift", window=text, from_=date(2025, 7, 1), to=date(2025, 7, 31))
    assert answer.saving == Decimal(saving)
    assert (Note("window_cuts_reads", window=text, minutes="30") in answer.assumptions) == cut


def at_minutes(energy: Iterable[int]) -> list[int]:
    return [round(value / 1e6) for value in energy]


def test_what_moves_goes_evenly_by_the_minute():
    """0.6 kWh each half hour; 15:10 to 15:40 gives 0.4 + 0.2; 16:15 to 17:00 takes a third and two thirds of it."""
    one = profile_of(reads_frame(meter_days(date(2025, 7, 1), 1, "0.6")), AEST)
    done = moved(one, 1.0, Window(910, 940), Window(975, 1020))
    change = done.profile.bought - one.bought
    assert at_minutes(change[30:34]) == [-400, -200, 200, 400]
    assert at_minutes(done.away[30:34]) == [400, 200, 0, 0]
    assert int(change.sum()) == 0
    assert not np.delete(change, [30, 31, 32, 33]).any()


def test_a_vehicle_charges_in_the_minutes_of_its_window():
    """15:10 to 15:40 at 6 kW: 20 minutes of one half hour, ten of the next."""
    one = profile_of(reads_frame(meter_days(date(2025, 7, 1), 1, "0.6")), AEST)
    charging = vehicle(one, 3.0, 6.0, Window(910, 940))
    assert at_minutes((charging.profile.bought - one.bought)[30:33]) == [2000, 1000, 0]
    assert (charging.share.tolist(), charging.day.tolist()) == ([1.0], [int(one.day[0])])
    assert charging.given.tolist() == charging.wanted.tolist() == [3 * 10**9]


def test_an_hour_over_midnight_belongs_to_the_day_on_which_the_window_begins():
    """Adelaide's hours of AEST begin at half past: 23:30 to 00:30 holds the first 20 minutes from 00:10 on."""
    two = profile_of(reads_frame(meter_days(date(2025, 7, 1), 2, "1", minutes=60)), "Australia/Adelaide")
    charging = vehicle(two, 1.5, 1.0, Window(10, 100))
    assert len(charging.day) == 2
    whole = charging.share == 1.0
    assert charging.given[whole].tolist() == [1_500_000_000] * int(whole.sum())
    (midnight,) = np.flatnonzero((two.minute == 1410) & (two.day == two.day[1]))
    assert at_minutes((charging.profile.bought - two.bought)[midnight : midnight + 2]) == [333, 1000]


@pytest.mark.parametrize(("to", "window"), [("15:00-15:30", "15:00-16:00"), ("15:00-16:00", "15:00-16:00")])
def test_a_window_within_the_other_can_take_nothing(read_to_20_july: Context, to: str, window: str):
    with pytest.raises(UsageError, match=f"--to-window {to} .*--window {window}"):
        whatif(read_to_20_july, "shift", window=window, to_window=to)


def test_what_two_windows_share_takes_nothing_and_is_said(read_to_20_july: Context):
    june = {"from_": date(2025, 6, 1), "to": date(2025, 6, 30)}
    answer = whatif(read_to_20_july, "shift", window="15:00-16:00", to_window="15:30-17:00", **june)
    # 30 days × 2 half hours × 0.25 kWh
    figures = {"share": 1.0, "window": "15:00-16:00", "to_window": "15:30-17:00", "kwh": 15.0}
    assert answer.assumptions[0] == Note("load_moved_outside", **figures)


@pytest.mark.parametrize("change", [{"window": "15:00-21:00"}, {"window": "00:00-06:00", "to_window": "10:00-14:00"}])
def test_the_quality_is_that_of_the_reads(tmp_path: Path, change: dict[str, str]):
    """3 of 31 days are substituted: 3 × 12 of 372 kWh, as the bill of the same days says."""
    rows = [day(when, ["0.25"] * 48, flag="S14" if n < 3 else "A") for n, when in enumerate(days("2025-07-01", 31))]
    ctx = home(tmp_path, nem12(register(nmi=NMI), *rows))
    july = {"from_": date(2025, 7, 1), "to": date(2025, 7, 31)}
    answer = whatif(ctx, "shift", **change, **july)
    (substituted,) = [note for note in answer.notes if note.code == "substituted_reads"]
    assert [substituted.figures[name] for name in ("substituted", "energy")] == [36, 372]
    notes = bill(ctx, BillingQuestion(**july)).notes
    assert [note for note in notes if note.code == "substituted_reads"] == [substituted]
