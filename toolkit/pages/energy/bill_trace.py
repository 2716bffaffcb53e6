"""A bill's line followed back to the meter: its days, then the reads of a day, each adding up to the one before."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import streamlit as st

from toolkit.answers.energy.bills import Bill, DayQuantity
from toolkit.answers.wording.charges import charge_name
from toolkit.charts import bills as charts
from toolkit.charts import style
from toolkit.flows.energy.bill import bill_reads
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import plain, readable

PriceKey = tuple[str, str | None]
"""A component and the label of a price; None for energy that no price takes."""

ANCHOR = "bill-reads"
EARNS_NOTHING = "The plan has no feed-in price for this export, so it earns nothing."
NOT_BILLED = "The plan has no price for this energy, so it is not in the bill."


def render(ctx: Context, bill: Bill, question: BillingQuestion) -> None:
    """Show the days and reads of one price. bill: with its days, as answered for the question."""
    st.subheader("From the bill to the meter", anchor=ANCHOR)
    days = list(bill.by_day or ())
    prices = {_key(row): readable(_name(row)) for row in days}
    if not prices:
        st.info("None of the lines of this bill charges for energy.")
        return
    chosen = st.selectbox("Which price", list(prices), format_func=prices.__getitem__, key="followed-price")
    own = [row for row in days if _key(row) == chosen]
    for sentence in _arithmetic(bill, chosen):
        st.caption(plain(sentence))
    _days(own)
    _reads(ctx, question, own, chosen)


def _key(row: DayQuantity) -> PriceKey:
    return row.component, row.label if row.priced else None


def _name(row: DayQuantity) -> str:
    if _key(row) == ("feed_in", None):
        return "Export without a feed-in price"
    return f"{charts.component_label(row.component)}: {charge_name(row.label)}"


def _arithmetic(bill: Bill, chosen: PriceKey) -> Iterator[str]:
    """Yield one sentence for each line of the price (one for each block and billing period)."""
    component, label = chosen
    if label is None:
        yield EARNS_NOTHING if component == "feed_in" else NOT_BILLED
    for line in bill.lines:
        if (line.component, line.price_label) != chosen:
            continue
        gst = " plus 10% GST" if line.gst == "added" else ""
        block = "" if line.block is None else f"Block {line.block}: "
        yield (
            f"{block}{line.quantity:,.3f} {line.unit} at {style.unit_price(line.unit_price, line.unit)} each{gst} is "
            f"{style.aud(line.amount)} ({style.day(line.from_)} to {style.day(line.to)})."
        )


def _days(rows: list[DayQuantity]) -> None:
    widgets.chart(charts.days(rows, look=widgets.look()), key="followed-days")
    if (unit := rows[0].unit) == "kW":
        st.caption("The highest half-hour of each day. The line charges for the highest of each month.")
    else:
        st.caption(plain(f"Total: {sum(row.quantity for row in rows):,.3f} {unit}."))


def _reads(ctx: Context, question: BillingQuestion, rows: list[DayQuantity], chosen: PriceKey) -> None:
    """Show the reads of one day that the price took; of a demand charge, all general reads of the day."""
    busiest = max(rows, key=lambda row: row.quantity).date
    listed = [row.date for row in rows]
    day = st.selectbox("Which day", listed, listed.index(busiest), format_func=style.day, key="followed-day")
    reads = ask(bill_reads, ctx, question, day=day).frame().filter(_took(chosen))
    columns = {
        "time": widgets.timestamp("Starts"),
        "interval_minutes": widgets.count("Minutes"),
        "register_suffix": widgets.words("Register"),
        "quantity": widgets.number("Energy", "%,.3f"),
        "unit": widgets.words("Unit"),
        "quality": widgets.words("Read"),
    }
    qualities = pl.Series("quality", map(style.words, reads["quality"]), pl.String)
    shown = reads.with_columns(qualities, pl.col("time").str.to_datetime())
    widgets.table(shown, columns, name="followed-reads")
    if not reads.is_empty() and chosen[0] != "demand":
        energy = f"{reads['quantity'].sum():,.3f} {reads['unit'][0]}"
        st.caption(plain(f"{counted(reads.height, 'read')} on {style.day(day)}, {energy} in total."))


def _took(price: PriceKey) -> pl.Expr:
    """Whether a read falls under the price."""
    component, label = price
    if component == "demand":
        return pl.col("component") == "usage"
    return (pl.col("component") == component) & pl.col("label").eq_missing(pl.lit(label))
