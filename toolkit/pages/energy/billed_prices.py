"""The prices of a stored bill beside the plan's: which of them differs, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from toolkit.answers.energy.invoices import CheckedInvoice
from toolkit.charts import style
from toolkit.flows.invoices.prices import ComparedPrice
from toolkit.pages import widgets
from toolkit.pages.text import plain

LEFT_OPEN = (
    "The prices that differ leave {} of the difference open. Look on the bill for a charge that is not on the plan "
    "(late payment, card, connection), an amount from an earlier bill, or a discount that was left out."
)
ALL_SAME = "The prices on the bill are those of the plan."


def reasons(invoice: CheckedInvoice, prices: Sequence[ComparedPrice]) -> list[str]:
    """Return why a bill differs; of what could not be explained only what the prices that differ leave open."""
    amounts = [-price.more if price.is_credit else price.more for price in prices if price.more and not price.is_same]
    found: list[str] = []
    for reason, cause in zip(invoice.reasons, invoice.causes, strict=True):
        whole = cause.amount or Decimal(0)
        left = whole - sum(amounts, Decimal(0))
        if not amounts or cause.cause != "unexplained" or abs(left) > abs(whole):
            found.append(reason)
        elif abs(left) > invoice.tolerance:
            found.append(LEFT_OPEN.format(style.aud(abs(left))))
    return found


def sentences(prices: Sequence[ComparedPrice]) -> list[str]:
    """Return for each price that differs what it is on the bill and on the plan."""
    return [_sentence(price) for price in prices if not price.is_same]


def show(prices: Sequence[ComparedPrice], *, is_right: bool) -> None:
    """Say which price on the bill differs, with all in a table; of a right bill only where one does."""
    if not prices:
        return
    unlike = sentences(prices)
    for said in unlike:
        st.write(f"- {plain(said)}")
    if is_right and not unlike:
        return
    if not unlike:
        st.markdown(ALL_SAME)
    rows = [
        {
            "name": price.name,
            "quantity": price.quantity,
            "unit": price.unit,
            "billed": float(price.billed * 100),
            "planned": None if price.planned is None else float(price.planned * 100),
        }
        for price in prices
    ]
    columns = {
        "name": widgets.words("On the bill"),
        "quantity": widgets.number("Billed quantity", "%,.2f"),
        "unit": widgets.words("Unit"),
        "billed": widgets.number("Price on the bill, cents", "%,.3f", "Including GST."),
        "planned": widgets.number("Price of the plan, cents", "%,.3f", "Including GST, on the days of the bill."),
    }
    widgets.table(rows, columns, name="billed-prices")


def _sentence(price: ComparedPrice) -> str:
    billed = f"{price.name}: {_cents(price.billed)} a {price.unit} on the bill"
    if price.planned is None:
        return f"{billed}; the plan stored here has no such price."
    both = f"{billed}, {_cents(price.planned)} on the plan (including GST)."
    more = price.more
    if not more:
        return both
    way = f"{'more' if more > 0 else 'less'}{' credit' if price.is_credit else ''}"
    billed_for = f"{(price.quantity or Decimal(0)).normalize():,f} {price.unit}{'s' if price.unit == 'day' else ''}"
    return f"{both} For the {billed_for} billed that is {style.aud(abs(more))} {way}."


def _cents(price: Decimal) -> str:
    return f"{round(price * 100, 3).normalize():f} cents"
