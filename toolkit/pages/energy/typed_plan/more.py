"""The fields for what only some bills have: controlled load, solar, a demand charge, a discount."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.energy.typed_plans import TypedDemand, TypedDiscount, TypedLoad, TypedRate
from toolkit.errors import UsageError
from toolkit.flows.plans.billed_prices import BilledPrices
from toolkit.flows.plans.typed import typed_number
from toolkit.pages.energy.typed_plan.prices import DAYS, PERIODS, PriceFields, number

LOAD, SOLAR, DEMAND, DISCOUNT = "Controlled load", "Solar feed-in", "Demand charge", "Discount"
LOAD_SUPPLY = "Controlled load, daily charge"
NONE = PriceFields(("",))


class MoreFields(NamedTuple):
    """What only some bills have, as typed. wanted: the parts that were switched on; the others are empty."""

    wanted: Sequence[str] = ()
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
        """Return the controlled load; None where it is switched off. Raises UsageError where its price is missing."""
        if LOAD not in self.wanted:
            return None
        rate = self._rate(self.load, LOAD, LOAD)
        return TypedLoad(price=rate.price, tiers=rate.tiers, per=rate.per)

    def daily_load_charge(self) -> Decimal:
        """Return the daily charge of the controlled load; 0 where none was typed. Raises UsageError for no number."""
        return typed_number(LOAD_SUPPLY, self.load_supply.strip() or "0")

    def fed_in(self) -> tuple[TypedRate, ...]:
        """Return what is paid for solar power, likewise."""
        return (self._rate(self.feed_in, "Solar", SOLAR),) if SOLAR in self.wanted else ()

    def demand_charge(self) -> TypedDemand | None:
        """Return the demand charge, likewise."""
        if DEMAND not in self.wanted:
            return None
        if not self.demand.strip():
            raise _missing("Demand", "the price of a kW", DEMAND)
        price, per = typed_number("Demand", self.demand), self.demand_per
        return TypedDemand(
            price=price, per="month" if per == "month" else "day", days=self.demand_days, hours=self.demand_hours
        )

    def discounts(self) -> tuple[TypedDiscount, ...]:
        """Return the discount, likewise."""
        if DISCOUNT not in self.wanted:
            return ()
        if not self.percent.strip():
            raise _missing("Discount", "how many per cent it is", DISCOUNT)
        return (TypedDiscount(percent=typed_number("Discount", self.percent), conditional=self.earned),)

    def _rate(self, fields: PriceFields, where: str, part: str) -> TypedRate:
        if fields.is_empty:
            raise _missing(where, "its price", part)
        return fields.rate(where)


def _missing(where: str, what: str, part: str) -> UsageError:
    """Return the refusal of a part that was switched on, and left empty."""
    return UsageError(f"{where}: enter {what}. If your bill has none, switch {part} off above.", option=where)


def more_fields(
    key: str, wanted: Sequence[str], below: dict[str, DeltaGenerator], prices: BilledPrices | None
) -> MoreFields:
    """Show the fields of what the bill also has. below: takes what stands below them, by the part of the plan."""
    given = MoreFields(wanted)
    if LOAD in wanted:
        known = number(prices.controlled_load) if prices else ""
        load = _first_and_rest(f"{key}-load", "Controlled load, price of a kWh", known)
        below["controlled_load"] = st.container()
        daily = number(prices.controlled_load_supply) if prices else ""
        supply = st.text_input(LOAD_SUPPLY, daily, key=f"{key}-load-supply")
        below["controlled_load.supply"] = st.container()
        given = given._replace(load=load, load_supply=supply)
    if SOLAR in wanted:
        known = number(prices.feed_in) if prices else ""
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
