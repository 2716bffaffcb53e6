"""The energy on a bill's charge lines: quantity × rate = amount, by register."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Fuel = Literal["ELECTRICITY", "GAS"]

_NAMES = (
    ("controlled load", re.compile(r"controlled|hot water|dedicated|\bCL ?[12]?\b", re.IGNORECASE)),
    ("solar", re.compile(r"solar|feed.?in|export|generation|buy.?back", re.IGNORECASE)),
    ("off-peak", re.compile(r"off.?peak", re.IGNORECASE)),
    ("shoulder", re.compile(r"shoulder", re.IGNORECASE)),
    ("peak", re.compile(r"\bpeak", re.IGNORECASE)),
    (
        "general",
        re.compile(
            r"usage|consumption|any.?time|general|all.?day|step|block|first|next|remaining|balance|tier|energy|gas|"
            r"electricity|light|domestic|residential|standard",
            re.IGNORECASE,
        ),
    ),
)
"""Register by words of its charge line, in order: off-peak hot water is controlled load, off-peak is not peak."""
_NOT_CHARGED = re.compile(
    r"average|per day|a day|last (?:year|bill)|same time|compar|greenhouse|emission|benchmark|household|demand|supply|"
    r"c/|¢/|target|discount",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"total", re.IGNORECASE)
_STATED = re.compile(r"total|usage|used|consumption", re.IGNORECASE)
"""Words of lines that state the energy without a charge; lines that charge a total repeat others."""
_NUMBER = re.compile(r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,6})?(?![\d,]|\.\d)")
_UNIT_NAMES = {"ELECTRICITY": "kWh", "GAS": "MJ"}
_UNIT = {"ELECTRICITY": re.compile(r"\s?kWh\b"), "GAS": re.compile(r"\s?MJ\b|\s?megajoules?\b", re.IGNORECASE)}
_RATE = {fuel: re.compile(rf"(?:c|¢|\$|cents?) ?(?:/|per) ?{unit}\b") for fuel, unit in _UNIT_NAMES.items()}
"""The price unit of a line, such as c/kWh."""
_TOLERANCE = Decimal("0.02")
"""Share by which quantity × rate may differ from the amount: rates are printed rounded."""


@dataclass(frozen=True, slots=True)
class Register:
    """Energy of one register as charged. unit: kWh or MJ."""

    name: str
    quantity: Decimal
    unit: str


def registers(lines: Sequence[str], fuel: Fuel | None) -> tuple[Register, ...]:
    """Return the energy by register, from lines that charge it; else from lines with a rate, or one with the total."""
    if fuel is None:
        return ()
    sums: dict[str, Decimal] = {}
    for line in lines:
        charged = _charged(line, fuel)
        if charged is not None and not _TOTAL.search(line) and (name := _register(line)):
            sums[name] = sums.get(name, Decimal(0)) + charged
    for line in lines if not sums else ():
        if _RATE[fuel].search(line) and not _TOTAL.search(line) and (name := _register(line)):
            priced = _measured(line, fuel)
            sums |= {} if priced is None else {name: sums.get(name, Decimal(0)) + priced}
    if not sums:
        totals = [known for line in lines if _STATED.search(line) and (known := _measured(line, fuel)) is not None]
        sums = {"general": totals[0]} if totals else {}
    return tuple(Register(name, quantity, _UNIT_NAMES[fuel]) for name, quantity in sums.items())


def _register(line: str) -> str | None:
    return next((name for name, words in _NAMES if words.search(line)), None)


def _charged(line: str, fuel: Fuel) -> Decimal | None:
    """Return the quantity of a line that gives quantity, rate and amount; None where the three do not fit."""
    written = [match[0].lstrip("-").replace(",", "") for match in _NUMBER.finditer(line)]
    numbers = [Decimal(number) for number in written]
    if (
        len(numbers) < 3
        or not written[-1][:-2].endswith(".")
        or (_NOT_CHARGED.search(_without_rate(line)) and _measured(line, fuel) is None)
    ):
        return None
    quantities = [quantity] if (quantity := _measured(line, fuel)) is not None else numbers[:-2]
    for quantity in quantities:
        for rate in numbers[:-1]:
            if rate != quantity and _fits(quantity, rate, numbers[-1]):
                return quantity
    return None


def _fits(quantity: Decimal, rate: Decimal, amount: Decimal) -> bool:
    """Whether quantity × rate is the amount: rate in dollars or cents, with or without GST."""
    costs = (quantity * rate * scale for scale in (Decimal(1), Decimal("0.01"), Decimal("1.1"), Decimal("0.011")))
    return amount > 0 and any(abs(cost - amount) <= _TOLERANCE * amount for cost in costs)


def _measured(line: str, fuel: Fuel) -> Decimal | None:
    """Return the number with the fuel's unit; None for an average, a comparison or a rate."""
    if _NOT_CHARGED.search(_without_rate(line)):
        return None
    for match in _NUMBER.finditer(line):
        if _UNIT[fuel].match(line, match.end()):
            return abs(Decimal(match[0].replace(",", "")))
    return None


def _without_rate(line: str) -> str:
    """Return the line without its price unit, such as `c/kWh` or `per kWh`."""
    return re.sub(r"(?:[c¢$]\s?/|cents? per |per )\s?(?:kWh|MJ|day)", "", line, flags=re.IGNORECASE)
