"""The table of households, what of it is shown, and the household chosen in it by mouse or by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta

import streamlit as st

from toolkit.answers.insights import DeskConsent, DeskHousehold, DeskLink
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.server import visit
from toolkit.pages.text import plain

TABLE, BY_NAME, DRAWN = "table-households", "household-by-name", "households-drawn"
"""The table, the field to choose one by name, and the ids in the order in which the table was drawn last."""
SHOW = "households-show"
"""The field that chooses which households are shown."""
MOST_DUE = 3
"""Households to follow up that are named: a line of a laptop."""
MANY = 10
"""From this number on the table can be narrowed down; fewer are seen at a glance."""
LINKS = {"sent": "Sent", "done": "Done", "expired": "Expired"}
SINCE = {"sent": "", "done": ", sent", "expired": ", sent"}
"""What stands between the state of a link and the day on which it was sent."""
HOW_TO_CHOOSE = "Tick a household to open or change it."
ALL = "All households"
SOON, OLD = timedelta(30), timedelta(31)

Need = Callable[[DeskHousehold, date], tuple[float, str] | None]
"""Why a household needs something today: what it comes after in its kind (the least first), and the reason."""


def _follow_up(home: DeskHousehold, today: date) -> tuple[float, str] | None:
    due = home.follow_up
    return None if due is None or due > today else (due.toordinal(), f"Follow up since {style.day(due)}")


def _below_zero(home: DeskHousehold, _today: date) -> tuple[float, str] | None:
    low = home.low_point
    if low is None or low.p50 >= 0:
        return None
    return low.date.toordinal(), f"Lowest balance {style.aud(low.p50, cents=False)} on {style.day(low.date)}"


def _consent_ends(home: DeskHousehold, today: date) -> tuple[float, str] | None:
    ends = [end for consent in home.consents if (end := _end(consent)) and end <= today + SOON]
    if not ends:
        return None
    return min(ends).toordinal(), f"Consent {'ends' if min(ends) >= today else 'ended'} on {style.day(min(ends))}"


def _bills_differ(home: DeskHousehold, _today: date) -> tuple[float, str] | None:
    count = home.bills_that_differ
    return (-count, counted(count, "bill differs", "bills differ")) if count else None


def _link_expired(home: DeskHousehold, _today: date) -> tuple[float, str] | None:
    return (0, "Link expired") if any(link.state == "expired" for link in home.links) else None


def _old_data(home: DeskHousehold, today: date) -> tuple[float, str] | None:
    to = home.data_to
    return None if to is None or to >= today - OLD else (to.toordinal(), f"Data to {style.day(to)} only")


def _no_data(home: DeskHousehold, _today: date) -> tuple[float, str] | None:
    return (0, "No data") if home.as_of is not None and home.data_to is None else None


def _saving(home: DeskHousehold, _today: date) -> tuple[float, str] | None:
    return (-float(home.saving), f"Could save {style.aud(home.saving, cents=False)} a year") if home.saving else None


NEEDS: Mapping[str, Need] = {
    "To follow up": _follow_up,
    "Lowest balance below zero": _below_zero,
    "Consent ends within 30 days": _consent_ends,
    "Bills that differ": _bills_differ,
    "Link expired": _link_expired,
    "Data older than a month": _old_data,
    "No data": _no_data,
    "Could save on a plan": _saving,
}
"""What a household may need, the most urgent first; the table is in this order."""


def _has(need: Need) -> Callable[[DeskHousehold, date], bool]:
    return lambda home, today: need(home, today) is not None


VIEWS: Mapping[str, Callable[[DeskHousehold, date], bool]] = {
    ALL: lambda _home, _today: True,
    **{name: _has(need) for name, need in NEEDS.items()},
    "Link sent, not used yet": lambda home, _: any(link.state == "sent" for link in home.links),
}
"""What the table can be narrowed down to."""
COLUMNS = {
    "name": widgets.words("Household"),  # not pinned: Streamlit writes pinned columns too pale to read
    "need": widgets.words("Why now", 250),
    "follow_up": widgets.day("Follow up"),
    "data_to": widgets.day("Data to"),
    "next_bill": widgets.money("Next bill"),
    "saving": widgets.money("Saving a year"),
    "low": widgets.money("Lowest balance ahead", "Likely in the next 90 days, of all accounts together."),
    "low_on": widgets.day("Lowest on"),
    "left_out": widgets.words("Balance missing for"),
    "differ": widgets.count("Bills that differ", "From our figure. Empty: none could be checked."),
    "link": widgets.words("Link", 190),
    "consent": widgets.day("Consent from"),
    "until": widgets.day("Consent until"),
    "purpose": widgets.words("Agreed to"),
    "as_of": widgets.day("Figures of"),
    "note": widgets.words("Note"),
}


def needs_of(home: DeskHousehold, today: date) -> list[str]:
    """Return what a household needs today, the most urgent first."""
    return [found[1] for need in NEEDS.values() if (found := need(home, today))]


def _by_need(rows: Sequence[DeskHousehold], today: date) -> list[DeskHousehold]:
    """Sort by the most urgent need, of the same kind the most pressing first; those that need nothing come last."""

    def place(home: DeskHousehold) -> tuple[int, float, str]:
        found = ((number, need(home, today)) for number, need in enumerate(NEEDS.values()))
        first = next(((number, each[0]) for number, each in found if each), (len(NEEDS), 0.0))
        return (*first, home.name.casefold())

    return sorted(rows, key=place)


def to_follow_up(ctx: Context, rows: Sequence[DeskHousehold]) -> None:
    """Name the households whose day to follow up has come, the longest ago first."""
    due = sorted((row.follow_up, row.name) for row in rows if row.follow_up and row.follow_up <= ctx.today)
    if due:
        named = ", ".join(f"{name} ({style.day(day)})" for day, name in due[:MOST_DUE])
        more = f" and {len(due) - MOST_DUE} more" if len(due) > MOST_DUE else ""
        st.markdown(plain(f"To follow up: {named}{more}."))


def chosen_in_table(ctx: Context, rows: Sequence[DeskHousehold]) -> DeskHousehold | None:
    """Show the table; return the household selected in it."""
    if not rows:
        st.write("No households yet.")
        return None
    columns = dict(COLUMNS)
    days = {row.as_of for row in rows}
    one_day = next(iter(days)) if len(days) == 1 else None  # a column of it would push others out of sight
    if one_day:
        del columns["as_of"]
    fields = st.columns((3, 3, 4) if (is_long := len(rows) >= MANY) else (3, 7), vertical_alignment="center")
    if is_long:
        with fields[0]:
            rows = _narrowed(rows, ctx.today)
    by_name, rows = rows, _by_need(rows, ctx.today)
    ids = tuple(row.id for row in rows)
    chosen = _chosen(ids)
    with fields[-2]:
        _by_name(by_name, chosen)
    fields[-1].caption(f"{_days(days)} {HOW_TO_CHOOSE}")
    widgets.table([_row(row, ctx.today) for row in rows], columns, name="households", selectable=True)
    return None if chosen is None else rows[ids.index(chosen)]


def _days(days: Iterable[date | None]) -> str:
    """Say of which days the figures are; None: not worked out yet."""
    known = sorted({day for day in days if day})
    if not known:
        return "No figures are shown yet: see below how far they are."
    last = style.day(known[-1])
    return (
        f"Figures of {last}."
        if len(known) == 1
        else f"Figures of {style.day(known[0])} to {last}, see the column “Figures of”."
    )


def _narrowed(rows: Sequence[DeskHousehold], today: date) -> Sequence[DeskHousehold]:
    """Have the person choose which households are shown; the choice stays while one of them is opened."""
    views = {view: found for view, test in VIEWS.items() if (found := [row for row in rows if test(row, today)])}
    if (kept := st.session_state.get(visit.NARROWED, ALL)) not in views:  # the last one of these was seen to
        kept = ALL
    st.session_state[SHOW] = kept
    view = st.selectbox(
        "Show",
        list(views),
        format_func=lambda view: f"{view} ({len(views[view]):,})",
        label_visibility="collapsed",
        key=SHOW,
        on_change=_keep_view,
    )
    return views[view]


def _keep_view() -> None:
    st.session_state[visit.NARROWED] = st.session_state.get(SHOW, ALL)


def _by_name(rows: Sequence[DeskHousehold], chosen: str | None) -> None:
    """A field to choose a household with, for the keyboard and for hundreds of rows."""
    names = widgets.distinct({row.id: row.name for row in rows})
    st.session_state[BY_NAME] = chosen
    st.selectbox(
        "Choose by name",
        list(names),
        None,
        format_func=names.__getitem__,
        placeholder="Choose by name",
        label_visibility="collapsed",
        key=BY_NAME,
        on_change=_chosen_by_name,
    )


def _chosen(ids: Sequence[str]) -> str | None:
    """Return the household selected in the table, and have the table select its row where others came or went.

    Streamlit knows a selected row by its place in the table as it was drawn last. The table stays the same one, as the
    browser keeps how a person sorted it.
    """
    drawn = widgets.last_drawn(ids, key=DRAWN)
    picked = [drawn[place] for place in widgets.selected(TABLE, "rows") if place < len(drawn)]
    chosen = next((home for home in picked if home in ids), None)
    if drawn != ids and picked:
        select(ids, chosen)
    return chosen


def select(ids: Sequence[str], chosen: str | None) -> None:
    """Select the row of a household in the table of those with these ids; no row where it is not among them."""
    rows = [ids.index(chosen)] if chosen in ids else []
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def _chosen_by_name() -> None:
    """Select in the table what was chosen in the field, which the keyboard reaches as it does not a row."""
    select(st.session_state.get(DRAWN, ()), st.session_state[BY_NAME])


def _row(home: DeskHousehold, today: date) -> widgets.Row:
    low = home.low_point
    ends = [_end(consent) for consent in home.consents]
    return {
        "name": home.name,
        "need": "; ".join(needs_of(home, today)) or None,
        "data_to": home.data_to,
        "next_bill": home.next_bill,
        "saving": home.saving,
        "low": low.p50 if low else None,
        "low_on": low.date if low else None,
        "left_out": counted(home.accounts_left_out, "account") if home.accounts_left_out else None,
        "differ": home.bills_that_differ,
        "consent": min((consent.date for consent in home.consents if consent.date), default=None),
        "until": min((end for end in ends if end), default=None),
        "purpose": home.purpose,
        "link": ", ".join(map(_link, home.links)),
        "follow_up": home.follow_up,
        "note": home.note,
        "as_of": home.as_of,
    }


def _end(consent: DeskConsent) -> date | None:
    return widgets.local_day(consent.ends_at) if consent.ends_at else None


def _link(link: DeskLink) -> str:
    if link.sent_at is None:
        return LINKS[link.state]
    return f"{LINKS[link.state]}{SINCE[link.state]} {style.day(widgets.local_day(link.sent_at))}"
