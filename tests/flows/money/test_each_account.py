"""The cash flow of each account: transfers between own accounts move its balance, each of them once."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.cashflow import cashflow

TODAY = date(2026, 6, 13)
MONTHS = [date(2025, month, 12) for month in range(9, 13)] + [date(2026, month, 12) for month in range(1, 7)]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """$800 a month from Everyday, which has $5,000, to Saver, which has $9,000; nothing else moves."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    for name, sign, last in (("Everyday", -1, 5000), ("Saver", 1, 9000)):
        rows = [
            f'{day:%d/%m/%Y},"{sign * 800:.2f}","Transfer {name}","{last - sign * 800 * back:+.2f}"'
            for back, day in enumerate(reversed(MONTHS))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join([*rows, ""]))
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    return ctx


def test_a_monthly_transfer_leaves_one_account_once_and_reaches_the_other_once(ctx: Context) -> None:
    answer = cashflow(ctx, days=60)
    expected = {  # after 12 July and 12 August
        "Everyday": {date(2026, 7, 11): 5000, date(2026, 7, 12): 4200, date(2026, 8, 11): 4200},
        "Saver": {date(2026, 7, 11): 9000, date(2026, 7, 12): 9800, date(2026, 8, 11): 9800},
    }
    for account in answer.accounts:
        for day in account.days:
            if (balance := expected[account.account_id].get(day.date)) is not None:
                assert (day.p10, day.p50, day.p90) == (Decimal(balance),) * 3
    assert {account.account_id for account in answer.accounts} == set(expected)
    assert {day.p50 for day in answer.days} == {Decimal(14000)}
