"""The prices on a bill beside those of the plan that was in force on its days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from msgspec import structs

from toolkit.answers.energy.bills import Bill
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.errors import ToolkitError
from toolkit.flows.energy.bill import bill
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.plans.billed_prices import BilledPrices, prices_of_bill

_GST = Decimal("1.1")
_CLOSEST, _WIDEST = Decimal("0.00005"), Decimal("0.0005")
"""AUD a unit by which a printed price may be rounded: half of its last decimal, within these."""


@dataclass(frozen=True, slots=True)
class ComparedPrice:
    """A price on a bill and the plan's, in AUD with GST for one `unit`. name: the bill's words.

    quantity: billed; None where the bill does not say. planned: None where the plan has no such price. is_credit:
    whether it is paid to the home, as for solar exports.
    """

    name: str
    unit: str
    quantity: Decimal | None
    billed: Decimal
    planned: Decimal | None
    is_same: bool
    is_credit: bool = False

    @property
    def more(self) -> Decimal | None:
        """What the difference comes to for the billed quantity, to the cent; None where it is not known."""
        if self.planned is None or self.quantity is None:
            return None
        return ((self.billed - self.planned) * self.quantity).quantize(Decimal("0.01"))


@dataclass(frozen=True, slots=True)
class _Printed:
    """A price as printed, and what it is of."""

    kind: str
    name: str
    unit: str
    quantity: Decimal | None
    price: Decimal


def compared_prices(ctx: Context, bill_id: str) -> tuple[ComparedPrice, ...]:
    """Return the prices that were read of a stored bill, each beside that of the plan on the bill's days.

    Empty where the bill's priced lines are not stored, or the plan's prices on its days are not known.
    """
    invoice = next((each for each in list_invoices(ctx).invoices if each.id == bill_id), None)
    prices = prices_of_bill(invoice) if invoice else None
    priced = _priced(ctx, invoice) if invoice and prices else None
    if invoice is None or prices is None or priced is None:
        return ()
    printed = list(_printed(prices, invoice))
    planned = _planned(priced)
    factors = [_GST if prices.prices == "cents without GST" else Decimal(1)]
    if not prices.is_sure_of_gst:
        factors = [Decimal(1), _GST]
    compared = [tuple(_compared(printed, planned, factor)) for factor in factors]
    return max(compared, key=lambda each: sum(price.is_same for price in each))  # the first of equals


def _priced(ctx: Context, invoice: Invoice) -> Bill | None:
    """Return the bill's days priced on the plan in force; None where that is not known."""
    try:
        with open_home(ctx) as (store, household):
            points = service_points(store, household, fuel=invoice.fuel)
        named = invoice.service_point_id
        point = next((each.id for each in points if named is None or each.is_called(named)), None)
        asked = BillingQuestion(from_=invoice.from_, to=invoice.to, period="whole")
        return bill(structs.replace(ctx, service_point=point), asked) if point else None
    except ToolkitError:
        return None


def _printed(prices: BilledPrices, invoice: Invoice) -> Iterator[_Printed]:
    unit = "MJ" if invoice.fuel == "GAS" else "kWh"
    for band in prices.usage:
        yield _Printed("usage", band.name, unit, band.quantity, band.price / 100)
    for kind, price, of in (
        ("supply", prices.supply, "day"),
        ("controlled_load", prices.controlled_load, unit),
        ("controlled_load_supply", prices.controlled_load_supply, "day"),
        ("feed_in", prices.feed_in, unit),
    ):
        lines = [line for line in invoice.lines if line.component == kind]
        if price is not None:
            yield _Printed(
                kind, lines[0].name, of, sum((line.quantity or Decimal(0) for line in lines), Decimal(0)), price / 100
            )


def _planned(priced: Bill) -> dict[str, list[Decimal]]:
    """Return the plan's prices with GST by what they are of, the highest first."""
    found: dict[str, set[Decimal]] = {}
    for line in priced.lines:
        kind = "controlled_load_supply" if (line.component, line.unit) == ("controlled_load", "day") else line.component
        price = abs(Decimal(line.unit_price))
        found.setdefault(kind, set()).add(price * _GST if line.gst == "added" else price)
    return {kind: sorted(each, reverse=True) for kind, each in found.items()}


def _compared(
    printed: Sequence[_Printed], planned: dict[str, list[Decimal]], factor: Decimal
) -> Iterator[ComparedPrice]:
    """Yield each printed price beside the plan's that it is, else the one that is left for it. factor: for GST."""
    for kind in dict.fromkeys(each.kind for each in printed):
        own = [each for each in printed if each.kind == kind]
        with_gst = 1 if kind == "feed_in" else factor
        same = {each: _same(each.price * with_gst, planned.get(kind, []), _rounding(each.price)) for each in own}
        open_prices = [price for price in planned.get(kind, []) if price not in same.values()]
        unlike = sorted((each for each in own if same[each] is None), key=lambda each: each.price, reverse=True)
        left = dict(zip(unlike, open_prices, strict=True)) if len(unlike) == len(open_prices) else {}
        for each in own:
            matched = same[each]
            beside = matched if matched is not None else left.get(each)
            billed = each.price * with_gst
            numbers = (each.quantity, billed, beside)
            yield ComparedPrice(each.name, each.unit, *numbers, matched is not None, kind == "feed_in")


def _same(billed: Decimal, planned: Sequence[Decimal], rounding: Decimal) -> Decimal | None:
    near = [price for price in planned if abs(price - billed) <= rounding]
    return min(near, key=lambda price: abs(price - billed), default=None)


def _rounding(price: Decimal) -> Decimal:
    exponent = price.as_tuple().exponent
    half = Decimal(5).scaleb(exponent - 1) if isinstance(exponent, int) else _WIDEST
    return min(max(half, _CLOSEST), _WIDEST)
