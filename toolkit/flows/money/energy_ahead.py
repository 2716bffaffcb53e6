"""The energy bills to come, stored and forecast: one list for the cash flow, the calendar and regular payments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolkit.analytics.money.cash.energy_bill import IssuedBill, NextBill, bill_to_come, issued_alone
from toolkit.answers.energy.forecast import Forecast
from toolkit.errors import ToolkitError
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context


def next_bills(
    ctx: Context, points: Sequence[str], issued: Sequence[IssuedBill], forecasts: Mapping[str, Forecast] | None
) -> list[NextBill]:
    """Return the next bill of each meter that is still to be paid, and stored bills of which no forecast is made.

    points: the ids of the home's meters. issued: stored bills of which something is still to pay. forecasts: service
    point → the answer of `forecast`, where the caller has it already.
    """
    alone, found = list(issued), list[NextBill]()
    for answer in _forecasts(ctx, points, forecasts or {}):
        alone = [bill for bill in alone if bill.points[:1] != (answer.service_point_id,)]
        if to_come := bill_to_come(answer, ctx.today, issued):
            found.append(to_come)
    return [*found, *issued_alone(alone)]


def _forecasts(ctx: Context, points: Sequence[str], known: Mapping[str, Forecast]) -> Iterator[Forecast]:
    for point in points:
        try:
            yield known.get(point) or forecast(Context(ctx.db, ctx.today, ctx.household, point), smoothing=False)
        except ToolkitError:  # of this meter no next bill can be told
            continue
