"""Whether the money lasts, in sentences: the answer that the cash flow begins with. Amounts in AUD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from toolkit.answers.money import Cashflow, CashflowDay, LowPoint
from toolkit.answers.wording.ranges import likely_between
from toolkit.charts import style

FOR_ALL = (
    "Put off what can wait, bring in savings that are not among these accounts, or ask those who bill you for more "
    "time. What is due by then is listed below."
)
FROM_ANOTHER = "Move money into it from another account before then: all your accounts together last."


@dataclass(frozen=True, slots=True)
class Lasting:
    """How long the money of all accounts together, or of one, lasts."""

    last: date
    """Last day looked at."""
    low: LowPoint
    worst_day: date
    """The day on which it is lowest in a bad month; that of `low` without a range."""
    worst: Decimal | None
    """What is left on it in a bad month; None without a range."""
    but: str | None = None
    """What the accounts do not show: a "yes" is only as far as they do."""

    @classmethod
    def of(cls, days: Sequence[CashflowDay], low: LowPoint, *, but: str | None = None) -> Lasting:
        """Read it off the days of a cash flow with a known balance. but: of `not_shown`."""
        worst, day = min(((each.p10, each.date) for each in days if each.p10 is not None), default=(None, low.date))
        return cls(days[-1].date, low, day, worst, but)

    @property
    def is_short(self) -> bool:
        """Whether the balance is likely to fall below zero."""
        return (self.low.p50 or 0) < 0

    @property
    def may_be_short(self) -> bool:
        """Whether it falls below zero in a bad month, if not likely."""
        return not self.is_short and self.worst is not None and self.worst < 0

    def in_words(self, *, account: str | None = None, card: bool = False, others_last: bool = False) -> str:
        """Answer whether the money lasts, with what to do where it may not. Not escaped.

        account: the name of one; None for all together. card: it is a credit card, which owes by its nature.
        others_last: all accounts together last.
        """
        if card:
            return self._card(account or "This card")
        words = self.outcome("your money" if account is None else f"the money in {account}")
        todo = FROM_ANOTHER if account is not None and others_last else FOR_ALL
        return f"{words} {todo}" if self.is_short or self.may_be_short else words

    def outcome(self, money: str) -> str:
        """Answer whether `money` lasts, without what to do about it. Not escaped."""
        until, low = style.day(self.last), style.day(self.low.date)
        likely = style.aud(self.low.p50 or 0, cents=False)
        bad = "" if self.worst is None else style.aud(self.worst, cents=False)
        when = "" if self.worst_day == self.low.date else f" on {style.day(self.worst_day)}"
        if self.is_short:
            begun = f"{money[:1].upper()}{money[1:]} is likely to run short: the lowest is likely {likely} on {low}"
            return f"{begun}{self._after()}."
        if self.may_be_short:
            begun = f"It may run short: {money} should last until {until}, with {likely} left on {low}"
            return f"{begun}, but in a bad month it could fall to {bad}{when}."
        shown = f", as far as the accounts here show ({self.but})" if self.but else ""
        begun = f"Yes, {money} lasts until {until}{shown}: the lowest is likely {likely} on {low}{self._after()}."
        falls = self.worst is not None and round(self.worst) < round(self.low.p50 or 0)
        return f"{begun} In a bad month it could fall to {bad}{when}." if falls else begun

    def _card(self, account: str) -> str:
        owed = -(self.low.p50 or Decimal(0))
        if owed <= 0:
            return f"Nothing is likely to be owed on {account} until {style.day(self.last)}."
        most = f"The most you are likely to owe on {account} is {style.aud(owed, cents=False)}"
        words = f"{most}, on {style.day(self.low.date)}."
        if self.worst is None or round(-self.worst) <= round(owed):
            return words
        return f"{words} In a bad month it could be {style.aud(-self.worst, cents=False)}."

    def _after(self) -> str:
        paid = ", ".join(f"{item.title} ({style.aud(abs(item.amount))})" for item in self.low.cause)
        return f", after {paid}" if paid else ""


def not_shown(answer: Cashflow) -> str | None:
    """Say what the accounts do not show: cards that are not among them, and accounts without a balance. Not escaped."""
    cards, missing = answer.cards_elsewhere, [str(note.figures["account"]) for note in answer.balances_missing]
    words = [f"without the card that you pay as {name}" for name in cards] if len(cards) == 1 else []
    words += [f"without {len(cards)} cards that you pay"] if len(cards) > 1 else []
    words += [f"without {missing[0]}" if len(missing) == 1 else f"without {len(missing)} accounts"] if missing else []
    return " and ".join(words) or None


def between(low: LowPoint) -> str | None:
    """Word the range of the lowest balance; None where it has none, or both ends are the same dollar."""
    if low.p10 is None or low.p90 is None or round(low.p10) == round(low.p90):
        return None
    return likely_between(style.aud(low.p10, cents=False), style.aud(low.p90, cents=False))
