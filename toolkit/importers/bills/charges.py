"""The charge lines of a bill: quantity × price = amount, and the part of a plan that each of them prices.

Beside them, lines with an amount alone: a membership, a discount, an adjustment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, product, takewhile
from typing import Literal

Component = Literal[
    "peak",
    "shoulder",
    "off_peak",
    "solar_soak",
    "anytime",
    "controlled_load",
    "controlled_load_supply",
    "supply",
    "feed_in",
]
Unit = Literal["kWh", "MJ", "day", "kW"]

_TOKEN = re.compile(
    r"(?<![\w.,/])(?P<before>[-–−]\s?)?(?P<dollar>\$\s?)?(?P<sign>[-–−])?"
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,6})?)(?![\d,]|\.\d)"
    r"(?P<cents>\s?(?:c|¢|cents?)(?![A-Za-z]))?"
    r"(?P<per>\s?(?:/|per )\s?(?:kWh|MJ|megajoules?|days?|kW|kVA|unit)(?![A-Za-z])"
    r"(?:\s?(?:/|per )\s?days?(?![A-Za-z]))?)?"
    r"(?P<unit>\s?(?:kWh|MJ|megajoules?|days?|kW|kVA)(?![A-Za-z]))?"
    r"(?P<credit>\s{0,3}(?:CR|credit)(?![A-Za-z]))?(?P<after>-)?",
    re.IGNORECASE,
)
_UNITS: dict[str, Unit] = {"kwh": "kWh", "mj": "MJ", "meg": "MJ", "day": "day", "kw": "kW", "kva": "kW"}
_CENT = Decimal("0.01")
_TWO_CENTS = Decimal("0.02")
_GST = Decimal("1.1")
_MOST_NUMBERS = 20
"""Numbers of a line; one with more is no charge, and would take too many steps."""
_NEAR = Decimal("0.02")
"""Share by which quantity × price may differ from the amount where only the quantity is wanted."""

_NO_CHARGE = re.compile(
    r"average|last (?:year|bill)|same time|compar|greenhouse|emission|benchmark|households?\b|target|total"
    r"|balance (?:of|due)|could|save",
    re.IGNORECASE,
)
"""Words of lines that charge nothing: they compare, sum up or advertise."""
_SUMMARY = re.compile(
    r"total|balance|new charges|amount (?:due|payable|owing|to pay)|\bdue\b|please pay|you owe|forward|overdue"
    r"|(?:previous|last|this) (?:bill|invoice|account|year)|\bGST\b|average|same time|compar"
    r"|(?<!late )(?<!card )\bpayments?\b(?! (?:processing|handling|fee|surcharge))",
    re.IGNORECASE,
)
"""Words of lines that sum up charges, or are of the account: balances, payments, tax."""
_WITH_GST = re.compile(r"\(?\b(?:incl?|including|inclusive of|ex|excl?|excluding)\b\.? GST\)?", re.IGNORECASE)
"""What a line of charges says of its own amount; the words of a line of tax are others."""
_OTHER_CHARGE = re.compile(
    r"green|carbon|metering|\bfees?\b|discount|concession|rebate|relief|member|adjust|levy|credit card|late pay"
    r"|environment|demand|capacity",
    re.IGNORECASE,
)
_IN_STEPS = re.compile(
    r"\b(?:first|next|remaining|remainder|step|block|tier|balance|over|above|up to|excess|thereafter)\b", re.IGNORECASE
)
_LOAD = re.compile(r"controlled|hot water|dedicated|off.?peak (?:hot|load)|\bCL ?[12]?\b", re.IGNORECASE)
_SOLD = re.compile(r"feed.?in|export|buy.?back|solar (?:credit|generation|energy sold)|\bFiT\b", re.IGNORECASE)
_SUPPLY = re.compile(r"supply|service|daily|fixed|access|standing", re.IGNORECASE)
_BANDS: tuple[tuple[Component, re.Pattern[str]], ...] = (
    ("controlled_load", _LOAD),
    ("solar_soak", re.compile(r"solar (?:soak|sponge)|super off.?peak", re.IGNORECASE)),
    ("off_peak", re.compile(r"off.?peak|\bnight", re.IGNORECASE)),
    ("shoulder", re.compile(r"shoulder", re.IGNORECASE)),
    ("peak", re.compile(r"\bpeak", re.IGNORECASE)),
    (
        "anytime",
        re.compile(
            r"usage|consumption|any.?time|general|all.?(?:day|time)|energy|gas|electricity|light|domestic|residential"
            r"|standard|flat|single",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Charge:
    """A line with quantity, price and amount that belong together.

    price: AUD per unit as printed. amount: AUD, a credit negative. line: the whole of it. is_exact: whether quantity ×
    price is the amount to two cents (and what rounding of printed figures explains), with GST or without.
    """

    line: str
    words: str
    quantity: Decimal
    unit: Unit | None
    price: Decimal
    amount: Decimal
    is_exact: bool

    @property
    def component(self) -> Component | None:
        """Return the part of a plan that the line prices; None where its words do not show one."""
        return component_of(self.words, self.unit, is_credit=self.amount < 0)


@dataclass(frozen=True, slots=True)
class NamedAmount:
    """A line of charges with an amount alone. amount: AUD with GST, a credit negative."""

    words: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class _Token:
    """A number of a line. scale: AUD of one; None where it may be cents or dollars. per, unit: what stands behind."""

    start: int
    end: int
    value: Decimal
    written: str
    is_price: bool
    scale: Decimal | None
    per: Unit | None
    unit: Unit | None
    is_dollars: bool
    is_credit: bool

    @property
    def rounding(self) -> Decimal:
        """Return half of the last printed digit."""
        return Decimal(5).scaleb(-1 - len(self.written.partition(".")[2]))


def charges(lines: Sequence[str]) -> Iterator[Charge]:
    """Yield the lines of a bill that give quantity, price and amount."""
    for line in lines:
        if not _NO_CHARGE.search(line) and (charge := _charge(line)):
            yield charge


def named_amounts(lines: Sequence[str], priced: Sequence[Charge], sums: Collection[Decimal]) -> tuple[NamedAmount, ...]:
    """Return the lines with an amount alone that are among the charges of a bill.

    priced: its charges, of `lines`. sums: AUD, what all charges together may come to. All of them or none: where they
    and the priced lines add up to none of the sums, some of them charge nothing, or others were not read.
    """
    written = {charge.line for charge in priced}
    named = list(filter(None, (_named(line) for line in _among_charges(lines, written))))
    charged = sum((charge.amount for charge in priced), Decimal(0)) + sum((each.amount for each in named), Decimal(0))
    return tuple(named) if any(abs(charged - billed) <= _TWO_CENTS for billed in sums) else ()


def _among_charges(lines: Sequence[str], priced: Collection[str]) -> Iterator[str]:
    """Yield the other lines between and around the priced ones, up to those that sum up or are of the account."""
    places = [number for number, line in enumerate(lines) if line in priced]
    if not places:
        return
    before, after = reversed(lines[: places[0]]), lines[places[-1] + 1 :]
    yield from reversed(list(takewhile(lambda line: not _sums_up(line), before)))
    yield from (line for line in lines[places[0] : places[-1]] if line not in priced and not _sums_up(line))
    yield from takewhile(lambda line: not _sums_up(line), after)


def _sums_up(line: str) -> bool:
    return any(_tokens(line)) and _SUMMARY.search(_WITH_GST.sub("", line)) is not None


def _named(line: str) -> NamedAmount | None:
    """Return the amount at a line's end, with the words before it; None where it has no such amount, or no words."""
    tokens = list(islice(_tokens(line), _MOST_NUMBERS))
    amount = _amount(tokens) if tokens else None
    if amount is None or line[amount.end :].strip():
        return None
    words = _words(line, amount.start) if line[: amount.start].strip() else ""
    if not re.search(r"[A-Za-z]{3}", words):
        return None
    return NamedAmount(words, -amount.value if amount.is_credit else amount.value)


def component_of(words: str, unit: Unit | None, *, is_credit: bool) -> Component | None:
    """Return the part of a plan that a charge prices, by its words and unit; None where they do not show one."""
    if _OTHER_CHARGE.search(words) or _IN_STEPS.search(words):
        return None
    if unit == "day" and not is_credit:
        return "controlled_load_supply" if _LOAD.search(words) else "supply" if _SUPPLY.search(words) else None
    if unit not in ("kWh", "MJ"):
        return None
    if is_credit or _SOLD.search(words):
        return "feed_in" if _SOLD.search(words) or "solar" in words.lower() else None
    return next((band for band, named in _BANDS if named.search(words)), None)


def _tokens(line: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(line):
        per, unit = (_unit(match[group]) for group in ("per", "unit"))
        is_price = bool(match["cents"] or match["per"])
        scale = _CENT if match["cents"] else Decimal(1) if match["dollar"] else None
        yield _Token(
            start=match.start(),
            end=match.end(),
            value=Decimal(match["number"].replace(",", "")),
            written=match["number"],
            is_price=is_price,
            scale=scale,
            per=per,
            unit=unit,
            is_dollars=bool(match["dollar"]),
            is_credit=any(match[group] for group in ("before", "sign", "credit", "after")),
        )


def _unit(written: str | None) -> Unit | None:
    if written is None:
        return None
    word = re.sub(r"^\s*(?:/|per )?\s*", "", written.lower())
    return next((unit for begin, unit in _UNITS.items() if word.startswith(begin)), None)


def _amount(tokens: Sequence[_Token]) -> _Token | None:
    """Return the last number, where it is an amount of money: two decimals, no price and no quantity."""
    last = tokens[-1]
    has_cents = len(last.written.partition(".")[2]) == 2
    return last if has_cents and not last.is_price and last.unit is None and last.value > 0 else None


def _charge(line: str) -> Charge | None:
    """Return what a line charges; None where no quantity and price in it make its amount."""
    tokens = list(islice(_tokens(line), _MOST_NUMBERS + 1))
    if not 3 <= len(tokens) <= _MOST_NUMBERS or (amount := _amount(tokens)) is None:
        return None
    before = tokens[:-1]
    quantities = [token for token in before if token.unit and not token.is_price]
    quantities = quantities or [token for token in before if not token.is_price and not token.is_dollars]
    prices = [token for token in before if token.is_price] or [token for token in before if token.unit is None]
    near = None
    for quantity, price in product(quantities, prices):
        if quantity is price:
            continue
        charge = _confirmed(line, quantity, price, amount)
        if charge and charge.is_exact:
            return charge
        near = near or charge
    return near


def _confirmed(line: str, quantity: _Token, price: _Token, amount: _Token) -> Charge | None:
    unit = quantity.unit or price.per
    if quantity.unit and price.per and quantity.unit != price.per:
        return None
    is_stated = bool(quantity.unit and (price.is_price or price.is_dollars))
    near = None
    for scale in (price.scale,) if price.scale else (Decimal(1), _CENT):
        each = price.value * scale
        slack = _TWO_CENTS
        if is_stated:  # figures are printed rounded
            slack += quantity.rounding * each + price.rounding * scale * quantity.value
        for cost in (quantity.value * each, quantity.value * each * _GST):
            is_exact = abs(cost - amount.value) <= slack
            if is_exact or abs(cost - amount.value) <= _NEAR * amount.value:
                signed = -amount.value if amount.is_credit else amount.value
                words = _words(line, quantity.start)
                charge = Charge(line, words, quantity.value, unit or _implied(words), each, signed, is_exact)
                if is_exact:
                    return charge
                near = near or charge
    return near


def _implied(words: str) -> Unit | None:
    """Return days for a daily charge whose line names no unit."""
    return "day" if re.search(r"\b(?:supply|daily)\b", words, re.IGNORECASE) else None


def _words(line: str, end: int) -> str:
    """Return the description: the first cell of a line, up to its figures, without a sentence's beginning."""
    cell = re.split(r"\s{2,}", line[:end].strip())[0] or line.strip()
    return cell.rpartition(": ")[2].strip(" :-–@x×")[:80]
