"""Discounts of one billing period as lines: percentages of the lines that they apply to (pricing rule 10).

The lines of a bill come from here. The totals of many plans come from the arrays of `charges`, but for plans with a
discount on some days only, or with figures that arrays do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from toolkit.analytics.energy.pricing.model import Component, Line, Price, Quantity
from toolkit.analytics.energy.rates.contract import PlanMessages
from toolkit.analytics.energy.rates.model import Discount
from toolkit.answers.base import Period
from toolkit.answers.energy.bills import Discounts

_BASES: dict[str, frozenset[Component]] = {
    "bill": frozenset(("supply", "usage", "controlled_load", "demand")),
    "use": frozenset(("usage", "controlled_load")),
    "over": frozenset(("usage",)),
}


@dataclass(frozen=True, slots=True)
class DiscountReader:
    """Reads the discounts of one billing period. lines: its charges."""

    period: Period
    """The days that are billed."""
    whole_period: Period
    lines: Sequence[Line]
    wanted: Discounts
    messages: PlanMessages

    def read(self, discounts: Sequence[Discount]) -> Iterator[Line]:
        """Yield a line for all discounts on each base, and one for each discount on usage over a threshold."""
        earned = [discount for discount in discounts if self._counts(discount) and self._days_in_force(discount)]
        for base in ("bill", "use"):
            together = [discount for discount in earned if discount.base == base]
            if together and (amount := self._sum(base)):
                yield self._line(together, Fraction(amount, 100))
        for discount in earned:
            beyond = self._amount_beyond(discount) if discount.base == "over" else Fraction(0)
            if beyond:
                yield self._line([discount], beyond)

    def _counts(self, discount: Discount) -> bool:
        """Return whether the chosen option counts the discount; a condition is noted."""
        if discount.guaranteed or self.wanted == "none":
            return self.wanted != "none"
        self.messages.note("condition_assumed" if self.wanted == "all" else "condition_not_met", label=discount.label)
        return self.wanted == "all"

    def _days_in_force(self, discount: Discount) -> int:
        """Return how many days of the bill a discount with dates applies to (rule 8); noted where not to all."""
        length = self.period.days
        if discount.span.always:
            return length
        days = sum(discount.span.covers(self.period.first + timedelta(n)) for n in range(length))
        if 0 < days < length:
            self.messages.note("discount_on_some_days", label=discount.label, days=days, period_days=length)
        return days

    def _sum(self, base: str) -> int:
        """Return the cents of the lines that a discount of that base applies to."""
        return sum(line.amount_minor for line in self.lines if line.component in _BASES[base])

    def _amount_beyond(self, discount: Discount) -> Fraction:
        """Return the part of the usage amount, in AUD, beyond the period's share of the threshold's energy."""
        energy = sum((line.quantity for line in self.lines if line.component == "usage"), Fraction(0))
        threshold = Fraction(discount.threshold) * Fraction(self.period.days, self.whole_period.days)
        beyond = max(energy - threshold, Fraction(0))
        return Fraction(self._sum("over"), 100) * beyond / energy if energy else Fraction(0)

    def _line(self, together: Sequence[Discount], base: Fraction) -> Line:
        """Return the line of discounts on one base. quantity: AUD they apply to, by days in force; price: the share."""
        share = sum((discount.share for discount in together), Decimal(0))
        by_days = sum((Fraction(d.share) * self._days_in_force(d) for d in together), Fraction(0)) / self.period.days
        quantity = base * by_days / Fraction(share) if share else Fraction(0)
        label = " + ".join(discount.label for discount in together)
        return Line.priced("discount", label, self.period, Quantity(quantity, "$"), Price(-share, "included"))
