"""Compiled plans as no retailer publishes them: what arrays hold worst, for the pricing engine's exact paths."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random

from toolkit.analytics.energy.rates.model import (
    BandRate,
    Block,
    DemandCharge,
    Discount,
    Duration,
    Rates,
    RecurringCharge,
    Span,
    Supply,
    Tariff,
)

PRICES = [Decimal(text) for text in ("0.123456789012345", "31.5", "12345.678", "0.2", "0.0005", "0", "-0.05", "0.45")]
SPANS = [Span(), Span((3, 1), (2, 28)), Span(date(2024, 2, 28), date(2024, 4, 2)), Span((12, 1), (3, 5))]
LENGTHS = [Duration(Fraction(7), "day"), Duration(Fraction(1), "month"), Duration(Fraction(365, 4), "day")]


def odd(rates: Rates, dice: Random) -> Rates:
    """Change a plan in several places at random."""
    changed = replace(
        rates,
        periods=tuple(_tariff(tariff, dice) for tariff in rates.periods),
        controlled_loads=tuple(_tariff(tariff, dice) for tariff in rates.controlled_loads),
        feed_ins=tuple(_tariff(tariff, dice) for tariff in rates.feed_ins),
        demands=tuple(_demand(charge, dice) for charge in rates.demands),
        recurring=(*rates.recurring, *(_recurring(dice) for _ in range(dice.randrange(3)))),
        discounts=(*rates.discounts, *(_discount(dice) for _ in range(dice.randrange(3)))),
        time_zone=dice.choice(["AEST", "LOCAL"]),
    )
    return replace(changed, periods=changed.periods[: dice.choice([0, 1, 9, 9, 9, 9])])


def _tariff(tariff: Tariff, dice: Random) -> Tariff:
    kind = dice.randrange(12)
    supply = _supply(tariff.supply, dice)
    if kind == 0:
        return replace(tariff, bands=(), rates=(), supply=supply)
    zone = dice.choice(["AEST", "LOCAL"]) if kind < 4 else tariff.time_zone
    span = dice.choice(SPANS) if kind == 5 else tariff.span
    rates = tuple(_rate(rate, dice) if dice.randrange(3) == 0 else rate for rate in tariff.rates)
    return replace(tariff, time_zone=zone, span=span, rates=rates, supply=supply)


def _rate(rate: BandRate, dice: Random) -> BandRate:
    blocks = [
        Block(
            dice.choice(PRICES) if dice.randrange(2) else block.price,
            dice.choice([block.width, Decimal("7.123456789012"), Decimal(3)]),
            dice.choice(["added", "included", "none"]),
        )
        for block in rate.blocks[:-1]
    ]
    last = rate.blocks[-1]
    return replace(rate, blocks=(*blocks, replace(last, price=dice.choice([last.price, *PRICES]), width=None)))


def _supply(supply: Supply | None, dice: Random) -> Supply | None:
    kind = dice.randrange(5)
    if kind == 0:
        return None
    if kind == 1:
        return Supply(((Decimal(500), dice.choice(PRICES)), (Decimal(9000), Decimal("1.1")), (None, Decimal("2.2"))))
    return Supply(((None, dice.choice(PRICES)),)) if kind == 2 else supply


def _demand(charge: DemandCharge, dice: Random) -> DemandCharge:
    return replace(
        charge,
        monthly=dice.choice([True, False]),
        time_zone=dice.choice(["AEST", "LOCAL"]),
        price=dice.choice([charge.price, *PRICES]),
        least=dice.choice([charge.least, Decimal("1.12345678901"), Decimal(2), None]),
        most=dice.choice([charge.most, Decimal("3.12345678901"), Decimal(1), None]),
    )


def _recurring(dice: Random) -> RecurringCharge:
    component, gst = dice.choice(["fee", "metering"]), dice.choice(["added", "included", "none"])
    return RecurringCharge(component, f"fee {dice.randrange(99)}", dice.choice(PRICES), dice.choice(LENGTHS), gst)


def _discount(dice: Random) -> Discount:
    return Discount(
        label=f"discount {dice.randrange(99)}",
        base=dice.choice(["bill", "use", "over"]),
        share=dice.choice([Decimal("0.05"), Decimal("0.123456789012"), Decimal(0)]),
        guaranteed=dice.choice([True, False]),
        threshold=dice.choice([Decimal(0), Decimal(30), Decimal("20.1234567890123")]),
        span=dice.choice([Span(), Span(), *SPANS]),
    )
