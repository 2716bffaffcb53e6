"""Families whose money is known: transactions of two accounts with what each is. Nothing of the toolkit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random

SHOPS = {
    "FOOD_AND_DRINK": (
        "WOOLWORTHS 1234 SYDNEY AU",
        "COLES 0456 RYDE",
        "ALDI STORES GLEBE",
        "MCDONALDS NEWTOWN",
    ),
    "TRANSPORTATION": ("BP EXPRESS ASHFIELD", "OPAL TRANSPORT FOR NSW", "AMPOL FOODARY DUBBO"),
    "MEDICAL": ("CHEMIST WAREHOUSE BURWOOD", "PRICELINE PHARMACY"),
    "GENERAL_MERCHANDISE": ("KMART 1021 BROADWAY", "BIG W 0223"),
    "ENTERTAINMENT": ("NETFLIX.COM", "SPOTIFY P0A1B2C3"),
}
"""What is bought where, by the category that it belongs to."""

MONTHLY = {"NETFLIX.COM": ("16.99", 4), "SPOTIFY P0A1B2C3": ("13.99", 21)}
"""Subscriptions: price and day of the month."""


@dataclass(frozen=True)
class Movement:
    """A transaction. truth: its category, or `income` or `transfer`."""

    account: str
    day: date
    cents: int
    description: str
    truth: str


@dataclass
class Family:
    """Two accounts over some months, and what is true of them."""

    movements: list[Movement] = field(default_factory=list)

    @property
    def spent(self) -> dict[str, Decimal]:
        """Dollars spent, by category."""
        sums: Counter[str] = Counter()
        for each in self.movements:
            if each.truth not in ("income", "transfer"):
                sums[each.truth] -= each.cents
        return {name: Decimal(cents) / 100 for name, cents in sums.items()}

    def total(self, truth: str) -> Decimal:
        """Return the dollars that came in as `income`, or went out as a `transfer`."""
        return Decimal(sum(each.cents for each in self.movements if each.truth == truth and each.cents > 0)) / 100

    def csv(self) -> str:
        """Return a bank's export of both accounts, in order of days."""
        rows = [
            f"{each.day:%d/%m/%Y},{Decimal(each.cents) / 100:.2f},{each.description},{each.account}"
            for each in sorted(self.movements, key=lambda movement: movement.day)
        ]
        return "\n".join(["Date,Amount,Description,Account", *rows, ""])


def family(seed: int, *, first: date = date(2025, 1, 1), months: int = 6) -> Family:
    """Return a family that is paid each fortnight, saves each month, subscribes, and shops at random."""
    chance, made = Random(seed), Family()
    days = [first + timedelta(n) for n in range(months * 30)]
    wage = chance.randrange(150_000, 400_000)
    shops = [(name, shop) for name, listed in SHOPS.items() for shop in listed if shop not in MONTHLY]
    for day in days:
        if (day - first).days % 14 == 3:
            made.movements.append(Movement("12345678", day, wage, "SALARY ACME PTY LTD", "income"))
        if day.day == 5:
            saved = chance.randrange(20_000, 60_000)
            made.movements.append(Movement("12345678", day, -saved, "TRANSFER TO XX4321", "transfer"))
            made.movements.append(Movement("87654321", day, saved, "TRANSFER FROM XX5678", "transfer"))
        for shop, (price, on) in MONTHLY.items():
            if day.day == on:
                made.movements.append(Movement("12345678", day, -int(Decimal(price) * 100), shop, "ENTERTAINMENT"))
        for _ in range(chance.randrange(3)):
            name, shop = chance.choice(shops)
            made.movements.append(Movement("12345678", day, -chance.randrange(300, 20_000), shop, name))
    return made
