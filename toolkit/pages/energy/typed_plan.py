"""The form for a plan that is typed from a bill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import BilledPart
from toolkit.answers.energy.typed_plans import (
    BlockPeriod,
    PriceUnit,
    Tier,
    TypedDemand,
    TypedDiscount,
    TypedLoad,
    TypedPlan,
    TypedRate,
)
from toolkit.charts import style
from toolkit.errors import UsageError
from toolkit.flows.plans.billed_prices import BilledPrices, in_words
from toolkit.flows.plans.my_plan import BilledPlan
from toolkit.flows.plans.typed import typed_number, wrong_parts
from toolkit.flows.typed_days import check_day
from toolkit.pages import widgets
from toolkit.pages.answers import show_refusals
from toolkit.pages.text import plain

PRICES: tuple[PriceUnit, ...] = ("cents with GST", "cents without GST", "dollars with GST", "dollars without GST")
IS_BILLED = "{} is the first day of your bills that name this plan. Enter an earlier day if you were on it before."
"""Below the day since when the home is on a plan, as bills suggest it."""
PERIODS: tuple[BlockPeriod, ...] = ("day", "month", "quarter", "year")
EACH: dict[BlockPeriod, str] = {name: f"in each {name}" for name in PERIODS}
DAYS = {"Every day": "", "Monday to Friday": "Mon-Fri", "Saturday and Sunday": "Sat-Sun"}
ONE, BY_TIME = "One price at any time", "Prices by time of day"
BANDS = {
    2: ("Peak", "Off-peak"),
    3: ("Peak", "Shoulder", "Off-peak"),
    4: ("Peak", "Shoulder", "Off-peak", "Solar soak"),
}
"""Names that the rows for prices by time of day begin with, by how many there are."""
ROWS = {"Peak": 0, "Off-peak": 1, "Shoulder": 2, "Solar soak": 3}
"""The number of the row with each of these names, however many rows there are: what was typed stays with its name."""
BILLED: dict[BilledPart, int] = {"peak": 0, "off_peak": 1, "shoulder": 2, "solar_soak": 3}
SUPPLY = "Daily supply charge"
SEASONS, TIERS = "Prices by season", "Tiers (a price for the first units, another after)"
LOAD_SUPPLY = "Controlled load, daily charge"
LOAD, SOLAR, DEMAND, DISCOUNT = "Controlled load", "Solar feed-in", "Demand charge", "Discount"
IN_SEASONS = ("Summer", "Winter", "Autumn", "Spring")
"""Names that rows begin with where one price differs by season only."""


T = TypeVar("T")


class PriceFields(NamedTuple):
    """A price as typed, of each tier; firsts: how much each tier but the last is for, in each `per`."""

    prices: tuple[str, ...]
    firsts: tuple[str, ...] = ()
    per: BlockPeriod = "day"

    def rate(self, where: str, *, days: str = "", hours: str = "", months: str = "") -> TypedRate | None:
        """Return the rate; None where nothing was typed. Raises UsageError for what is not a number, or is missing."""
        written = [price.strip() for price in self.prices]
        sizes = [first.strip() for first in self.firsts]
        if not any((*written, *sizes)):
            if days or hours.strip() or months.strip():  # else another price would hold in these hours
                raise UsageError(f"{where}: enter its price.", option=where)
            return None
        if not any((*written[1:], *sizes)):
            return TypedRate(name=where, price=typed_number(where, written[0]), days=days, hours=hours, months=months)
        if not all((*written, *sizes)):
            raise UsageError(
                f"{where}: enter the price of every tier, and how much each but the last is for.", option=where
            )
        amounts = [*(typed_number(where, size) for size in sizes), None]
        tiers = tuple(Tier(typed_number(where, price), first) for price, first in zip(written, amounts, strict=True))
        return TypedRate(name=where, tiers=tiers, per=self.per, days=days, hours=hours, months=months)


NONE = PriceFields(("",))


class _Row(NamedTuple):
    """What a row of a price begins with. number: of its fields."""

    number: str
    name: str
    price: str = ""


class Sent(NamedTuple):
    """A plan as sent, and since when the home is on it."""

    plan: TypedPlan
    since: date | None
    below: Mapping[str, DeltaGenerator]
    """What stands below each field, by the part of the plan."""


def render(fuel: Fuel, billed: BilledPlan | None = None, prices: BilledPrices | None = None) -> Sent | None:
    """Show the form; return what is sent. None before, and where a field explains that it needs a number.

    billed: the plan that a bill names, to begin with. prices: those that were read of a bill, likewise.
    """
    gas = fuel == "GAS"
    unit = "MJ" if gas else "kWh"
    key = f"typed-{fuel.lower()}" + (f"-{prices.bill}" if prices else "")  # what a newer bill says replaces all fields
    _say_what_is_filled(prices)
    by_time = prices is not None and len(prices.usage) in BANDS
    kind = ONE if gas else st.radio("Your bill has", [ONE, BY_TIME], int(by_time), horizontal=True, key=f"{key}-kind")
    extras = [SEASONS, TIERS, *([] if gas else [LOAD, SOLAR, DEMAND]), DISCOUNT]
    more = st.pills("It also has", extras, selection_mode="multi", default=_billed_extras(prices), key=f"{key}-more")
    rows, tiers = _how_many(key, kind, more, prices)
    with st.form(key, border=False):
        left, right = st.columns(2)
        name = left.text_input("Plan", billed.name if billed else "", placeholder="Everyday Saver", key=f"{key}-name")
        retailer = right.text_input("Retailer of the plan", billed.retailer if billed else "", key=f"{key}-retailer")
        below = {"name": left.container(), "retailer": right.container()}
        is_in = PRICES.index(prices.prices) if prices else 0
        priced_in = left.selectbox("Prices on the bill are in", PRICES, is_in, key=f"{key}-prices")
        billed_supply = _number(prices.supply) if prices else ""
        supply = right.text_input(SUPPLY, billed_supply, placeholder="110.00", key=f"{key}-supply")
        below["supply"] = right.container()
        first = widgets.day_field(
            left,
            "These prices from",
            None,
            key=f"{key}-from",
            hint="Their first day, where the bill or a letter of the retailer gives it.",
        )
        known_since = billed.since if billed else None
        since = widgets.day_field(right, "You are on this plan since", known_since, key=f"{key}-since")
        below |= {"from": left.container(), "since": right.container()}
        if known_since:
            right.caption(IS_BILLED.format(style.day(known_since)))
        typed = _rate_fields(key, unit, rows, tiers, hours=kind == BY_TIME, months=SEASONS in more)
        below["usage"] = st.container()
        named = Counter(row.name for row in typed)
        below |= {row.name: row.below if named[row.name] == 1 else below["usage"] for row in typed}
        extra = _more_fields(key, more, below, prices)
        if not st.form_submit_button("Save as my plan", type="primary"):
            return None
    read = _Read(below)
    plan = TypedPlan(
        name=name,
        retailer=retailer,
        fuel="gas" if gas else "electricity",
        from_=first,
        prices=priced_in,
        supply=read.part(partial(typed_number, SUPPLY, supply), UNREAD),
        usage=tuple(rate for row in typed if (rate := read.part(row.rate, row.unread()))),
        controlled_load=read.part(extra.controlled_load, None),
        feed_in=read.part(extra.fed_in, ()),
        demand=read.part(extra.demand_charge, None),
        discounts=read.part(extra.discounts, ()),
    )
    read.part(partial(check_day, since, "since"), None)
    for error in wrong_parts(plan):
        read.refuse(error)
    if read.is_refused:
        widgets.say_refused()
        return None
    return Sent(plan, since, below)


UNREAD = Decimal("NaN")
"""In place of what is not a number, so that the rest of the plan is checked all the same."""
PARTS = {
    SUPPLY: "supply",
    LOAD: "controlled_load",
    LOAD_SUPPLY: "controlled_load.supply",
    "Solar": "feed_in",
    "Demand": "demand",
    "Discount": "discounts",
}
"""Name of what is read of the form → the part of the plan that it is."""


class _Read:
    """Reads the parts of the form; why one is refused stands below its field."""

    def __init__(self, below: Mapping[str, DeltaGenerator]) -> None:
        self._below = below
        self.is_refused = False

    def part(self, read: Callable[[], T], otherwise: T) -> T:
        """Return what a part of the form says; `otherwise` where it cannot be read."""
        try:
            return read()
        except UsageError as error:
            self.refuse(error)
            return otherwise

    def refuse(self, error: UsageError) -> None:
        """Show an error of a part of the plan, such as `usage, Peak`, below the field that it is about."""
        self.is_refused = True
        whole = PARTS.get(error.option, error.option)
        names = (whole, whole.rpartition(", ")[2], *re.findall(r"^\w+", whole))
        field = next((self._below[name] for name in names if name in self._below), None)
        show_refusals([error], {error.option: field} if field else {})


def _say_what_is_filled(prices: BilledPrices | None) -> None:
    """Say which fields are filled from a bill, and what of it is not."""
    if prices is None:
        st.write("Copy what your bill shows, and leave the rest empty.")
        return
    days = widgets.Period(prices.first, prices.last)
    st.info(plain(f"The prices are filled in from your bill of {days}. Check them."))
    for said in in_words(prices):
        st.caption(plain(said))


def _billed_extras(prices: BilledPrices | None) -> list[str]:
    """Return what the bill also has, of what a person would choose."""
    if prices is None:
        return []
    has_load = prices.controlled_load is not None or prices.controlled_load_supply is not None
    return [*([LOAD] if has_load else []), *([SOLAR] if prices.feed_in is not None else [])]


def _number(price: Decimal | None) -> str:
    """Return a price as a person would type it; empty where there is none."""
    text = "" if price is None else f"{price:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rows_of(begun: Sequence[tuple[int, str, str]]) -> tuple[_Row, ...]:
    """Return a row for each (number, name, price); those of one number have fields of their own."""
    numbers = [number for number, *_ in begun]
    return tuple(
        _Row(f"{number}-{again}" if (again := numbers[:place].count(number)) else f"{number}", name, price)
        for place, (number, name, price) in enumerate(begun)
    )


def _how_many(key: str, kind: str, more: Sequence[str], prices: BilledPrices | None) -> tuple[tuple[_Row, ...], int]:
    """Ask how many prices and tiers there are; return what the rows begin with, and the tiers of each."""
    names: tuple[str, ...] = ()
    if kind == BY_TIME:
        known = list(BANDS).index(len(prices.usage)) if prices and len(prices.usage) in BANDS else 0
        names = BANDS[st.radio("How many prices", list(BANDS), known, horizontal=True, key=f"{key}-bands")]
    is_as_billed = prices is not None and len(prices.usage) == (len(names) or 1)
    if SEASONS in more:
        seasons = st.radio("In how many seasons", [2, 3, 4], horizontal=True, key=f"{key}-seasons")
        names = tuple(name for name in names for _ in range(seasons)) or IN_SEASONS[:seasons]
    tiers = st.radio("How many tiers", [2, 3, 4], horizontal=True, key=f"{key}-tiers") if TIERS in more else 1
    if prices is not None and is_as_billed and SEASONS not in more:
        bands = prices.usage
        return _rows_of([(BILLED.get(band.part, 0), band.name, _number(band.price)) for band in bands]), tiers
    begun = enumerate(names or ("Price",))
    return _rows_of([(ROWS.get(name, place), name, "") for place, name in begun]), tiers


class RateRow(NamedTuple):
    """A row of the form: a price, and when it holds."""

    name: str
    days: str
    hours: str
    months: str
    fields: PriceFields
    below: DeltaGenerator

    def rate(self) -> TypedRate | None:
        """Return the rate. Raises as `PriceFields.rate`."""
        return self.fields.rate(self.name, days=self.days, hours=self.hours, months=self.months)

    def unread(self) -> TypedRate | None:
        """Return the rate where its price cannot be read."""
        return TypedRate(name=self.name, price=UNREAD, days=self.days, hours=self.hours, months=self.months)


def _rate_fields(key: str, unit: str, begun: Sequence[_Row], tiers: int, *, hours: bool, months: bool) -> list[RateRow]:
    """Show a row of fields for each price of energy."""
    if hours:
        st.caption(
            "A price without hours, on every day, is for all other times. Hours: 3pm-9pm, or 7:00-9:00, 17:00-20:00."
        )
    if months:
        st.caption("A price without months is for all other months. Months: Nov-Mar, or Jun, Jul, Aug.")
    per = (
        st.selectbox("The tiers are counted", PERIODS, format_func=EACH.__getitem__, key=f"{key}-per")
        if tiers > 1
        else "day"
    )
    rows = []
    for number, name, known in begun:
        columns = iter(st.columns(1 + 2 * hours + months + 1) if len(begun) > 1 else [])
        shown = next(columns).text_input("Name", name, key=f"{key}-name-{number}") if len(begun) > 1 else name
        price = next(columns) if len(begun) > 1 else st.container()
        days = DAYS[next(columns).selectbox("Days", list(DAYS), key=f"{key}-days-{number}")] if hours else ""
        at = next(columns).text_input("Hours", key=f"{key}-hours-{number}") if hours else ""
        of = next(columns).text_input("Months", key=f"{key}-months-{number}") if months else ""
        fields = _tier_fields(
            price, f"Price of {'an' if unit == 'MJ' else 'a'} {unit}", f"{key}-price-{number}", unit, tiers, known
        )
        rows.append(RateRow(shown, days, at, of, fields._replace(per=per), st.container()))
    return rows


def _tier_fields(place: DeltaGenerator, label: str, key: str, unit: str, tiers: int, known: str) -> PriceFields:
    """Show the price of each tier, and how much each but the last is for. known: what the first begins with."""
    prices, firsts = [place.text_input(label, known, key=key)], []
    if tiers > 1:
        columns = st.columns(2 * (tiers - 1))
        for tier in range(1, tiers):
            size, then = columns[2 * tier - 2 : 2 * tier]
            words = f"for the {'first' if tier == 1 else 'next'} … {unit}"
            firsts.append(size.text_input(words, key=f"{key}-first-{tier}"))
            prices.append(then.text_input("then" if tier < tiers - 1 else "after that", key=f"{key}-tier-{tier}"))
    return PriceFields(tuple(prices), tuple(firsts))


class MoreFields(NamedTuple):
    """What only some bills have, as typed; empty where it was not asked for."""

    load: PriceFields = NONE
    load_supply: str = ""
    feed_in: PriceFields = NONE
    demand: str = ""
    demand_per: str = "day"
    demand_days: str = ""
    demand_hours: str = ""
    percent: str = ""
    earned: bool = False

    def controlled_load(self) -> TypedLoad | None:
        """Return the controlled load. Raises UsageError for what is not a number; so do the others."""
        rate = self.load.rate("Controlled load")
        if rate is None:
            return None
        supply = typed_number(LOAD_SUPPLY, self.load_supply or "0")
        return TypedLoad(price=rate.price, tiers=rate.tiers, per=rate.per, supply=supply)

    def fed_in(self) -> tuple[TypedRate, ...]:
        """Return what is paid for solar power, where it was typed."""
        rate = self.feed_in.rate("Solar")
        return () if rate is None else (rate,)

    def demand_charge(self) -> TypedDemand | None:
        """Return the demand charge."""
        if not self.demand.strip():
            return None
        price, per = typed_number("Demand", self.demand), self.demand_per
        return TypedDemand(
            price=price, per="month" if per == "month" else "day", days=self.demand_days, hours=self.demand_hours
        )

    def discounts(self) -> tuple[TypedDiscount, ...]:
        """Return the discount, where one was typed."""
        if not self.percent.strip():
            return ()
        return (TypedDiscount(percent=typed_number("Discount", self.percent), conditional=self.earned),)


def _more_fields(
    key: str, wanted: Sequence[str], below: dict[str, DeltaGenerator], prices: BilledPrices | None
) -> MoreFields:
    """Show the fields of what the bill also has. below: takes what stands below them, by the part of the plan."""
    given = MoreFields()
    if LOAD in wanted:
        known = _number(prices.controlled_load) if prices else ""
        load = _first_and_rest(f"{key}-load", "Controlled load, price of a kWh", known)
        below["controlled_load"] = st.container()
        daily = _number(prices.controlled_load_supply) if prices else ""
        supply = st.text_input(LOAD_SUPPLY, daily, key=f"{key}-load-supply")
        below["controlled_load.supply"] = st.container()
        given = given._replace(load=load, load_supply=supply)
    if SOLAR in wanted:
        known = _number(prices.feed_in) if prices else ""
        given = given._replace(feed_in=_first_and_rest(f"{key}-solar", "Solar, paid for a kWh", known))
        below["feed_in"] = st.container()
    if DEMAND in wanted:
        columns = st.columns(4)
        given = given._replace(
            demand=columns[0].text_input("Demand, price of a kW", key=f"{key}-demand"),
            demand_per=columns[1].selectbox("for each", ["day", "month"], key=f"{key}-demand-per"),
            demand_days=DAYS[columns[2].selectbox("on", list(DAYS), key=f"{key}-demand-days")],
            demand_hours=columns[3].text_input("between", placeholder="3pm-9pm", key=f"{key}-demand-hours"),
        )
        below["demand"] = st.container()
    if DISCOUNT in wanted:
        left, right = st.columns([1, 3], vertical_alignment="bottom")
        given = given._replace(
            percent=left.text_input("Discount off the bill, %", key=f"{key}-discount"),
            earned=right.checkbox("It has to be earned, for example by paying on time", key=f"{key}-earned"),
        )
        below["discounts"] = st.container()
    return given


def _first_and_rest(key: str, label: str, known: str) -> PriceFields:
    """Show a price that on some plans holds for the first units alone, and the price after them."""
    columns = st.columns(4)
    prices = columns[0].text_input(label, known, key=f"{key}-price")
    first = columns[1].text_input("only for the first … kWh", key=f"{key}-first")
    per = columns[2].selectbox("in each", PERIODS, key=f"{key}-per")
    rest = columns[3].text_input("and after that", key=f"{key}-rest")
    return PriceFields((prices, rest), (first,), per) if first.strip() or rest.strip() else PriceFields((prices,))
