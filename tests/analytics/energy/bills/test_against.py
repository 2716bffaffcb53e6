"""Why a bill differs from another: what holds of every difference, and a year of a home with seasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from math import cos, pi

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import meter_days, reads_frame
from tests.analytics.energy.bills.generated import Case, cases, contracts
from toolkit.analytics.energy.bills import Options, Period, PlanSegment, Usage, prepare, price_segments
from toolkit.analytics.energy.bills.against import PricedBill, difference, difference_together, earlier_period
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.tables.rows.plans import read_plan

FEW = settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
CONTRACT = {
    "time_zone": "AEST",
    "tariff_period": [{"daily_supply_charge": "1.00", "single_rate": {"rates": [{"unit_price": "0.30"}]}}],
}
JUNE = Period(date(2025, 6, 1), date(2025, 6, 30))


def rates(contract: dict[str, object], metering: Sequence[dict[str, object]] = ()) -> Rates:
    plan = read_plan({"plan_id": "P", "electricity_contract": contract, "metering_charges": list(metering)})
    return compile_plan(plan, "ELECTRICITY")


def priced(usage: Usage, plan: Rates, days: Period, options: Options | None = None) -> PricedBill:
    segments = [PlanSegment(plan, days)]
    chosen = options or Options()
    return PricedBill(segments, [days], chosen, price_segments(usage, segments, [days], options=chosen))


@pytest.mark.slow
@FEW
@given(cases(), contracts(), st.data())
def test_parts_add_up_to_the_cent_and_rounding_takes_only_cents(case: Case, other: dict, data: st.DataObject) -> None:
    first, last = case.periods[0][0], case.periods[-1][1]
    middle = first + timedelta(data.draw(st.integers(0, max((last - first).days - 1, 0))))
    usage = prepare(reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads), zone=case.zone)
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    plan = rates(case.contract, case.metering)
    later = data.draw(st.sampled_from([plan, rates(other)]))
    then = priced(usage, plan, Period(first, middle), options)
    now = priced(usage, later, Period(min(middle + timedelta(1), last), last), options)
    parts = difference(usage, then, now).parts
    assert sum(parts.values()) == now.bill.total_minor - then.bill.total_minor
    assert abs(parts.get("rounding", 0)) <= 5 * (len(then.bill.lines) + len(now.bill.lines))
    together = difference_together(usage, then, now, 12345).parts
    assert sum(together.values()) == now.bill.total_minor - 12345
    assert set(together) <= {"days", "prices_and_use", "rounding"}
    assert difference(usage, now, now).parts == {}


def wave(at: datetime) -> str:
    """Half-hourly kWh: most in the middle of July, a third of it in January."""
    return f"{0.4 - 0.2 * cos(2 * pi * (at.timetuple().tm_yday - 15) / 365.25):.4f}"


def test_a_home_with_the_same_seasons_each_year_used_more_because_of_the_season() -> None:
    usage = prepare(reads_frame(meter_days(date(2024, 1, 1), 740, wave)), zone="Australia/Sydney")
    plan = rates(CONTRACT)
    may, june = (Period(date(2025, month, 1), date(2025, month, 30)) for month in (3, 6))
    found = difference(usage, priced(usage, plan, may), priced(usage, plan, june))
    whole = sum(found.parts.values())
    assert whole > 5000
    assert found.parts["season"] == pytest.approx(whole, rel=0.05)
    assert set(found.parts) <= {"season", "level", "rounding"}
    assert found.notes == ()


def test_twice_the_use_of_last_year_is_the_level_not_the_season() -> None:
    def doubled(at: datetime) -> str:
        return f"{float(wave(at)) * (2 if at.date() >= date(2025, 6, 1) else 1):.4f}"

    usage = prepare(reads_frame(meter_days(date(2024, 1, 1), 547, doubled)), zone="Australia/Sydney")
    plan = rates(CONTRACT)
    year_ago = Period(date(2024, 6, 1), date(2024, 6, 30))
    found = difference(usage, priced(usage, plan, year_ago), priced(usage, plan, JUNE))
    assert found.parts["level"] == pytest.approx(sum(found.parts.values()), rel=0.02)


def test_the_season_is_not_known_without_a_year_of_reads() -> None:
    usage = prepare(reads_frame(meter_days(date(2025, 4, 1), 95, wave)), zone="Australia/Sydney")
    plan = rates(CONTRACT)
    found = difference(
        usage, priced(usage, plan, Period(date(2025, 5, 1), date(2025, 5, 30))), priced(usage, plan, JUNE)
    )
    assert "season" not in found.parts
    assert [note.code for note in found.notes] == ["season_not_known"]


def changed(then: pl.DataFrame, now: pl.DataFrame, contract: dict[str, object]) -> dict[str, int]:
    """The parts between 28 days from 5 May and 28 days from 2 June 2025, both Mondays; the first reads are of May."""
    usage = prepare(pl.concat([then, now]), zone="Australia/Sydney")
    plan = rates(contract)
    may, june = Period(date(2025, 5, 5), date(2025, 6, 1)), Period(date(2025, 6, 2), date(2025, 6, 29))
    return dict(difference(usage, priced(usage, plan, may), priced(usage, plan, june)).parts)


MAY, JUNE_DAY = date(2025, 5, 5), date(2025, 6, 2)


def test_the_same_energy_at_dearer_hours_is_the_shape() -> None:
    """10 kWh a day move from 0.20 to 0.40: 28 × 10 × 0.20 × 1.1 = 61.60."""
    bands = [
        {"type": kind, "rates": [{"unit_price": price}], "time_of_use": [{"start_time": start, "end_time": end}]}
        for kind, price, start, end in (("PEAK", "0.40", "15:00", "21:00"), ("OFF_PEAK", "0.20", "21:00", "15:00"))
    ]
    contract = {"time_zone": "AEST", "tariff_period": [{"daily_supply_charge": "1.00", "time_of_use_rates": bands}]}
    by_day, by_night = (
        reads_frame(meter_days(first, 28, lambda at, hour=hour: "5" if at.hour == hour and at.minute < 60 else "0"))
        for first, hour in ((MAY, 3), (JUNE_DAY, 16))
    )
    assert changed(by_day, by_night, contract) == {"shape": 6160}


def test_controlled_load_and_exports_are_parts_of_their_own() -> None:
    """28 × 4.8 kWh of hot water more at 0.11: 29.57 after 14.78; as many kWh of exports less at 0.05."""
    contract = {
        **CONTRACT,
        "controlled_load": [{"single_rate": {"rates": [{"unit_price": "0.10"}]}}],
        "solar_feed_in_tariff": [{"single_tariff": {"rates": [{"unit_price": "0.05"}]}}],
    }
    then, now = (
        reads_frame(
            [
                *meter_days(first, 28, "0.5"),
                *meter_days(first, 28, hot_water, role="controlled"),
                *meter_days(first, 28, solar, role="export"),
            ]
        )
        for first, hot_water, solar in ((MAY, "0.1", "0.2"), (JUNE_DAY, "0.2", "0.1"))
    )
    assert changed(then, now, contract) == {"controlled_load": 1479, "export": 672}


def test_an_estimated_bill_says_nothing_about_the_level() -> None:
    """June was estimated at twice the use: 28 × 24 × 0.30 × 1.1 = 221.76 are the estimate's."""
    then = reads_frame(meter_days(MAY, 28, "0.5"))
    now = reads_frame(meter_days(JUNE_DAY, 28, "1.0"), quality="ESTIMATED")
    assert changed(then, now, CONTRACT) == {"estimated": 22176}


def test_a_discount_that_ended_is_a_part() -> None:
    """10 % of 28 × 1.00 × 1.1 + 28 × 24 × 0.30 × 1.1 = 252.56 ended with May."""
    terms = {"method_u_type": "percentOfBill", "percent_of_bill": {"rate": "0.10"}, "type": "GUARANTEED"}
    usage = prepare(
        reads_frame([*meter_days(MAY, 28, "0.5"), *meter_days(JUNE_DAY, 28, "0.5")]), zone="Australia/Sydney"
    )
    with_discount = rates({**CONTRACT, "discounts": [{"display_name": "Welcome", **terms}]})
    assert with_discount.discounts
    may, june = Period(MAY, date(2025, 6, 1)), Period(JUNE_DAY, date(2025, 6, 29))
    without = replace(with_discount, discounts=())
    found = difference(usage, priced(usage, with_discount, may), priced(usage, without, june))
    assert dict(found.parts) == {"discounts": 2526}


@pytest.mark.parametrize(
    ("now", "invoiced", "wanted", "then"),
    [
        (("2026-04-01", "2026-06-30"), [], "previous", ("2026-01-01", "2026-03-31")),
        (("2026-04-01", "2026-06-30"), [], "last-year", ("2025-04-01", "2025-06-30")),
        (("2026-04-05", "2026-04-14"), [], "previous", ("2026-03-26", "2026-04-04")),
        (("2024-02-01", "2024-02-29"), [], "last-year", ("2023-02-01", "2023-02-28")),
        (
            ("2026-04-04", "2026-07-02"),
            [("2025-04-06", "2025-07-05"), ("2026-01-03", "2026-04-03"), ("2026-04-04", "2026-07-02")],
            "previous",
            ("2026-01-03", "2026-04-03"),
        ),
        (
            ("2026-04-04", "2026-07-02"),
            [("2025-04-06", "2025-07-05"), ("2026-01-03", "2026-04-03"), ("2026-04-04", "2026-07-02")],
            "last-year",
            ("2025-04-06", "2025-07-05"),
        ),
    ],
)
def test_the_bill_to_compare_with(now, invoiced, wanted, then) -> None:
    def period(days: tuple[str, str]) -> Period:
        return Period(*map(date.fromisoformat, days))

    assert earlier_period(period(now), [period(days) for days in invoiced], wanted) == period(then)
