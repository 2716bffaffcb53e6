"""Both engines agree on plans as they are published: one of each form of tariff that a collection holds.

The invented market of the sandbox is always there. Real plans are read from PUBLISHED_PLANS, or from
`shared/data/plans` beside the clone; `python -m tests.analytics.energy.bills.published` takes every one of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.analytics.energy.bills.forms import Json, one_of_each
from tests.analytics.energy.bills.published import objects, tally
from toolkit.sandbox.register.market import RETAILERS, Market

pytestmark = pytest.mark.slow

BESIDE = Path(__file__).parents[4].parent / "shared" / "data" / "plans"
PUBLISHED = Path(os.environ.get("PUBLISHED_PLANS", BESIDE))


def invented() -> list[Json]:
    market = Market(1, date(2026, 7, 1))
    return [plan for retailer in RETAILERS for plan in market.retailer_plans(retailer.slug).plans.values()]


def published() -> list[Json]:
    return [plan for _, plan in objects(PUBLISHED)]


@pytest.mark.parametrize("plans", [invented, *([published] if PUBLISHED.exists() else [])])
def test_both_engines_agree_on_one_plan_of_each_form(plans: Callable[[], list[Json]]):
    chosen = one_of_each(plans())
    found = tally((str(plan.get("planId")), plan) for plan in chosen)
    assert len(chosen) > 20
    assert found.kinds.total() >= len(chosen)
    assert found.differences == []
