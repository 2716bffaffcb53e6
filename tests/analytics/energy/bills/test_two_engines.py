"""Two engines, one bill: the toolkit's and the slow referee's agree to the cent on whatever is generated.

BILL_EXAMPLES=10000 runs that many instead of 500.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from tests.analytics.energy.bills import referee
from tests.analytics.energy.bills.built import reads_frame
from tests.analytics.energy.bills.generated import Case, cases, day_first
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

    home = referee.Home(case.reads, case.zone, case.holidays, case.blocks, case.discounts)
    theirs = referee.price(case.contract, home, case.periods, case.metering)

    worth = Counter((line.component, line.amount) for line in ours.lines if line.amount_minor)
    assert worth == Counter((name, amount) for name, amount in theirs.amounts if amount)
    assert ours.unpriced == Fraction(theirs.unpriced)
    assert ours.total_minor == 100 * sum(amount for _, amount in theirs.amounts)
