"""The energy on a bill's charge lines: quantity × rate = amount, by register."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from toolkit.importers.bills.charges import Charge

Fuel = Literal["ELECTRICITY", "GAS"]

_NAMES = (
    ("controlled load", re.compile(r"controlled|hot water|dedicated|\bCL ?[12]?\b", re.IGNORECASE)),
    ("solar soak", re.compile(r"solar (?:soak|sponge)", re.IGNORECASE)),
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


@dataclass(frozen=True, slots=True)
class Register:
    """Energy of one register as charged. unit: kWh or MJ."""

    name: str
    quantity: Decimal
    unit: str


def registers(lines: Sequence[str], fuel: Fuel | None, charged: Sequence[Charge]) -> tuple[Register, ...]:
    """Return the energy by register, from lines that charge it; else from lines with a rate, or one with the total."""
    if fuel is None:
        return ()
    sums: dict[str, Decimal] = {}
    for charge in charged:
        if _is_of_energy(charge, fuel) and (name := _register(charge.line)):
            sums[name] = sums.get(name, Decimal(0)) + charge.quantity
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


def _is_of_energy(charge: Charge, fuel: Fuel) -> bool:
    if charge.unit not in (_UNIT_NAMES[fuel], None):
        return False
    return not _NOT_CHARGED.search(_without_rate(charge.line)) or _measured(charge.line, fuel) is not None


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
