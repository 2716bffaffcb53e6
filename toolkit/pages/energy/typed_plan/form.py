"""The form for a plan that is typed from a bill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.typed_plans import PriceUnit, TypedPlan
from toolkit.charts import style
from toolkit.errors import UsageError
from toolkit.flows.plans.billed_hours import BilledHours
from toolkit.flows.plans.billed_prices import BilledPrices, in_words
from toolkit.flows.plans.my_plan import BilledPlan
from toolkit.flows.plans.typed import typed_number, wrong_parts
from toolkit.flows.typed_days import check_day
from toolkit.pages import widgets
from toolkit.pages.answers import show_refusals
from toolkit.pages.energy.typed_plan.more import DEMAND, DISCOUNT, LOAD, LOAD_SUPPLY, SOLAR, more_fields
from toolkit.pages.energy.typed_plan.prices import UNREAD, number
from toolkit.pages.energy.typed_plan.usage import (
    BANDS,
    BY_TIME,
    ONE,
    SEASONS,
    TIERS,
    are_as_found,
    asked,
    check_more,
    how_many,
    rate_fields,
)
from toolkit.pages.text import plain

PRICES: tuple[PriceUnit, ...] = ("cents with GST", "cents without GST", "dollars with GST", "dollars without GST")
IS_BILLED = "{} is the first day of your bills that name this plan. Enter an earlier day if you were on it before."
"""Below the day since when the home is on a plan, as bills suggest it."""
SUPPLY = "Daily supply charge"

T = TypeVar("T")


class Sent(NamedTuple):
    """A plan as sent, and since when the home is on it."""

    plan: TypedPlan
    since: date | None
    below: Mapping[str, DeltaGenerator]
    """What stands below each field, by the part of the plan."""


def render(
    fuel: Fuel,
    billed: BilledPlan | None = None,
    prices: BilledPrices | None = None,
    found: BilledHours | None = None,
) -> Sent | None:
    """Show the form; return what is sent. None before, and where a field explains that it needs a number.

    billed: the plan that a bill names, to begin with. prices: those that were read of a bill, likewise. found: their
    hours, which the bill does not print.
    """
    gas = fuel == "GAS"
    unit = "MJ" if gas else "kWh"
    key = f"typed-{fuel.lower()}" + (f"-{prices.bill}" if prices else "")  # what a newer bill says replaces all fields
    _say_what_is_filled(prices)
    by_time = prices is not None and len(prices.usage) in BANDS
    kind = ONE if gas else st.radio("Your bill has", [ONE, BY_TIME], int(by_time), horizontal=True, key=f"{key}-kind")
    extras = [SEASONS, TIERS, *([] if gas else [LOAD, SOLAR, DEMAND]), DISCOUNT]
    more = st.pills("It also has", extras, selection_mode="multi", default=_billed_extras(prices), key=f"{key}-more")
    rows, tiers = how_many(key, kind, more, prices, found)
    with st.form(key, border=False):
        left, right = st.columns(2)
        name = left.text_input("Plan", billed.name if billed else "", placeholder="Everyday Saver", key=f"{key}-name")
        retailer = right.text_input("Retailer of the plan", billed.retailer if billed else "", key=f"{key}-retailer")
        below = {"name": left.container(), "retailer": right.container()}
        is_in = PRICES.index(prices.prices) if prices else 0
        priced_in = left.selectbox("Prices on the bill are in", PRICES, is_in, key=f"{key}-prices")
        billed_supply = number(prices.supply) if prices else ""
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
        if by_time and kind == BY_TIME:
            _say_where_hours_are_from(found if any(row.are_hours_found for row in rows) else None)
        typed = rate_fields(key, unit, rows, tiers, hours=kind == BY_TIME, months=SEASONS in more)
        below["usage"] = st.container()
        named = Counter(row.name for row in typed)
        below |= {row.name: row.below if named[row.name] == 1 else below["usage"] for row in typed}
        extra = more_fields(key, more, below, prices)
        if not st.form_submit_button("Save as my plan", type="primary"):
            return None
    read = _Read(below)
    load = read.part(extra.controlled_load, None)
    load_supply = read.part(extra.daily_load_charge, UNREAD)
    plan = TypedPlan(
        name=name,
        retailer=retailer,
        fuel="gas" if gas else "electricity",
        from_=first,
        prices=priced_in,
        clock=found.clock if found and are_as_found(rows, typed) else "local",
        supply=read.part(partial(typed_number, SUPPLY, supply), UNREAD),
        usage=tuple(read.part(row.rate, row.unread(), row.below) for row in asked(typed, kind, more)),
        controlled_load=msgspec.structs.replace(load, supply=load_supply) if load else None,
        feed_in=read.part(extra.fed_in, ()),
        demand=read.part(extra.demand_charge, None),
        discounts=read.part(extra.discounts, ()),
    )
    read.part(partial(check_more, typed, more), None)
    read.part(partial(check_day, since, "since"), None)
    said = frozenset(read.refused)
    for error in wrong_parts(plan):
        if error.option not in said:
            read.refuse(error)
    if read.refused:
        widgets.say_refused()
        return None
    return Sent(plan, since, below)


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
    """Reads the parts of the form; why one is refused stands below its field. refused: the options of these errors."""

    def __init__(self, below: Mapping[str, DeltaGenerator]) -> None:
        self._below = below
        self.refused: set[str] = set()

    def part(self, read: Callable[[], T], otherwise: T, below: DeltaGenerator | None = None) -> T:
        """Return what a part of the form says; `otherwise` where it cannot be read. below: its own place for that."""
        try:
            return read()
        except UsageError as error:
            self.refuse(error, below)
            return otherwise

    def refuse(self, error: UsageError, below: DeltaGenerator | None = None) -> None:
        """Show an error of a part of the plan, such as `usage, Peak`, below the field that it is about."""
        self.refused.add(error.option)
        whole = PARTS.get(error.option, error.option)
        names = (whole, whole.rpartition(", ")[2], *re.findall(r"^\w+", whole))
        field = below or next((self._below[name] for name in names if name in self._below), None)
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


def _say_where_hours_are_from(found: BilledHours | None) -> None:
    """Say below the prices of a bill which hours they hold in, or how these can be found."""
    if found is None:
        st.caption(
            "The bill does not print the hours of these prices. They are in the plan's fact sheet, which your retailer "
            "gives you. With your meter's data of the bill's days and the retailers' published plans stored here, they "
            "are filled in where a plan's hours give the energy that the bill states."
        )
        return
    st.caption(
        "The hours are filled in: with them, your meter's data give the energy that your bill states. Check them."
    )
    if found.clock == "AEST":
        st.caption("They are in standard time all year: in summer, an hour later on your clock.")


def _billed_extras(prices: BilledPrices | None) -> list[str]:
    """Return what the bill also has, of what a person would choose."""
    if prices is None:
        return []
    has_load = prices.controlled_load is not None or prices.controlled_load_supply is not None
    return [*([LOAD] if has_load else []), *([SOLAR] if prices.feed_in is not None else [])]
