"""What needs attention, first on the Overview: sentences with a button, and what was added since the last visit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.decisions import ToReview
from toolkit.answers.insights import DeskLowPoint, Insight, InsightKind, SinceLastVisit
from toolkit.charts import style
from toolkit.flows.desk.figures import current_figures, is_current
from toolkit.flows.desk.insights import decide, stored_insights, stored_low_point
from toolkit.flows.desk.visits import record_visit, visit
from toolkit.flows.household.context import Context
from toolkit.flows.money.cashflow import DAYS
from toolkit.flows.money.edits.review import list_to_review
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, holdings
from toolkit.pages.data import CONNECTED_ACCOUNTS
from toolkit.pages.energy import published_plans
from toolkit.pages.energy.bills import CORRECT, YOUR_BILLS
from toolkit.pages.energy.solar import IS_IT_WORKING
from toolkit.pages.money import spending
from toolkit.pages.money.coming_up import AGAIN, CASH_FLOW
from toolkit.pages.server import background
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import plain, sentence

EXPLAINED_BY: Mapping[InsightKind, str] = {
    "bill": "Check the bill",
    "due": "See the bill",
    "payment": "See the bill",
    "saving": "Compare plans",
    "price": "See the payment",
    "balance": "See the cash flow",
    "account": "Enter its balance",
    "solar": "See the days",
    "consent": "See what is shared",
    "data": "Update data",
}
"""The button that leads to what explains it; short, so that it stands beside the others on a laptop."""
OPENED: Mapping[InsightKind, str] = {
    "balance": CASH_FLOW,
    "bill": CORRECT,
    "consent": CONNECTED_ACCOUNTS,
    "due": YOUR_BILLS,
    "payment": YOUR_BILLS,
    "price": AGAIN,
    "solar": IS_IT_WORKING,
}
"""The tab of the page that explains it; the first where none is named."""
LATER = {"Tomorrow": 1, "In a week": 7, "In a month": 30}
ADDED = {
    "transactions": ("transaction", "transactions"),
    "accounts": ("account", "accounts"),
    "balances": ("balance you entered", "balances you entered"),
    "rules": ("rule for categories", "rules for categories"),
    "meter_days": ("day of meter data", "days of meter data"),
    "bills": ("energy bill", "energy bills"),
    "plans": ("plan", "plans"),
    "concessions": ("concession", "concessions"),
    "stated_lines": ("line for the report", "lines for the report"),
    "files": ("file", "files"),
}


TO_REVIEW = {
    "pay": ("payer whose money looks like pay", "payers whose money looks like pay"),
    "transfer": ("likely transfer", "likely transfers"),
    "own_account": ("payee that may be your own account", "payees that may be your own accounts"),
    "payee": ("payee", "payees"),
    "unnamed": ("transaction without a payee", "transactions without a payee"),
    "unusual": ("unusual amount", "unusual amounts"),
}
"""Names of what there may be to review, by kind."""
NOTHING = "Nothing needs your attention."
SINCE = "Since your last visit"
VISIT_RECORDED = "visit-noted"
"""The household whose visit is kept."""
LOWEST_BALANCE = "overview-lowest-balance"
"""Key of the button beside the lowest balance."""


def since_last_visit(ctx: Context) -> None:
    """Say what was added since the last visit; nothing on the first one."""
    with explained():
        answer = visit(ctx, launched.visit_id())
        if answer.visited_at is not None:
            st.caption(_since(answer))


def record_visit_of(ctx: Context) -> None:
    """Keep that the household was looked at, once a visit: also of somebody who never opens the Overview."""
    if ctx.household is not None and st.session_state.get(VISIT_RECORDED) != ctx.household:
        with explained():
            record_visit(ctx, launched.visit_id())
            st.session_state[VISIT_RECORDED] = ctx.household


def _since(answer: SinceLastVisit) -> str:
    assert answer.visited_at is not None
    added = [counted(row.count, *ADDED[row.what]) for row in answer.added]
    return f"{SINCE} on {style.day(answer.visited_at.date())}: {', '.join(added) or 'nothing new'}."


def prepare(ctx: Context) -> None:
    """Ask what `begin` will ask."""
    if ask(is_current, ctx) and (known := ask(stored_insights, ctx)) and not known[0].insights:
        _reviewed(ctx)


def begin(ctx: Context, place: DeltaGenerator) -> bool:
    """Show at the top what needs attention; return whether it still has to be worked out, by `finish`."""
    with place.container(), explained():
        if ask(is_current, ctx):
            show(ctx)
            return False
    return True


@st.fragment
def show(ctx: Context) -> None:
    """List what needs attention, as last worked out; a decision redraws this list only, the last one the page."""
    with explained():
        known = ask(stored_insights, ctx)
        if known is None:
            return
        answer, _ = known
        st.subheader("Needs attention", anchor=False)
        had_some = widgets.last_drawn(bool(answer.insights), key=f"attention-has-some-{ctx.household}")
        if had_some and not answer.insights:
            st.rerun()  # what there is to review moves up here from below the charts
        if answer.insights:
            with st.container(border=True, gap="xsmall", key="attention"):
                for insight in answer.insights:
                    _insight(ctx, insight)
        elif (reviewed := _reviewed(ctx)) is not None:
            with st.container(border=True, gap="xsmall", key="attention"):
                _to_review(reviewed)
        else:
            st.write(NOTHING)


def to_review(ctx: Context) -> None:
    """Say how much there is to review below the charts, where what needs attention stands above them."""
    with explained():
        known = ask(stored_insights, ctx)
        if known is not None and known[0].insights and (reviewed := _reviewed(ctx)) is not None:
            _to_review(reviewed)


def _reviewed(ctx: Context) -> ToReview | None:
    """Return what there is to review; None where there is nothing."""
    answer = ask(list_to_review, ctx) if holdings(ctx).transactions else None
    return answer if answer and answer.items else None


def _to_review(answer: ToReview) -> None:
    """Say how much there is to review, and lead to it."""
    kinds = Counter(item.kind for item in answer.items)
    listed = ", ".join(counted(kinds[kind], *words) for kind, words in TO_REVIEW.items() if kinds[kind])
    text, button = st.columns([3, 1], vertical_alignment="center")
    text.markdown(plain(f"To review: {listed}{' and others' if answer.more else ''}."))
    with button.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Review", key="overview-review"):
            widgets.go_to("spending", tab=spending.TO_REVIEW)


def lowest_balance(ctx: Context) -> None:
    """Say how low the balance is expected to fall, unless that is among what needs attention."""
    with explained():
        low, known = ask(stored_low_point, ctx), ask(stored_insights, ctx)
        if low is not None and known is not None and not any(each.kind == "balance" for each in known[0].insights):
            left_out = [each.text.figures["account"] for each in known[0].insights if each.kind == "account"]
            _lowest_balance(low, f" (without {' and '.join(map(str, left_out))})" if left_out else "")


def _lowest_balance(low: DeskLowPoint, without: str) -> None:
    words = f"In the next {DAYS} days your accounts together{without} should be lowest on {style.day(low.date)}"
    words += f", at about {style.aud(low.p50, cents=False)}"
    if low.p10 is not None and round(low.p10) < round(low.p50):
        words += f" (in a bad month {style.aud(low.p10, cents=False)} on that day)"
    text, button = st.columns([3, 1], vertical_alignment="center")
    text.markdown(plain(f"{words}."))
    with button.container(horizontal=True, horizontal_alignment="right"):
        if st.button(EXPLAINED_BY["balance"], key=LOWEST_BALANCE):
            widgets.go_to("coming-up", tab=CASH_FLOW)


def _insight(ctx: Context, insight: Insight) -> None:
    with st.container(key=f"insight-{insight.id}"):
        text, buttons = st.columns([3, 2], vertical_alignment="center")
        so_far = published_plans.reading(ctx) if insight.kind == "saving" else None
        changing = plain(f" Plans are still being read ({so_far}), so this may change.") if so_far else ""
        text.markdown(sentence(insight.text) + changing)
        kind: InsightKind = "bill" if insight.also else insight.kind
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            if st.button(EXPLAINED_BY[kind], key=f"go-{insight.id}", type="primary"):
                widgets.go_to(insight.page, tab=OPENED.get(kind))
            st.button("Done", key=f"done-{insight.id}", on_click=_decide, args=(ctx, insight.id, None))
            with st.popover("Remind me later"):
                for label, days in LATER.items():
                    arguments = (ctx, insight.id, days)
                    st.button(label, key=f"{label}-{insight.id}", on_click=_decide, args=arguments, width="stretch")


def _decide(ctx: Context, insight_id: str, days: int | None) -> None:
    with explained():
        decide(ctx, insight_id, until=ctx.today + timedelta(days=days) if days else None)


def finish(ctx: Context, place: DeltaGenerator) -> bool:
    """Work out what needs attention when the rest of the page is drawn, and list it at the top; whether that worked."""
    key = f"figures {ctx.db} {ctx.household} {ctx.today}"
    job = background.start(key, "Looking for what needs attention", lambda _job: current_figures(ctx))
    waiting = st.empty()
    while not job.wait(0.25):
        waiting.caption(f"{job.name} …")  # a change of page ends the wait here
    waiting.empty()
    with place.container():
        if job.error is not None:
            st.warning(sentence(job.error))
        else:
            show(ctx)
    return job.error is None
