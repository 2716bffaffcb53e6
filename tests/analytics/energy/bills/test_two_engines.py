"""The toolkit and the slow reference agree on every line, to the cent, on whatever is generated.

BILL_EXAMPLES=10000 runs that many instead of 500.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, Read, cases, day_first
from tests.contracts.referee_bill import NANO, referee
from tests.contracts.referee_meter import Interval, Site
from tests.many_cases import each_part, look
from toolkit.analytics.energy.bills import Options, Period, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.rows.plans import read_plan

pytestmark = pytest.mark.slow


@each_part
@pytest.mark.timeout(0)
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case, which it would hide
def test_both_engines_agree(part: int):
    look(part, both_engines_agree, cases(), in_ci=500)


def test_a_month_without_a_read_in_the_demand_window_is_not_priced() -> None:
    """Found by generated cases: 2 kW from 0:00 to 1:00 on 28 Feb, and no read of 1 Mar, of at least 1.5 kW."""
    window = {"start_time": "00:00", "end_time": "01:00", "days": [], "amount": "0.10", "min_demand": "1.5"}
    period = {"daily_supply_charge": "0", "single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [window]}
    first = datetime(2024, 2, 28, tzinfo=UTC) - timedelta(hours=10)  # midnight in AEST
    case = Case(
        contract={"time_zone": "AEST", "tariff_period": [period]},
        day_first=False,
        metering=[],
        reads=[Read(first + timedelta(minutes=30 * n), 30, "general", Decimal(1)) for n in range(96)],
        periods=[(date(2024, 2, 28), date(2024, 3, 1))],
        zone="Australia/Brisbane",
        holidays=frozenset(),
        blocks="pooled",
        discounts="none",
    )
    # 2 kW × 2 days × $0.10, with GST; March is a problem, not 1.5 kW and not 0
    assert agreed_total(case) == 44


def both_engines_agree(case: Case) -> None:
    agreed_total(case)


def agreed_total(case: Case) -> int:
    """Compare every line of both engines; return the total in cents."""
    frame = reads_frame((r.start, r.minutes, r.role, r.kwh) for r in case.reads)
    published = day_first(case.contract) if case.day_first else case.contract
    plan = read_plan({"plan_id": "P", "electricity_contract": published, "metering_charges": case.metering})
    options = Options(blocks=case.blocks, discounts=case.discounts, holidays=case.holidays)
    rates = compile_plan(plan, "ELECTRICITY")
    ours = price(frame, rates, [Period(*p) for p in case.periods], zone=case.zone, options=options)

    month_first = {"electricity_contract": case.contract, "metering_charges": case.metering}
    how = {"blocks": case.blocks, "discounts": case.discounts}
    theirs = referee(month_first, "electricity", site(case), case.periods, **how)

    worth = Counter((line.component, line.amount_minor) for line in ours.lines if line.amount_minor)
    assert worth == Counter((line.component, line.cents) for line in theirs.lines if line.cents)
    assert ours.unpriced == Fraction(sum(theirs.unpriced.values()), NANO)
    assert ours.total_minor == theirs.total
    return ours.total_minor


def site(case: Case) -> Site:
    registers: dict[str, list[Interval]] = {"general": [], "controlled": [], "export": []}
    for read in case.reads:
        nano = None if read.kwh is None else int(read.kwh * Decimal(NANO))
        registers[read.role].append(Interval(int(read.start.timestamp()) // 60, read.minutes, nano))
    return Site(case.zone, **registers, has_controlled=bool(registers["controlled"]), holidays=case.holidays)
