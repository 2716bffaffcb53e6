"""What a bill's text states: dates, amounts, meter, plan and energy, for a person to check. Guesses are marked.

The wording is that of Australian retailers' bills; which field a phrase means is in `wording`, most certain first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, TypeVar

from toolkit.importers.bills import wording
from toolkit.importers.bills.charges import Charge, NamedAmount, charges, named_amounts
from toolkit.importers.bills.energy import Register, registers
from toolkit.importers.bills.lines import Found, Lines, amounts, dates, spans, texts
from toolkit.tables.reference.retailers import known_retailers

V = TypeVar("V")
Doubt = Literal["both_fuels", "days", "due", "new_charges", "fuel", "estimated"]
FIELDS = ("fuel", "period", "billed", "retailer", "due", "meter", "plan", "energy")
"""Fields that are worth a sentence where absent, in the order of the form."""

_SHORTEST, _LONGEST = timedelta(5), timedelta(135)
"""Days between the first and last day of a bill: final bills are short, the longest are of four months."""
_WITHOUT_GST = re.compile(wording.WITHOUT_GST, re.IGNORECASE)
_CONCESSION = re.compile(wording.CONCESSION, re.IGNORECASE)
_CONCESSIONS_TOGETHER = re.compile(wording.CONCESSIONS_TOGETHER, re.IGNORECASE)
_OFFERED = re.compile(wording.OFFERED, re.IGNORECASE)
_POSTCODE = re.compile(r"\b(?:ACT|NSW|NT|QLD|SA|TAS|VIC|WA)[\s,]{1,5}(\d{4})(?!\d)", re.IGNORECASE)
_OTHER_NUMBER = re.compile(wording.OTHER_NUMBER, re.IGNORECASE)
_NOT_A_PLAN = re.compile(wording.NOT_A_PLAN, re.IGNORECASE)
_READ = re.compile(wording.READ, re.IGNORECASE)
_ENERGY_COMPANY = re.compile(wording.ENERGY_COMPANY)
_COMMON_ENDING = re.compile(r" (?:Energy|Power|Electricity|Gas)$")
_TOP_LINES = 8
"""Lines at the top of a bill in which the retailer's name stands."""
_METER = re.compile(r"(?<![A-Z0-9])(?:[A-Z0-9] ?){9,10}[A-Z0-9](?![A-Z0-9])", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?<![\w/-])(?:[A-Z]{0,4}[ -]?)?(?:\d[\d-]{2,14}|\d{1,2}(?= \d{2}))(?: \d{2,6}){0,4}(?![\w])", re.IGNORECASE
)


@dataclass(slots=True)
class BillDraft:
    """The fields of a bill as far as its text shows them. Amounts in AUD; None: not found."""

    fuel: Literal["ELECTRICITY", "GAS"] | None = None
    first: date | None = None
    last: date | None = None
    billed: Decimal | None = None
    """New charges with GST."""
    retailer: str | None = None
    issued: date | None = None
    due: date | None = None
    payments: Decimal | None = None
    """Positive."""
    carried: Decimal | None = None
    """Balance brought forward; a credit is negative."""
    concession: Decimal | None = None
    """Positive."""
    registers: tuple[Register, ...] = ()
    charges: tuple[Charge, ...] = ()
    """The lines whose quantity × price is their amount."""
    named_amounts: tuple[NamedAmount, ...] = ()
    """The other lines of charges, where all of them together are the new charges."""
    number: str | None = None
    plan: str | None = None
    meter: str | None = None
    """NMI or MIRN."""
    postcode: str | None = None
    """Of the address that is supplied, four digits."""
    estimated: bool | None = None
    missing: list[str] = field(default_factory=list)
    """Those of `FIELDS` that were not found."""
    doubts: list[Doubt] = field(default_factory=list)
    """What does not agree with itself."""


def read_bill(text: str) -> BillDraft:
    """Read the text of one bill, columns apart by spaces. Never raises; what is not found is named in `missing`."""
    lines = Lines.of(text)
    text = "\n".join(lines.lines)
    # Both words are those of a legend.
    words = {next(filter(None, match.groups())).lower()[:3] for match in _READ.finditer(text)}
    estimated = words == {"est"} if len(words) == 1 else None
    draft = BillDraft(retailer=_retailer(lines, text), estimated=estimated)
    _read_meter(draft, lines, text)
    _read_days(draft, lines)
    _read_amounts(draft, lines)
    draft.due, draft.issued = _first(lines, wording.DUE, dates), _first(lines, wording.ISSUED, dates)
    draft.number, draft.plan = _first(lines, wording.NUMBER, _references), _plan(lines)
    draft.postcode = _first(lines, wording.SUPPLY_ADDRESS, _postcodes)
    charged = list(charges(lines.lines))
    draft.registers = registers(lines.lines, draft.fuel, charged)
    draft.charges = tuple(charge for charge in charged if charge.is_exact)
    if draft.billed is not None:
        sums = {draft.billed, draft.billed + (draft.concession or 0)}  # some bills take the concession off below
        draft.named_amounts = named_amounts(lines.lines, draft.charges, sums)
    found = {
        "fuel": draft.fuel,
        "period": draft.first,
        "billed": draft.billed,
        "retailer": draft.retailer,
        "due": draft.due,
        "meter": draft.meter,
        "plan": draft.plan,
        "energy": draft.registers or None,
    }
    draft.missing = [name for name in FIELDS if found[name] is None]
    return draft


def _each(lines: Lines, labels: Sequence[str], values: Callable[[str], Iterator[Found[V]]]) -> Iterator[V]:
    for label in labels:
        yield from lines.labelled(re.compile(rf"(?<![a-z])(?:{label})", re.IGNORECASE), values)


def _first(lines: Lines, labels: Sequence[str], values: Callable[[str], Iterator[Found[V]]]) -> V | None:
    return next(_each(lines, labels, values), None)


def _postcodes(line: str) -> Iterator[Found[str]]:
    """Yield the postcodes of a line, each behind its state."""
    for match in _POSTCODE.finditer(line):
        yield match.start(), match.end(), match[1]


def _read_meter(draft: BillDraft, lines: Lines, text: str) -> None:
    """Read fuel and meter number: the number's name shows the fuel, else the unit that occurs more often."""
    nmi, mirn = _first(lines, wording.NMI, _meters), _first(lines, wording.MIRN, _meters)
    power, gas = len(re.findall(r"kWh\b", text)), len(re.findall(r"\bMJ\b|megajoules?", text))
    if nmi and mirn:
        draft.doubts.append("both_fuels")
    elif nmi or mirn:
        draft.fuel, draft.meter = ("ELECTRICITY", nmi) if nmi else ("GAS", mirn)
    elif power != gas:
        draft.fuel = "ELECTRICITY" if power > gas else "GAS"
        draft.doubts.append("fuel")


def _read_days(draft: BillDraft, lines: Lines) -> None:
    """Read the period: behind its label, else the one that occurs most often; check the number of days next to it."""
    usual = [span for span in _each(lines, wording.PERIOD, spans) if _SHORTEST <= span[1] - span[0] <= _LONGEST]
    if not usual:
        everywhere = [span for line in lines.lines for _, _, span in spans(line)]
        counts = Counter(span for span in everywhere if _SHORTEST <= span[1] - span[0] <= _LONGEST)
        usual = [span for span, _ in counts.most_common(1)]
    if usual:
        draft.first, draft.last = usual[0]
        days = (draft.last - draft.first).days + 1
        stated = {int(number) for line in lines.lines for number in re.findall(r"(?<![\d.])(\d{1,3}) days\b", line)}
        if days not in stated and days - 1 in stated:
            draft.doubts.append("days")


def _read_amounts(draft: BillDraft, lines: Lines) -> None:
    """Read the amounts of the account summary, and check that they add up."""
    draft.billed = _first(
        Lines([line for line in lines.lines if not _WITHOUT_GST.search(line)]), wording.NEW_CHARGES, amounts
    )
    due = _first(lines, wording.AMOUNT_DUE, amounts)
    opening, carried = _first(lines, wording.OPENING_BALANCE, amounts), _first(lines, wording.BALANCE_FORWARD, amounts)
    paid = _first(lines, wording.PAYMENTS, amounts)
    if opening is not None:
        draft.carried, draft.payments = opening, abs(paid) if paid is not None else None
    elif carried is not None:
        draft.carried = carried
    draft.concession = _concession(lines)
    left = (draft.carried or Decimal(0)) - (draft.payments or Decimal(0))
    if draft.billed is None and due is not None:
        draft.billed = due - left
        draft.doubts.append("new_charges")
    elif draft.billed is not None and due is not None and due != draft.billed + left:
        if draft.concession and due == draft.billed - draft.concession + left:
            draft.billed -= draft.concession  # a summary with the concession below the new charges
        else:
            draft.doubts.append("due")


def _concession(lines: Lines) -> Decimal | None:
    """Return the sum of the concessions, each counted once: a summary on the first page repeats those of the lines."""
    together: list[Decimal] = []
    single: dict[tuple[str, Decimal], None] = {}
    for line in lines.lines:
        found = list(amounts(line))
        if not found or not _CONCESSION.search(line) or _OFFERED.search(line):
            continue
        begin, _, amount = found[-1]
        if _CONCESSIONS_TOGETHER.match(line):
            together.append(abs(amount))
        else:
            single[" ".join(line[:begin].casefold().split()), abs(amount)] = None
    each = sum((amount for _, amount in single), Decimal(0))
    return max([each, *together]) or None


def _meters(line: str) -> Iterator[Found[str]]:
    for match in _METER.finditer(line):
        number = match[0].replace(" ", "").upper()
        if sum(char.isdigit() for char in number) >= 6:
            yield match.start(), match.end(), number


def _references(line: str) -> Iterator[Found[str]]:
    days = [(begin, end) for begin, end, _ in dates(line)]
    for match in _REFERENCE.finditer(line):
        if any(begin < match.end() and match.start() < end for begin, end in days) or _OTHER_NUMBER.match(match[0]):
            continue
        yield match.start(), match.end(), match[0].strip()


def _plan(lines: Lines) -> str | None:
    """Return the plan's name: a text that is not itself a label, an amount or a date."""
    for name in _each(lines, wording.PLAN, texts):
        bare = re.sub(r"\s+plan$", "", name.strip(" .-"), flags=re.IGNORECASE)
        if _NOT_A_PLAN.search(bare):
            continue
        if 3 <= len(bare) <= 60 and re.search(r"[A-Za-z]{3}", bare) and not (any(amounts(bare)) or any(dates(bare))):
            return bare
    return None


def _retailer(lines: Lines, text: str) -> str | None:
    """Return the known brand that occurs most often, the longest of equals; else a name at the top of the bill.

    A brand is also known by its web address, and by the short form that stands alone at the top (“Origin”).
    """
    names = {brand.split(" (")[0] for brand in known_retailers().values()}
    top = [name for line in lines.lines[:_TOP_LINES] for *_, name in texts(line)]
    counts = {name: _mentions(name, text) + top.count(_COMMON_ENDING.sub("", name)) for name in names}
    brand = max(sorted(counts), key=lambda name: (counts[name], len(name)))
    return brand if counts[brand] else next((name for name in top if _ENERGY_COMPANY.fullmatch(name)), None)


def _mentions(name: str, text: str) -> int:
    """Return how often a text names a brand, or the site of that name."""
    site = re.sub(r"[^a-z0-9]+", "", name.casefold())
    written = sum(len(re.findall(rf"\b{re.escape(way)}\b", text)) for way in {name, name.upper()})
    return written + len(re.findall(rf"\b{site}\.com\.au\b", text, re.IGNORECASE))
