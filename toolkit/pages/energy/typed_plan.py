"""The form for a plan that is typed from a bill."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import streamlit as st

from toolkit.answers.energy.bills import Fuel
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
from toolkit.errors import UsageError
from toolkit.flows.plans.typed import typed_number

PRICES: tuple[PriceUnit, ...] = ("cents with GST", "cents without GST", "dollars with GST", "dollars without GST")
PERIODS: tuple[BlockPeriod, ...] = ("day", "month", "quarter", "year")
DAYS = {"Every day": "", "Monday to Friday": "Mon-Fri", "Saturday and Sunday": "Sat-Sun"}
ONE, BY_TIME = "One price at any time", "Prices by time of day"
BANDS = {
    2: ("Peak", "Off-peak"),
    3: ("Peak", "Shoulder", "Off-peak"),
    4: ("Peak", "Shoulder", "Off-peak", "Solar soak"),
}
"""Names that the rows for prices by time of day begin with, by how many there are."""
LOAD, SOLAR, DEMAND, DISCOUNT = "Controlled load", "Solar feed-in", "Demand charge", "Discount"


class PriceFields(NamedTuple):
    """A price as typed: one, or for the first units in each period and for the rest."""

    price: str
    first: str
    per: BlockPeriod
    rest: str

    def rate(self, where: str, *, name: str = "", days: str = "", hours: str = "") -> TypedRate | None:
        """Return the rate; None where no price was typed. Raises UsageError for what is not a number."""
        if not self.price.strip():
            return None
        price = typed_number(where, self.price)
        if not self.first.strip() and not self.rest.strip():
            return TypedRate(name=name, price=price, days=days, hours=hours)
        if not self.first.strip() or not self.rest.strip():
            raise UsageError(f"{where}: enter both how much the first price is for, and the price after that.")
        tiers = (Tier(price, typed_number(where, self.first)), Tier(typed_number(where, self.rest)))
        return TypedRate(name=name, tiers=tiers, per=self.per, days=days, hours=hours)


NONE = PriceFields("", "", "day", "")


def render(fuel: Fuel) -> tuple[TypedPlan, date | None] | None:
    """Show the form; once it is sent, return the plan, and since when the home is on it.

    Raises UsageError for what is not a number.
    """
    gas = fuel == "GAS"
    key, unit = f"typed-{fuel.lower()}", "MJ" if gas else "kWh"
    st.write("Copy what your bill shows, and leave the rest empty.")
    kind = ONE if gas else st.radio("Your bill has", [ONE, BY_TIME], horizontal=True, key=f"{key}-kind")
    bands = st.radio("How many prices", list(BANDS), horizontal=True, key=f"{key}-bands") if kind == BY_TIME else 0
    extras = [DISCOUNT] if gas else [LOAD, SOLAR, DEMAND, DISCOUNT]
    more = st.pills("It also has", extras, selection_mode="multi", key=f"{key}-more")
    with st.form(key, border=False):
        left, right = st.columns(2)
        name = left.text_input("Plan", placeholder="Everyday Saver", key=f"{key}-name")
        retailer = right.text_input("Retailer of the plan", key=f"{key}-retailer")
        prices = left.selectbox("Prices on the bill are in", PRICES, key=f"{key}-prices")
        supply = right.text_input("Daily supply charge", placeholder="110.00", key=f"{key}-supply")
        first = left.date_input(
            "These prices from",
            None,
            format="DD/MM/YYYY",
            key=f"{key}-from",
            help="Their first day, where the bill or a letter of the retailer gives it.",
        )
        since = right.date_input("You are on this plan since", None, format="DD/MM/YYYY", key=f"{key}-since")
        rows = _band_fields(key, BANDS[bands]) if bands else []
        single = None if kind == BY_TIME else _price_fields(f"Price of a {unit}", f"{key}-usage", unit)
        extra = _more_fields(key, more)
        if not st.form_submit_button("Save as my plan", type="primary"):
            return None
    rates = [fields.rate(name, name=name, days=days, hours=hours) for name, days, hours, fields in rows]
    rates += [single.rate("Price")] if single else []
    solar = extra.feed_in.rate("Solar")
    plan = TypedPlan(
        name=name,
        retailer=retailer,
        fuel="gas" if gas else "electricity",
        from_=first if isinstance(first, date) else None,
        prices=prices,
        supply=typed_number("Daily supply charge", supply),
        usage=tuple(rate for rate in rates if rate),
        controlled_load=extra.controlled_load(),
        feed_in=(solar,) if solar else (),
        demand=extra.demand_charge(),
        discounts=extra.discounts(),
    )
    return plan, since if isinstance(since, date) else None


def _price_fields(label: str, key: str, unit: str) -> PriceFields:
    """Show the fields of a price that may have two tiers."""
    columns = st.columns(4)
    return PriceFields(
        columns[0].text_input(label, key=f"{key}-price"),
        columns[1].text_input(f"only for the first … {unit}", key=f"{key}-first"),
        columns[2].selectbox("in each", PERIODS, key=f"{key}-per"),
        columns[3].text_input("and after that", key=f"{key}-rest"),
    )


def _band_fields(key: str, bands: Sequence[str]) -> list[tuple[str, str, str, PriceFields]]:
    """Show a row for each price by time of day: name, days, hours, price."""
    st.caption(
        "A price without hours, on every day, is for all other times. Hours: 3pm-9pm, or 7:00-9:00, 17:00-20:00."
    )
    rows = []
    for number, band in enumerate(bands):
        columns = st.columns(4)
        name = columns[0].text_input("Name", band, key=f"{key}-name-{number}")
        price = columns[1].text_input("Price of a kWh", key=f"{key}-price-{number}")
        days = DAYS[columns[2].selectbox("Days", list(DAYS), key=f"{key}-days-{number}")]
        hours = columns[3].text_input("Hours", key=f"{key}-hours-{number}")
        rows.append((name, days, hours, PriceFields(price, "", "day", "")))
    return rows


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
        supply = typed_number("Controlled load, daily charge", self.load_supply or "0")
        return TypedLoad(price=rate.price, tiers=rate.tiers, per=rate.per, supply=supply)

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


def _more_fields(key: str, wanted: Sequence[str]) -> MoreFields:
    """Show the fields of what the bill also has."""
    given = MoreFields()
    if LOAD in wanted:
        load = _price_fields("Controlled load, price of a kWh", f"{key}-load", "kWh")
        supply = st.text_input("Controlled load, daily charge", key=f"{key}-load-supply")
        given = given._replace(load=load, load_supply=supply)
    if SOLAR in wanted:
        given = given._replace(feed_in=_price_fields("Solar, paid for a kWh", f"{key}-solar", "kWh"))
    if DEMAND in wanted:
        columns = st.columns(4)
        given = given._replace(
            demand=columns[0].text_input("Demand, price of a kW", key=f"{key}-demand"),
            demand_per=columns[1].selectbox("for each", ["day", "month"], key=f"{key}-demand-per"),
            demand_days=DAYS[columns[2].selectbox("on", list(DAYS), key=f"{key}-demand-days")],
            demand_hours=columns[3].text_input("between", placeholder="3pm-9pm", key=f"{key}-demand-hours"),
        )
    if DISCOUNT in wanted:
        left, right = st.columns([1, 3], vertical_alignment="bottom")
        given = given._replace(
            percent=left.text_input("Discount off the bill, %", key=f"{key}-discount"),
            earned=right.checkbox("It has to be earned, for example by paying on time", key=f"{key}-earned"),
        )
    return given
