"""The fields for the prices of energy: a row for each time of day and season, with its tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.energy.invoice_list import BilledPart
from toolkit.answers.energy.typed_plans import BlockPeriod, TypedRate
from toolkit.errors import UsageError
from toolkit.flows.plans.billed_hours import BilledHours
from toolkit.flows.plans.billed_prices import BilledPrices
from toolkit.pages.energy.typed_plan.prices import DAYS, PERIODS, UNREAD, PriceFields, number

EACH: dict[BlockPeriod, str] = {name: f"in each {name}" for name in PERIODS}
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
SEASONS, TIERS = "Prices by season", "Tiers (a price for the first units, another after)"
IN_SEASONS = ("Summer", "Winter", "Autumn", "Spring")
"""Names that rows begin with where one price differs by season only."""


class Row(NamedTuple):
    """What a row of a price begins with. number: of its fields. are_hours_found: whether days and hours are filled."""

    number: str
    name: str
    price: str = ""
    days: str = ""
    hours: str = ""
    are_hours_found: bool = False


class RateRow(NamedTuple):
    """A row of the form: a price, and when it holds. begun: the name that it began with."""

    begun: str
    name: str
    days: str
    hours: str
    months: str
    fields: PriceFields
    below: DeltaGenerator

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was typed."""
        times = (self.days, self.hours.strip(), self.months.strip())
        return self.fields.is_empty and not any(times) and self.name == self.begun

    def rate(self) -> TypedRate:
        """Return the rate. Raises as `PriceFields.rate`."""
        return self.fields.rate(self.name, days=self.days, hours=self.hours, months=self.months)

    def unread(self) -> TypedRate:
        """Return the rate where its price cannot be read."""
        return TypedRate(name=self.name, price=UNREAD, days=self.days, hours=self.hours, months=self.months)


def asked(rows: Sequence[RateRow], kind: str, more: Sequence[str]) -> Sequence[RateRow]:
    """Return the rows that must have a price: not an untouched one of a time of day that has another season's."""
    if len(rows) == 1:
        return [row for row in rows if not row.is_untouched]  # that no price at all is typed is said of the whole plan
    if kind == BY_TIME and SEASONS in more:
        typed = {row.begun for row in rows if not row.is_untouched}
        return [row for row in rows if not row.is_untouched or row.begun not in typed]
    return rows


def are_as_found(begun: Sequence[Row], rows: Sequence[RateRow]) -> bool:
    """Return whether the hours are those that were filled in."""
    return all(
        found.are_hours_found and (row.days, row.hours) == (found.days, found.hours)
        for found, row in zip(begun, rows, strict=True)
    )


def check_more(rows: Sequence[RateRow], more: Sequence[str]) -> None:
    """Raise UsageError where prices are to have seasons or tiers, and none has."""
    if SEASONS in more and not any(row.months.strip() for row in rows):
        raise UsageError(
            f"usage: enter the months of each season's prices. If no price changes by season, switch {SEASONS} off "
            "above.",
            option="usage",
        )
    if TIERS in more and not any(row.fields.is_tiered for row in rows):
        raise UsageError(
            "usage: enter how much the first price is for, and the price after that. If no price has tiers, switch "
            "Tiers off above.",
            option="usage",
        )


def _rows_of(begun: Sequence[tuple[int, str, str]]) -> tuple[Row, ...]:
    """Return a row for each (number, name, price); those of one number have fields of their own."""
    numbers = [known for known, *_ in begun]
    return tuple(
        Row(f"{known}-{again}" if (again := numbers[:place].count(known)) else f"{known}", name, price)
        for place, (known, name, price) in enumerate(begun)
    )


def how_many(
    key: str, kind: str, more: Sequence[str], prices: BilledPrices | None, found: BilledHours | None
) -> tuple[tuple[Row, ...], int]:
    """Ask how many prices and tiers there are; return what the rows begin with, and the tiers of each.

    found: the hours of the bill's prices.
    """
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
        rows = _rows_of([(BILLED.get(band.part, 0), band.name, number(band.price)) for band in bands])
        if kind == BY_TIME and found is not None:
            timed = zip(rows, found.times, strict=True)
            rows = tuple(row._replace(days=at.days, hours=at.hours, are_hours_found=True) for row, at in timed)
        return rows, tiers
    begun = enumerate(names or ("Price",))
    return _rows_of([(ROWS.get(name, place), name, "") for place, name in begun]), tiers


def rate_fields(key: str, unit: str, begun: Sequence[Row], tiers: int, *, hours: bool, months: bool) -> list[RateRow]:
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
    for each, name, known, on, between, are_found in begun:
        timed = f"{key}-filled" if are_found else key  # a field that was drawn empty would stay empty
        columns = iter(st.columns(1 + 2 * hours + months + 1) if len(begun) > 1 else [])
        shown = next(columns).text_input("Name", name, key=f"{key}-name-{each}") if len(begun) > 1 else name
        price = next(columns) if len(begun) > 1 else st.container()
        first = list(DAYS.values()).index(on)
        days = DAYS[next(columns).selectbox("Days", list(DAYS), first, key=f"{timed}-days-{each}")] if hours else ""
        at = next(columns).text_input("Hours", between, key=f"{timed}-hours-{each}") if hours else ""
        of = next(columns).text_input("Months", key=f"{key}-months-{each}") if months else ""
        fields = _tier_fields(
            price, f"Price of {'an' if unit == 'MJ' else 'a'} {unit}", f"{key}-price-{each}", unit, tiers, known
        )
        rows.append(RateRow(name, shown, days, at, of, fields._replace(per=per), st.container()))
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
