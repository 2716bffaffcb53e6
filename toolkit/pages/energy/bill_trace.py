"""A bill's line followed back to the meter: its days, then the reads of a day, each adding up to the one before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import streamlit as st

from toolkit.charts import bills as charts
from toolkit.charts import style
from toolkit.flows.energy.bill_trace import bill_trace
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import Answer, ask
from toolkit.pages.text import plain

PriceKey = tuple[str, str | None]
"""A component and the label of a price; None for energy that no price takes."""

EARNS_NOTHING = "The plan has no feed-in price for this export, so it earns nothing."
NOT_BILLED = "The plan has no price for this energy, so it is not in the bill."


def render(ctx: Context, bill: Answer, asked: dict[str, Any]) -> None:
    """asked: the options that the bill was made with."""
    st.subheader("From the bill to the meter")
    days = ask(bill_trace, ctx, **asked)["by_day"]
    prices = {_key(row): _name(row) for row in days}
    if not prices:
        st.info("None of the lines of this bill charges for energy.")
        return
    chosen = st.selectbox("Which price", list(prices), format_func=prices.__getitem__, key="followed-price")
    own = [row for row in days if _key(row) == chosen]
    for sentence in _arithmetic(bill, chosen):
        st.caption(plain(sentence))
    _days(own)
    _reads(ctx, asked, own, chosen)


def _key(row: Answer) -> PriceKey:
    return row["component"], row["label"] if row["priced"] else None


def _name(row: Answer) -> str:
    if _key(row) == ("feed_in", None):
        return "Export without a feed-in price"
    return f"{charts.component_label(row['component'])}: {row['label']}"


def _arithmetic(bill: Answer, chosen: PriceKey) -> Iterator[str]:
    """Yield one sentence for each line of the price (one for each block and billing period)."""
    component, label = chosen
    if label is None:
        yield EARNS_NOTHING if component == "feed_in" else NOT_BILLED
    for line in bill["lines"]:
        if (line["component"], line["price_label"]) == chosen:
            yield _sum(line)


def _sum(line: Answer) -> str:
    price = Decimal(line["unit_price"])
    gst = " plus 10 % GST" if line["gst"] == "added" else ""
    part = "" if line["block"] is None else f"Block {line['block']}: "
    return (
        f"{part}{line['quantity']:,.3f} {line['unit']} at ${price:f} each{gst} is {style.aud(line['amount'])} "
        f"({style.day(line['from'])} to {style.day(line['to'])})."
    )


def _days(rows: list[Answer]) -> None:
    unit = rows[0]["unit"]
    widgets.chart(charts.days(rows, unit=unit, look=widgets.look()), key="followed-days")
    if unit == "kW":
        st.caption("The highest half-hour of each day. The line charges for the highest of each month.")
    else:
        st.caption(plain(f"Together {sum(row['quantity'] for row in rows):,.3f} {unit}."))


def _reads(ctx: Context, asked: dict[str, Any], rows: list[Answer], chosen: PriceKey) -> None:
    """The reads of one day that the price took; of a demand charge, all general reads of the day."""
    busiest = max(rows, key=lambda row: row["quantity"])["date"]
    listed: list[date] = [row["date"] for row in rows]
    day = st.selectbox("Which day", listed, listed.index(busiest), format_func=style.day, key="followed-day")
    reads = [row for row in ask(bill_trace, ctx, **asked, day=day)["reads"] if _took(row, chosen)]
    columns = {
        "time": widgets.moment("Starts"),
        "interval_minutes": widgets.number("Minutes", "%d"),
        "register_suffix": widgets.words("Register"),
        "quantity": widgets.number("Energy", "%.3f"),
        "unit": widgets.words("Unit"),
        "quality": widgets.words("Read"),
    }
    shown = [{**r, "time": datetime.fromisoformat(r["time"]), "quality": style.words(r["quality"])} for r in reads]
    widgets.table(shown, columns, name="followed-reads")
    energy = sum(row["quantity"] or 0 for row in reads)
    if reads and chosen[0] != "demand":
        st.caption(plain(f"{len(reads)} reads on {style.day(day)}, together {energy:,.3f} {reads[0]['unit']}."))


def _took(read: Answer, chosen: PriceKey) -> bool:
    component, label = chosen
    if component == "demand":
        return bool(read["component"] == "usage")
    return bool(read["component"] == component and read["label"] == label)
