"""The bill engine against an independent, plain one: every component to the cent, on any plan and usage.

`BILL_EXAMPLES=10000 pytest tests/contracts/test_bill_referee.py` looks further than CI does, at 250.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import note
from hypothesis import strategies as st

from tests.contracts.plan_strategies import CUTS, households, plans
from tests.contracts.referee_bill import referee
from tests.contracts.referee_site import Household, toolkit_bill
from tests.many_cases import each_part, look

DAYS = st.none() | st.sampled_from([date(2023, 12, 31), date(2024, 3, 15), date(2024, 4, 9), date(2026, 11, 22)])
"""The day a plan is priced for; none: the household's own."""

BLOCKS, DISCOUNTS = st.sampled_from(["pooled", "daily"]), st.sampled_from(["guaranteed", "all", "none"])


@each_part
@pytest.mark.timeout(0)
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case, which it would hide
def test_two_engines_agree_to_the_cent(part: int) -> None:
    look(part, agree_to_the_cent, plans(), households(), CUTS, BLOCKS, DISCOUNTS, DAYS, in_ci=250)


def agree_to_the_cent(
    plan: dict[str, Any],
    household: Household,
    periods: list[tuple[date, date]],
    blocks: str,
    discounts: str,
    on: date | None,
) -> None:
    options = {"blocks": blocks, "discounts": discounts, "on": on}
    expected = referee(plan, "electricity", household.site(), periods, **options)
    bill = toolkit_bill(plan, "electricity", household, periods, **options)
    assert expected is not None
    note(f"lines {bill.lines}\nexpected {expected.lines}")
    assert {name: cents for name, cents in bill.components_minor().items() if cents} == {
        name: cents for name, cents in expected.components.items() if cents
    }
    assert bill.gst_minor == expected.gst
    assert bool(bill.unpriced) == any(expected.unpriced.values())
