"""The prices that the newest bill prints, as a person would type them of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import BilledPart, Invoice, InvoiceLine
from toolkit.answers.energy.plans import PriceSummary
from toolkit.answers.energy.typed_plans import PriceUnit
from toolkit.errors import StoreError
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import list_invoices

BANDS: tuple[BilledPart, ...] = ("peak", "shoulder", "off_peak", "solar_soak", "anytime")
"""Parts of a plan that are prices of what is used, in the order of the form."""
_GST = Decimal("1.1")
_ROUNDED = Decimal("0.01")
"""AUD by which each line's amount may be rounded."""


@dataclass(frozen=True, slots=True)
class BilledBand:
    """A price of energy on a bill: its part of the plan, the bill's name, cents of a unit, and the energy billed."""

    part: BilledPart
    name: str
    price: Decimal
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class BilledPrices:
    """Prices as the newest bill with priced lines prints them, in cents of `prices`; None: not on the bill.

    usage: each price of energy. left_out: lines that are not taken over, in words. is_sure_of_gst: whether the lines
    show that prices include GST or do not, as they add up to the bill.
    """

    bill: str
    first: date
    last: date
    plan: str
    retailer: str
    prices: PriceUnit
    is_sure_of_gst: bool
    usage: tuple[BilledBand, ...]
    supply: Decimal | None
    controlled_load: Decimal | None
    controlled_load_supply: Decimal | None
    feed_in: Decimal | None
    left_out: tuple[str, ...]
    service_point: str | None = None
    """NMI or MIRN, where the bill names it."""


def billed_prices(ctx: Context, fuel: Fuel) -> BilledPrices | None:
    """Return the prices of the newest bill of the fuel, where it was read of a PDF that prints them; else None."""
    try:
        bills = [bill for bill in list_invoices(ctx).invoices if bill.fuel == fuel]
    except StoreError:
        return None
    newest = bills[-1] if bills else None
    return prices_of_bill(newest) if newest else None


def has_controlled_load(ctx: Context) -> Invoice | None:
    """Return the newest bill that charges a controlled load; None where none does."""
    try:
        bills = list_invoices(ctx).invoices
    except StoreError:
        return None
    return next((bill for bill in reversed(bills) if _charges_load(bill)), None)


def _charges_load(bill: Invoice) -> bool:
    parts = {line.component for line in bill.lines}
    return "controlled_load" in parts or any(each.register == "controlled load" for each in bill.energy)


def prices_of_bill(bill: Invoice) -> BilledPrices | None:
    """Return the prices on a bill; None where its days or priced lines are not known."""
    known = [price for line in bill.lines if line.component and (price := _price(line))]
    if not known or bill.from_ is None or bill.to is None:
        return None
    named: dict[tuple[BilledPart, str], list[_Price]] = {}
    for price in known:
        named.setdefault(_key(price), []).append(price)
    single = {key: lines for key, lines in named.items() if len({line.cents for line in lines}) == 1}
    usage = sorted((key for key in single if key[0] in BANDS), key=lambda key: BANDS.index(key[0]))
    prices, is_sure = _gst(bill)
    others = [line for line in bill.lines if line.component is None]
    return BilledPrices(
        bill=bill.id,
        first=bill.from_,
        last=bill.to,
        plan=bill.plan_name or "",
        retailer=bill.retailer or "",
        prices=prices,
        is_sure_of_gst=is_sure,
        usage=tuple(_band(key[0], single[key]) for key in usage),
        supply=_of(single, "supply"),
        controlled_load=_of(single, "controlled_load"),
        controlled_load_supply=_of(single, "controlled_load_supply"),
        feed_in=_of(single, "feed_in"),
        left_out=(
            *(_two_prices(lines) for key, lines in named.items() if key not in single),
            *(f"{line.name} ({_in_short(line)})" for line in others),
        ),
        service_point=bill.service_point_id,
    )


@dataclass(frozen=True, slots=True)
class _Price:
    """A line of a bill that gives a price: cents of a unit, and how much of it."""

    part: BilledPart
    name: str
    quantity: Decimal
    unit: str
    cents: Decimal

    @property
    def words(self) -> str:
        unit = f" a {self.unit}" if self.unit else ""
        return f"{f'{self.cents:f}'.rstrip('0').rstrip('.')} cents{unit}"


def _price(line: InvoiceLine) -> _Price | None:
    """Return the price that a line gives; None where it has an amount alone."""
    if line.quantity is None or line.unit_price is None:
        return None
    return _Price(line.component or "anytime", line.name, line.quantity, line.unit, line.unit_price * 100)


def _key(price: _Price) -> tuple[BilledPart, str]:
    """Return what has one price: a part of the plan; of energy used, each of its names."""
    return price.part, " ".join(price.name.casefold().split()) if price.part in BANDS else ""


def _of(single: dict[tuple[BilledPart, str], list[_Price]], part: BilledPart) -> Decimal | None:
    lines = single.get((part, ""))
    return lines[0].cents if lines else None


def _band(part: BilledPart, lines: Sequence[_Price]) -> BilledBand:
    quantity = sum((line.quantity for line in lines), Decimal(0))
    return BilledBand(part, lines[0].name, lines[0].cents, quantity)


def _two_prices(lines: Sequence[_Price]) -> str:
    """Name a part that has several prices on the bill: in steps, or as prices changed."""
    return f"{lines[0].name} ({', '.join(dict.fromkeys(line.words for line in lines))})"


def _in_short(line: InvoiceLine) -> str:
    """Return the price of a line, else its amount."""
    if price := _price(line):
        return price.words
    return f"${line.amount:,.2f}" if line.amount >= 0 else f"${-line.amount:,.2f} credit"


def _gst(bill: Invoice) -> tuple[PriceUnit, bool]:
    """Return whether prices include GST, and whether the bill shows that.

    A line shows it where its amount is a tenth more than quantity × price; the sum of all lines shows it too, beside
    the new charges.
    """
    if any(_adds_gst(line) for line in bill.lines):
        return "cents without GST", True
    if bill.billed is not None:
        before = bill.billed + (bill.concession or 0)
        charged = sum((line.amount for line in bill.lines if line.amount > 0), Decimal(0))
        credit = sum((line.amount for line in bill.lines if line.amount < 0), Decimal(0))
        slack = _ROUNDED * len(bill.lines)
        if abs(charged + credit - before) <= slack:
            return "cents with GST", True
        if abs(charged * _GST + credit - before) <= slack:
            return "cents without GST", True
    return "cents with GST", False


def _adds_gst(line: InvoiceLine) -> bool:
    if line.quantity is None or line.unit_price is None:
        return False
    cost, amount = line.quantity * line.unit_price, abs(line.amount)
    return abs(cost * _GST - amount) < abs(cost - amount)


def per_cent_off(bill: BilledPrices, plan: PriceSummary) -> Decimal | None:
    """Return how far a plan's prices are from a bill's, in per cent of these, added up; None without one of usage.

    Of usage the lowest and the highest price. What is not on the bill does not count.
    """
    if not bill.usage or plan.usage is None:
        return None
    gst = _GST if bill.prices == "cents without GST" else Decimal(1)
    billed = [band.price for band in bill.usage]
    pairs = [
        (min(billed), plan.usage[0]),
        (max(billed), plan.usage[1]),
        *([] if bill.supply is None else [(bill.supply, plan.supply or Decimal(0))]),
    ]
    return sum((abs(100 * (own * 100 - cents * gst) / (cents * gst)) for cents, own in pairs if cents), Decimal(0))


def in_words(prices: BilledPrices) -> Iterator[str]:
    """Yield what a person has to know of the prices that are taken over, a sentence each."""
    if prices.left_out:
        yield f"Not taken over from the bill: {'; '.join(prices.left_out)}."
    if not prices.is_sure_of_gst:
        yield "The bill has other charges too, so check whether these prices include GST."
