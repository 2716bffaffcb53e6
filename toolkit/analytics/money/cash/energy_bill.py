"""The next energy bill in the cash flow: added on its due date, unless equal payments to a retailer spread it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toolkit.analytics.money.cash.flow import Expected, bill_draws
from toolkit.analytics.money.cash.recurring import Series
from toolkit.tables.reference.categories import ENERGY

SOURCE = "energy_bill"
_WEEKS_APART = 20
"""Days: bills do not come more often; payments that do are bill smoothing."""


@dataclass(frozen=True, slots=True)
class NextBill:
    """A forecast energy bill in cents, positive; the range is null where it is not known."""

    name: str
    due: date
    p10: int | None
    p50: int
    p90: int | None
    period_days: int
    """Days from one bill to the next."""


def is_smoothed(series: Series) -> bool:
    """Whether payments to a retailer spread bills evenly: of one amount, of whole dollars, or every few weeks."""
    equal = series.low == series.high and not series.changes
    whole = all(cents % 100 == 0 for cents in (*series.recent, series.usual))
    return equal or whole or series.cadence.mean_days <= _WEEKS_APART


def with_energy_bills(
    series: Sequence[Series], bills: Iterable[NextBill], *, account_id: str | None, last: date
) -> tuple[list[Series], list[Expected]]:
    """Return the series without payments that forecast bills take the place of, and these bills up to `last`.

    account_id: the account that pays, where no past payment shows it. An equal payment counts as one bill: that one is
    not added. The series of unequal payments keeps its days after the first bill.
    """
    energy = [entry for entry in series if entry.category == ENERGY and entry.usual < 0 and not entry.ended]
    smoothed = [entry for entry in energy if is_smoothed(entry)]
    unequal = [entry for entry in energy if entry not in smoothed]
    left = list(series)
    expected = []
    for bill in sorted(bills, key=lambda bill: -bill.p50)[len(smoothed) :]:
        paid = min(unequal, key=lambda entry: abs(-entry.usual - bill.p50), default=None)
        account, draws = account_id, tuple[int, ...]()
        if bill.p10 is not None and bill.p90 is not None:
            draws = tuple(-cents for cents in bill_draws(bill.p10, bill.p50, bill.p90))
        days = [bill.due]
        if paid is None:
            while (day := days[-1] + timedelta(days=bill.period_days)) <= last:
                days.append(day)
        else:
            unequal.remove(paid)
            account = paid.account_id
            near = bill.due + timedelta(days=bill.period_days // 2)
            kept = replace(paid, due=tuple(day for day in paid.due if day > near))
            left[left.index(paid)] = kept
        expected += [Expected(day, bill.name, -bill.p50, SOURCE, account, draws) for day in days if day <= last]
    return left, expected
