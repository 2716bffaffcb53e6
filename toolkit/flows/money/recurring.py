"""Payments and income that recur, and what is coming up: `recurring`, also as a calendar file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolkit.analytics.money.cash.calendar import START as CALENDAR_START
from toolkit.analytics.money.cash.calendar import calendar
from toolkit.analytics.money.cash.coming_up import recurring_answer
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.money import Recurring
from toolkit.flows.data.output_files import first_bytes, refuse_to_replace
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.invoices.to_pay import issued_bills
from toolkit.flows.money.energy_ahead import next_bills
from toolkit.flows.money.series import expected_series
from toolkit.flows.money.spending import classified
from toolkit.store.connection import private_file


def recurring(ctx: Context, *, ics: Path | None = None, forecasts: Mapping[str, Forecast] | None = None) -> Recurring:
    """List payments and income that recur, dearest first (docs/commands.md); amounts in AUD, money out negative.

    Energy bills are among what is coming up as the cash flow counts them: stored ones not seen as paid, and forecast
    ones, in place of what is usually paid to the retailer. forecasts: as of `cashflow`.
    ics: a calendar file to write with what is coming up. Raises UsageError where a file of another kind is there.
    """
    with open_home(ctx) as (store, household):
        series, planned = expected_series(store, household, classified(store, household), ctx.today)
        points = [point.id for point in service_points(store, household)]
        issued, _ = issued_bills(store, household, ctx.today, planned)
    answer = recurring_answer(series, planned, ctx.today, bills=next_bills(ctx, points, issued, forecasts))
    if ics is not None:
        is_calendar = first_bytes(ics, len(CALENDAR_START)) == CALENDAR_START.encode() if ics.is_file() else False
        refuse_to_replace(ics, ctx.db, earlier="a calendar", is_earlier=lambda _path: is_calendar, option="--ics")
        private_file(ics)
        ics.write_text(calendar(answer.upcoming), encoding="utf-8", newline="")
    return answer


def calendar_of(answer: Recurring) -> str:
    """Return what is coming up as the text of a calendar file."""
    return calendar(answer.upcoming)
