"""The months, quarters, financial years and pay cycles that a household's transactions cover."""

from __future__ import annotations

from typing import Literal

from toolkit.analytics.money.years.periods import financial_years, months, pay_cycles, quarters
from toolkit.answers.base import Period
from toolkit.flows.household.context import Context
from toolkit.flows.money.series import main_pay
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions

Unit = Literal["month", "pay", "quarter", "financial-year"]


def periods(ctx: Context, unit: Unit, *, start: int = 1) -> tuple[Period, ...]:
    """Return the periods from the first transaction to the last one, the newest first.

    start: day on which months begin (1 to 28). Pay cycles last from one pay of the largest regular income to the day
    before the next; there are none without a regular pay.
    """
    stored = spending(ctx)
    if stored.from_ is None or stored.to is None:
        return ()
    covered = Period(stored.from_, stored.to)
    if unit == "month":
        return months(covered, start)
    if unit == "quarter":
        return quarters(covered)
    if unit == "financial-year":
        return financial_years(covered)
    if (paid := main_pay(ctx)) is None:
        return ()
    rows = transactions(ctx, payee=paid.name, kind="income").transactions
    return pay_cycles([row.date for row in rows if row.date is not None], paid.next, covered)
