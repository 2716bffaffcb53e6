"""The Coming up page: bills, subscriptions and pay, on a calendar and as a list, and whether the money lasts."""

from __future__ import annotations

import html
from calendar import Calendar
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial

import streamlit as st

from toolkit.answers.money import PriceChange, Recurring, RecurringPayment, Upcoming
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.invoices.to_pay import notes_on_past_bills
from toolkit.flows.money.recurring import calendar_of, recurring
from toolkit.pages import widgets
from toolkit.pages.answers import ask, holdings
from toolkit.pages.money import cash_flow
from toolkit.pages.text import plain, readable, sentence
from toolkit.pages.widgets import Metric

HOW_TO_START = (
    "Add a few months of your bank's exports, or connect your accounts. Then subscriptions, bills and pay are listed."
)
KINDS = {
    "subscription": "Subscription",
    "bill": "Bill",
    "payment": "Regular payment",
    "pay": "Income",
    "loan": "Loan",
    "card": "Card",
}
MONEY_IN = "Money in"
"""Of what comes in and is in no category of income."""
NOTHING_DUE = "Nothing is due in these days."
MOST_A_DAY = 3
"""Payments named in a day of the calendar; the list below has all."""
CALENDAR, AGAIN, CASH_FLOW, TABS = "Calendar", "Regular payments", "Cash flow", "coming-up-tab"
DUE, REGULAR, CHANGED = "due", "regular", "changed"
"""Anchors of the lists of payments."""
MISSED, RISES = "Did not come", "Price rises"
ENERGY_BILLS = ("issued_bill", "energy_bill")
"""The sources of energy bills among what is coming up."""
IN_PLACE = (
    "For energy you see here the bills that you have still to pay, and then those that your use is likely to come to, "
    "not what you usually pay to your retailer. The cash flow takes off the same bills."
)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
STYLE = """<style>
.coming-up { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: 0.85rem; }
.coming-up th { font-weight: 600; text-align: left; padding: 0.2rem; }
.coming-up td { border: 1px solid rgba(128,128,128,0.3); height: 3.6rem; vertical-align: top; padding: 0.2rem; }
.coming-up .out { color: var(--paid); } .coming-up .in { color: var(--received); }
.coming-up .other, .coming-up .other span { color: var(--muted); } .coming-up .other { background: var(--surface); }
.coming-up .name { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.75rem; }
.coming-up .weekday { display: none; }
@media (max-width: 640px) {
  .coming-up thead, .coming-up .empty { display: none; }
  .coming-up tbody, .coming-up tr, .coming-up td { display: block; height: auto; border: none; }
  .coming-up td { border-bottom: 1px solid rgba(128,128,128,0.3); overflow: hidden; padding: 0.4rem 0.2rem; }
  .coming-up .weekday { display: inline; }
  .coming-up .due { display: flex; justify-content: space-between; gap: 0.5rem; }
  .coming-up .name { font-size: 0.85rem; }
}
</style>"""
"""On a phone the days with payments are listed one below another: seven columns leave no room for names."""


def render(ctx: Context) -> None:
    """Show what is due, by day, what comes again, and what it costs a year."""
    if not holdings(ctx).transactions:
        widgets.empty("Nothing is coming up yet", HOW_TO_START)
        return
    drawn: dict[str, Callable[[], None]] = {
        CALENDAR: partial(_payments, ctx),
        AGAIN: partial(_regular, ctx),
        CASH_FLOW: partial(cash_flow.render, ctx),
    }
    widgets.draw_open_tab(drawn, key=TABS)


def _found(ctx: Context, *, is_again: bool) -> Recurring | None:
    """Return the payments to come; None, with a message on the page, without any. is_again: see `_figures`."""
    answer = ask(recurring, ctx)
    for note in ask(notes_on_past_bills, ctx):
        st.warning(sentence(note))
    if not answer.recurring and not answer.upcoming:
        st.info("No regular payments were found yet. They need at least three months of transactions.")
        return None
    _figures(ctx, answer, is_again=is_again)
    if any(entry.source in ENERGY_BILLS for entry in answer.upcoming):
        st.caption(IN_PLACE)
    return answer


def _payments(ctx: Context) -> None:
    if (answer := _found(ctx, is_again=False)) is None:
        return
    if answer.upcoming:
        _calendar(ctx, answer.upcoming)
    st.subheader("Due in the next 90 days", anchor=DUE)
    if answer.upcoming:
        _due(answer, ask(account_labels, ctx))
    else:
        st.info(NOTHING_DUE)


def _regular(ctx: Context) -> None:
    if (answer := _found(ctx, is_again=True)) is None:
        return
    _changed(answer.recurring)
    st.subheader("Regular payments", anchor=REGULAR)
    _listed(answer.recurring, ask(account_labels, ctx))
    if answer.ended:
        with st.expander(f"Ended in the last year ({len(answer.ended)})"):
            rows = [{"name": entry.name, "usual": entry.amount.usual, "last": entry.last} for entry in answer.ended]
            columns = {"name": widgets.words("What"), "usual": widgets.money("Was"), "last": widgets.day("Last on")}
            widgets.table(rows, columns, name="ended", download=False)
    widgets.notes(answer.notes)


def _figures(ctx: Context, answer: Recurring, *, is_again: bool) -> None:
    """Show what is due, each figure with a link to its list. is_again: on the tab of what comes again."""
    soon = [entry for entry in answer.upcoming if entry.date < ctx.today + timedelta(days=30) and entry.amount < 0]
    due = -sum((entry.amount for entry in soon if entry.kind != "card"), Decimal(0))
    risen = sum(_change(entry) > 0 for entry in answer.recurring)
    again = (AGAIN, partial(widgets.open_tab, AGAIN, key=TABS))
    listed = (CALENDAR, partial(widgets.open_tab, CALENDAR, key=TABS))
    what = "Bills, subscriptions and loans, without card payments."
    a_year = style.aud(answer.yearly_out, cents=False)
    shown = [
        Metric("Due in 30 days", style.aud(due, cents=False), what, opens=listed),
        Metric("Regular payments a year", a_year, "At today's prices.", opens=again),
        Metric(RISES, str(risen), "Regular payments whose last change was a rise.", opens=again),
    ]
    if (pay := _next_pay(answer)) is not None:
        amount = style.aud(pay.amount, cents=False)
        what = f"{plain(pay.name)}, your largest regular income."
        shown.insert(1, Metric("Next income", amount, what, style.day(pay.date), opens=listed))
    here = AGAIN if is_again else CALENDAR
    place = ("List", REGULAR if is_again else DUE)
    widgets.metrics(
        [
            replace(metric, opens=None, place=("What changed", CHANGED) if risen and metric.label == RISES else place)
            if metric.opens and metric.opens[0] == here
            else metric
            for metric in shown
        ]
    )


def _next_pay(answer: Recurring) -> Upcoming | None:
    """Return the next payment of the income that brings most a year: interest may come before pay."""
    income = [entry for entry in answer.recurring if entry.kind == "pay"]
    main = max(income, key=lambda entry: entry.yearly, default=None)
    due = [entry for entry in answer.upcoming if entry.kind == "pay" and main and entry.name == main.name]
    return next((entry for entry in due if main and entry.account_id == main.account_id), None)


def _calendar(ctx: Context, coming: Sequence[Upcoming]) -> None:
    """Show a month as a table of days; names and amounts come from outside and are escaped."""
    months = sorted({entry.date.replace(day=1) for entry in coming} | {ctx.today.replace(day=1)})
    first = min((entry.date.replace(day=1) for entry in coming), default=months[0])
    month = st.segmented_control(
        "Month", months, default=first, required=True, format_func=lambda day: f"{day:%B %Y}", key="coming-month"
    )
    shown = month or first
    by_day: dict[date, list[Upcoming]] = {}
    for entry in coming:
        by_day.setdefault(entry.date, []).append(entry)
    weeks = [week for week in Calendar().monthdatescalendar(shown.year, shown.month) if week[-1] >= ctx.today]
    cells = "".join(f"<tr>{''.join(_cell(day, by_day.get(day, ()), shown) for day in week)}</tr>" for week in weeks)
    heads = "".join(f"<th>{day}</th>" for day in DAYS)
    st.html(f"{STYLE}<table class='coming-up'><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>")
    st.download_button(
        "Download for your calendar",
        lambda: calendar_of(ask(recurring, ctx)),
        "coming-up.ics",
        "text/calendar",
        key="coming-ics",
        type="tertiary",
        on_click="ignore",
    )


def _cell(day: date, due: Sequence[Upcoming], month: date) -> str:
    names = ", ".join(f"{readable(entry.title)} {style.aud(entry.amount)}" for entry in due)
    lines = "".join(
        f"<div class='due'><span class='name'>{html.escape(readable(entry.title))}</span>"
        f"<span class='{'out' if entry.amount < 0 else 'in'}'>{style.aud(entry.amount, cents=False)}</span></div>"
        for entry in due[:MOST_A_DAY]
    )
    lines += f"<span>+{len(due) - MOST_A_DAY} more</span>" if len(due) > MOST_A_DAY else ""
    kinds = " ".join(kind for kind, holds in (("other", day.month != month.month), ("empty", not due)) if holds)
    title = html.escape(names, quote=True)
    written = f"<span class='weekday'>{DAYS[day.weekday()]} </span>{day.day}<span class='weekday'> {day:%B}</span>"
    return f"<td class='{kinds}' title='{title}'>{written}{lines}</td>"


def _kind(kind: str, amount: Decimal) -> str:
    """Word what comes again. amount: negative for money out."""
    return MONEY_IN if amount > 0 and kind != "pay" else KINDS.get(kind, kind)


def _due(answer: Recurring, labels: Mapping[str, str]) -> None:
    rows = [
        {
            "date": entry.date,
            "amount": entry.amount,
            "name": entry.title,
            "kind": _kind(entry.kind, entry.amount),
            "account": labels.get(entry.account_id or "", entry.account_id),
            "source": cash_flow.SOURCES.get(entry.source, entry.source),
        }
        for entry in answer.upcoming
    ]
    columns = {
        "date": widgets.day("Date"),
        "amount": widgets.money("Amount"),
        "name": widgets.words("What"),
        "kind": widgets.words("Kind"),
        "account": widgets.words("Account"),
        "source": widgets.words("Known from"),
    }
    widgets.table(rows, columns, name="coming-up")


def _changed(entries: Sequence[RecurringPayment]) -> None:
    """List the last change of each amount and what did not come, the newest first: on the long list they are lost.

    Amounts are without the sign of money out: a price that rose is more, and so is pay.
    """
    rows: list[widgets.Row] = []
    for entry in entries:
        if entry.changes:
            last = entry.changes[-1]
            rows.append(
                {
                    "name": entry.name,
                    "what": _in_words(last),
                    "date": last.date,
                    "before": abs(last.before),
                    "paid": last.paid_before,
                    "after": abs(last.after),
                    "yearly": (abs(last.after) - abs(last.before)) * entry.yearly / (entry.amount.usual or 1),
                }
            )
        rows += [
            {"name": entry.name, "what": MISSED, "date": day, "before": abs(entry.amount.usual)} for day in entry.missed
        ]
    if not rows:
        return
    columns = {
        "name": widgets.words("What"),
        "before": widgets.money("Was"),
        "after": widgets.money("Is now"),
        "what": widgets.words("Change"),
        "date": widgets.day("Date"),
        "paid": widgets.day("Last at the old price"),
        "yearly": widgets.money("Difference a year"),
    }
    st.subheader("What changed", anchor=CHANGED)
    widgets.table(sorted(rows, key=lambda row: str(row["date"]), reverse=True), columns, name="changed")


def _in_words(change: PriceChange) -> str:
    return f"{'Pays' if change.after > 0 else 'Costs'} {'more' if abs(change.after) > abs(change.before) else 'less'}"


def _listed(entries: Sequence[RecurringPayment], labels: Mapping[str, str]) -> None:
    rows = [
        {
            "name": entry.name,
            "usual": entry.amount.usual,
            "cadence": entry.cadence.capitalize(),
            "yearly": entry.yearly,
            "next": entry.next_bill.date if entry.next_bill else entry.next,
            "next_amount": entry.next_bill.amount if entry.next_bill else entry.amount.usual,
            "kind": _kind(entry.kind, entry.amount.usual),
            "account": labels.get(entry.account_id or "", entry.account_id),
            "source": cash_flow.SOURCES.get(entry.source, entry.source),
        }
        for entry in entries
    ]
    columns = {
        "name": widgets.words("What"),
        "usual": widgets.money("Usually"),
        "yearly": widgets.money("A year"),
        "cadence": widgets.words("How often"),
        "next": widgets.day("Next"),
        "next_amount": widgets.money("Next amount"),
        "kind": widgets.words("Kind"),
        "account": widgets.words("Account"),
        "source": widgets.words("Known from"),
    }
    widgets.table(rows, columns, name="recurring")


def _change(entry: RecurringPayment) -> Decimal:
    """Return by how much the price last rose; negative where it fell; 0 without a change."""
    if not entry.changes or entry.amount.usual > 0:
        return Decimal(0)
    return abs(entry.changes[-1].after) - abs(entry.changes[-1].before)
