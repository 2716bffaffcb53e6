"""What a report is usually of: spans of days to choose from, and how often its averages are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from toolkit.analytics.money.statement.averages import MOST_DAYS
from toolkit.analytics.money.years.periods import financial_year
from toolkit.answers.base import Period
from toolkit.answers.report.income_expenses import StatementPer
from toolkit.flows.household.context import Context
from toolkit.flows.money.series import main_pay
from toolkit.flows.money.summary import transaction_days

LAST_12_MONTHS = "Last 12 months"
PER_OF: Mapping[str, StatementPer] = MappingProxyType({"fortnightly": "fortnight"})
"""How often pay comes → what is averaged over; a month for all others."""


def usual_spans(ctx: Context) -> dict[str, Period]:
    """Return the spans that a report is usually of, by name.

    The last 12 months end with the last transaction, as on the page Spending; with today where there is none.
    """
    stored = transaction_days(ctx)
    last = min(stored.last, ctx.today) if stored else ctx.today
    this = financial_year(ctx.today.year + (ctx.today.month > 6))
    return {
        LAST_12_MONTHS: Period(last - timedelta(MOST_DAYS - 1), last),
        "This financial year": Period(this.first, ctx.today),
        "Last financial year": financial_year(this.first.year),
    }


def usual_per(ctx: Context) -> StatementPer:
    """Return a fortnight where the largest regular pay, or Centrelink, comes each fortnight, else a month."""
    pay = main_pay(ctx)
    return PER_OF.get(pay.cadence.name, "month") if pay else "month"
