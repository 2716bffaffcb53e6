"""The tab To review: one decision a keystroke, most money first, applied to all alike."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from toolkit.answers.decisions import ReviewItem
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.edits.review import list_to_review, mark_fine
from toolkit.flows.money.rules import accept_transfer, add_rule, reject_transfer
from toolkit.flows.money.summary import spending
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.money.names import Names
from toolkit.pages.money.transaction_list import finish
from toolkit.pages.text import plain

PLACE = "review-place"
NOTHING = "Nothing to review."
QUICK = 6
"""Categories with a key of their own: 1 to 6."""


def render(ctx: Context) -> None:
    """Show the first item with its decisions, and the list."""
    items = ask(list_to_review, ctx).items
    if not items:
        st.success(f"{NOTHING} New payees, likely transfers and unusual amounts will show up here.")
        return
    place = min(st.session_state.get(PLACE, 0), len(items) - 1)
    item = items[place]
    names = Names.of(ctx)
    st.write(f"{counted(len(items), 'thing')} to look at, most money first. You can do this at any time.")
    with st.container(border=True):
        if item.kind == "transfer":
            _transfer(ctx, item)
        else:
            _payee(ctx, item, names)
        with st.container(horizontal=True):
            if st.button("Fine as it is", key="review-fine", shortcut="f"):
                _fine(ctx, [item])
            if st.button("Later", key="review-later", shortcut="l", disabled=len(items) == 1):
                st.session_state[PLACE] = (place + 1) % len(items)
                st.rerun()
    _listed(items, names)
    if st.button(f"All {len(items)} are fine", key="review-all-fine", icon=":material/done_all:"):
        _fine(ctx, items)


def _fine(ctx: Context, items: Sequence[ReviewItem]) -> None:
    with explained():
        mark_fine(ctx, items)
        finish(f"{counted(len(items), 'thing')} left as {'it is' if len(items) == 1 else 'they are'}.")


def _transfer(ctx: Context, item: ReviewItem) -> None:
    st.subheader(f"{style.aud(item.amount)} between your own accounts?")
    labels = ask(account_labels, ctx)
    legs = sorted(item.transactions, key=lambda row: row.amount)
    for column, leg, direction in zip(st.columns(2), legs, ("Out of", "Into"), strict=True):
        with column:
            st.markdown(f"**{plain(f'{direction} {labels.get(leg.account_id, leg.account_id)}')}**")
            st.text(f"{style.aud(leg.amount)}, {style.day(leg.date) if leg.date else 'no date'}")
            st.text(leg.description or "")
    out, into = (leg.id for leg in legs)
    with st.container(horizontal=True):
        if st.button("Yes, a transfer, and those like it", key="review-yes", type="primary", shortcut="y"):
            with explained():
                accept_transfer(ctx, out, into)
                finish("Counted as a transfer, and those like it.")
        if st.button("No", key="review-no", shortcut="n"):
            with explained():
                reject_transfer(ctx, out, into)
                finish("They are not a transfer.")


def _payee(ctx: Context, item: ReviewItem, names: Names) -> None:
    who = item.name or "Not named"
    if item.usual is not None:
        usual = f"usually {style.aud(item.usual)}"
        st.subheader(plain(f"{who}: {style.aud(item.amount)} on {style.day(item.date)}, {usual}"))
        st.caption("Fine as it is? If not, ask the shop or your bank.")
    else:
        times = counted(item.count, "transaction")
        st.subheader(plain(f"{who}: {style.aud(item.amount)} in {times}"))
        st.caption(plain(f"Counted as {names.name(item.category)}. Which category is it, for all of its transactions?"))
    rows = [{"date": row.date, "amount": row.amount, "description": row.description} for row in item.transactions]
    columns = {
        "date": widgets.day("Date"),
        "amount": widgets.money("Amount"),
        "description": widgets.words("Description"),
    }
    widgets.table(rows, columns, name="review-rows", download=False)
    if item.name is None or item.usual is not None:
        return
    quick = _usual_categories(ctx)
    with st.container(horizontal=True):
        for number, code in enumerate(quick, 1):
            label = plain(names.name(code))
            if st.button(label, key=f"review-category-{number}", shortcut=str(number)):
                _categorise(ctx, item, code, names)
    other = st.selectbox(
        "Another category", names.choices, index=None, key=f"review-other-{item.transactions[0].id}", width=320
    )
    if other and st.button("Save for all of its transactions", key="review-save", type="primary"):
        _categorise(ctx, item, names.code_of[other], names)


def _categorise(ctx: Context, item: ReviewItem, code: str, names: Names) -> None:
    with explained():
        add_rule(ctx, item.name or "", code, payee=True)
        finish(f"{item.name} is {names.name(code)} now: {counted(item.count, 'transaction')}, and those to come.")


def _usual_categories(ctx: Context) -> list[str]:
    """Return the categories with most transactions."""
    counts: dict[str, int] = {}
    for row in ask(spending, ctx).rows:
        code = row.secondary_category or row.primary_category
        if isinstance(code, str):
            counts[code] = counts.get(code, 0) + row.count
    return sorted(counts, key=lambda code: (-counts[code], code))[:QUICK]


def _listed(items: Sequence[ReviewItem], names: Names) -> None:
    what = {"payee": "Payee", "transfer": "Transfer?", "unusual": "Unusual amount"}
    rows = [
        {
            "what": what[item.kind],
            "name": item.name or item.transactions[0].description,
            "amount": item.amount,
            "date": item.date,
            "category": names.name(item.category),
        }
        for item in items
    ]
    columns = {
        "what": widgets.words("What"),
        "name": widgets.words("Who"),
        "amount": widgets.money("Amount"),
        "date": widgets.day("Newest"),
        "category": widgets.words("Category"),
    }

    def jump(place: int) -> None:
        st.session_state[PLACE] = place

    widgets.table(rows, columns, name="to-review", download=False, on_pick=jump)
