"""The toolkit and the slow reference agree on every line, to the cent, on whatever is generated.

BILL_EXAMPLES=10000 runs that many instead of 500.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases, day_first
from tests.contracts.referee_bill import NANO, referee
from tests.contracts.referee_meter import Interval, Site
from tests.many_cases import each_part, look
from toolkit.analytics.energy.bills import Options, Period, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.plans import read_plan

pytestmark = pytest.mark.slow


@each_part
@pytest.mark.timeout(0)
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case, which it would hide
def test_both_engines_agree(part: int):
    look(part, both_engines_agree, cases(), in_ci=500)


def both_engines_agree(case: Case) -> None:
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


def site(case: Case) -> Site:
    registers: dict[str, list[Interval]] = {"general": [], "controlled": [], "export": []}
    for read in case.reads:
        nano = None if read.kwh is None else int(read.kwh * Decimal(NANO))
        registers[read.role].append(Interval(int(read.start.timestamp()) // 60, read.minutes, nano))
    return Site(case.zone, **registers, has_controlled=bool(registers["controlled"]), holidays=case.holidays)
