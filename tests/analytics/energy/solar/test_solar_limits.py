"""What `solar` refuses, and what it says where size, days or prices do not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from math import inf, nan
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from tests.meters import day, days, flat_plan, nem12, register
from tests.problems import names
from tests.truth.homes import SolarHome
from toolkit.analytics.energy.bills import Options, Period, PlanSegment
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES
from toolkit.analytics.energy.solar.worth import value_of
from toolkit.answers.base import Note, to_builtins
from toolkit.answers.energy.solar import MoneyRange, Range
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.tables.rows.plans import read_plan

Home = Callable[..., SolarHome]
NMI = "4103000001"
SYDNEY = CITIES[0]
EVERY = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """May 2025 but for the 5th: 24 kWh in and out on each day. Prices from 06:00 to 24:00 alone."""
    read = [when for when in days("2025-05-01", 31) if when != "20250505"]
    for suffix in ("E1", "B1"):
        rows = [day(when, ["0.5"] * 48) for when in read]
        (tmp_path / f"{suffix}.csv").write_text(nem12(register(suffix, nmi=NMI), *rows))
    plan = json.loads(flat_plan())
    window = {"days": EVERY, "startTime": "0600", "endTime": "0000"}
    priced = {"rates": [{"unitPrice": "0.30"}], "type": "PEAK", "timeOfUse": [window]}
    plan["electricityContract"]["tariffPeriod"] = [{"dailySupplyCharge": "1.00", "timeOfUseRates": [priced]}]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    ctx = Context(tmp_path / "home.db", date(2025, 6, 10))
    load(ctx, [tmp_path])
    set_home(ctx, postcode="4000")
    return ctx


@pytest.mark.parametrize("size", [nan, inf, -inf, 1e9, -1.0, 10_000.0])
def test_a_size_that_no_home_has_is_refused_as_a_households_is(ctx: Context, size: float):
    with pytest.raises(UsageError, match=re.escape(repr(size))):
        solar(ctx, panels_kw=size)
    with pytest.raises(UsageError, match=re.escape(repr(size))):
        set_home(ctx, panels_kw=size)


def test_no_answer_has_a_figure_that_is_none(ctx: Context):
    json.dumps(to_builtins(solar(ctx, panels_kw=9999)), default=str, allow_nan=False)


@pytest.mark.parametrize(
    ("limit_kw", "is_answered"),
    [
        (0.02, False),  # an inverter that is told to export nothing: hours without purchases, and no battery
        (0.3, False),
        (2.0, True),
    ],
)
def test_an_export_that_is_nearly_always_at_its_limit_shows_no_generation(
    solar_reads: Home, limit_kw: float, is_answered: bool
):
    home = solar_reads(panels_kw=6.0)
    held_back = replace(home, made=np.minimum(home.made, home.used + limit_kw / 2))
    answer = service_point_solar(held_back.net, city=SYDNEY, panels=Panels()).answer
    assert (answer.self_consumption is not None) == is_answered
    assert answer.export_limit_kw == pytest.approx(limit_kw, rel=0.01)
    assert not answer.battery_suspected
    if not is_answered:
        assert names(answer.reason, "limit", "toolkit import FILE")
        of_a_size = service_point_solar(held_back.net, city=SYDNEY, panels=Panels(6.0, "set")).answer
        assert of_a_size.generation_kwh == answer.generation_kwh == Range()


@pytest.mark.parametrize("storage", [None, 10.0])
def test_a_size_that_is_too_small_is_pointed_out(solar_reads: Home, storage: float | None):
    """6 kW made it: about 6 × 365 × 3.94 kWh under skies as clear as the city's. 1 kW makes 1,093 to 1,381 kWh a year:
    365 × 3.94 × 0.76 and × 0.96, but for a half per cent by which the years differ."""
    reads = solar_reads(panels_kw=6.0).net

    def size_notes(panels: Panels) -> list[Note]:
        answer = service_point_solar(reads, city=SYDNEY, panels=panels).answer
        return [note for note in answer.notes if note.code.startswith("generation_")]

    (note,) = size_notes(Panels(1.0, "as given", storage_kwh=storage))
    assert note.code == "generation_high"
    assert note.figures["low"] == pytest.approx(1093, rel=0.01)
    assert note.figures["high"] == pytest.approx(1381, rel=0.01)
    assert size_notes(Panels(6.0, "as given", storage_kwh=storage)) == []
    assert size_notes(Panels(storage_kwh=storage)) == []


def test_days_without_reads_are_named_as_the_reason(ctx: Context):
    (point,) = solar(ctx, panels_kw=5, from_=date(2020, 1, 1), to=date(2020, 2, 1)).service_points
    assert point.reason
    lie = Note("reads_elsewhere", service_point=NMI, first=date(2025, 5, 1), last=date(2025, 5, 31))
    assert point.notes == (lie,)
    assert (point.export_kwh, point.generation_kwh.mid) == (None, None)


def test_days_before_the_panels_are_named_as_the_reason(solar_reads: Home):
    reads = solar_reads(days=30).net
    panels = Panels(5.0, "device register", since=date(2025, 1, 1))
    found = service_point_solar(reads, city=SYDNEY, panels=panels)
    assert names(found.answer.reason, "2025-01-01")


def test_the_problems_of_the_bill_that_it_is_valued_with_are_listed(ctx: Context):
    """30 days × 12 half hours × 0.5 kWh between midnight and six have no price, and one day was not read."""
    may = {"from_": date(2025, 5, 1), "to": date(2025, 5, 31)}
    problems = solar(ctx, panels_kw=5, **may).problems
    assert problems == bill(ctx, BillingQuestion(**may)).problems
    unpriced, unread = (problem.reason for problem in problems)
    assert names(unpriced, "180.000 kWh", "2025-05-01", "2025-05-31")
    assert names(unread, "2025-05-05")


def night_only() -> Rates:
    contract = flat("0.30")
    window = {"days": EVERY, "start_time": "0000", "end_time": "0600"}
    contract["tariff_period"][0] |= {
        "single_rate": None,
        "time_of_use_rates": [{"rates": [{"unit_price": "0.30"}], "type": "OFF_PEAK", "time_of_use": [window]}],
    }
    return compile_plan(read_plan({"plan_id": "NIGHT", "electricity_contract": contract}), "ELECTRICITY")


def test_what_self_use_alone_leaves_unpriced_is_told_apart():
    """Ten days × 36 half hours × 0.5 kWh by day have no price, and 2 kWh more if the sun had not served them."""
    first, last = date(2025, 5, 1), date(2025, 5, 10)
    reads = reads_frame(meter_days(first, 10, "0.5"))
    noon = pl.DataFrame({"starts_at": [reads["starts_at"][24]], "used_kwh": [2.0]})
    segment = PlanSegment(night_only(), Period(first, last))
    worth = value_of(reads, noon, [segment], zone="Etc/GMT-10", options=Options())
    assert worth.avoided_import == MoneyRange(Decimal("0.00"), Decimal("0.00"), Decimal("0.00"))
    bought, with_use = (problem.reason for problem in worth.problems)
    assert names(bought, "180.000 kWh", first, last)
    assert names(with_use, "182.000 kWh", first, last)
