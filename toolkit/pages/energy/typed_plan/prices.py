"""A price as typed, of each of its tiers."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from toolkit.answers.energy.typed_plans import BlockPeriod, Tier, TypedRate
from toolkit.errors import UsageError
from toolkit.flows.plans.typed import typed_number

PERIODS: tuple[BlockPeriod, ...] = ("day", "month", "quarter", "year")
DAYS = {"Every day": "", "Monday to Friday": "Mon-Fri", "Saturday and Sunday": "Sat-Sun"}
UNREAD = Decimal("NaN")
"""In place of what is not a number, so that the rest of the plan is checked all the same."""


class PriceFields(NamedTuple):
    """A price as typed, of each tier; firsts: how much each tier but the last is for, in each `per`."""

    prices: tuple[str, ...]
    firsts: tuple[str, ...] = ()
    per: BlockPeriod = "day"

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed."""
        return not any(text.strip() for text in (*self.prices, *self.firsts))

    @property
    def is_tiered(self) -> bool:
        """Whether more than the first price was typed."""
        return any(text.strip() for text in (*self.prices[1:], *self.firsts))

    def rate(self, where: str, *, days: str = "", hours: str = "", months: str = "") -> TypedRate:
        """Return the rate. Raises UsageError for what is not a number, or is missing."""
        written = [price.strip() for price in self.prices]
        sizes = [first.strip() for first in self.firsts]
        if self.is_empty:
            raise UsageError(f"{where}: enter its price.", option=where)
        if not self.is_tiered:
            return TypedRate(name=where, price=typed_number(where, written[0]), days=days, hours=hours, months=months)
        if not all((*written, *sizes)):
            raise UsageError(
                f"{where}: enter the price of every tier, and how much each but the last is for.", option=where
            )
        amounts = [*(typed_number(where, size) for size in sizes), None]
        tiers = tuple(Tier(typed_number(where, price), first) for price, first in zip(written, amounts, strict=True))
        return TypedRate(name=where, tiers=tiers, per=self.per, days=days, hours=hours, months=months)


def number(price: Decimal | None) -> str:
    """Return a price as a person would type it; empty where there is none."""
    text = "" if price is None else f"{price:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
