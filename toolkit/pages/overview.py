"""Money and energy at a glance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import streamlit as st
from msgspec.structs import replace

from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.wording.ranges import likely_between
from toolkit.charts import spending as spending_charts
from toolkit.charts import style
from toolkit.charts import usage as usage_charts
from toolkit.errors import NothingStoredError, PlanRequiredError, ToolkitError
from toolkit.flows.desk.figures import is_current
from toolkit.flows.desk.insights import stored_next_bills
from toolkit.flows.desk.visits import visit
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.usage import UsedLately, usage, used_lately
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.invoices.last import last_bills
from toolkit.flows.invoices.to_pay import bills_to_pay
from toolkit.flows.money.so_far import month_so_far
from toolkit.flows.money.summary import spending
from toolkit.pages import answers, attention, welcome, widgets
from toolkit.pages.answers import ask, explained, holdings, last_day_if_old
from toolkit.pages.energy import high_bill, published_plans
from toolkit.pages.energy.bills import WHICH_PLAN, YOUR_BILLS
from toolkit.pages.energy.meters import FROM_BILLS
from toolkit.pages.energy.solar import EXPORTS
from toolkit.pages.importing.controlled_load import ask_about_channels
from toolkit.pages.money.spending import ask_for_income
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Add your meter data and your bank's exports as files, or connect your accounts. Then this page shows where your "
    "money goes, what your next power bill will be, when you use power, and what your solar is worth."
)
_HEIGHT, _MOST = 290, 5
"""Pixels of a chart, and categories that its legend names: both also fit on a phone."""
_MOST_PERCENT = 999
"""The largest change that is worded as a percentage."""
_YEAR, _NEAR = 365, 20
"""Days between a period and the same one of last year, and by how many they may differ."""


def render(ctx: Context) -> None:
    """Show what needs attention, what is new, the main figures of money and energy, and their charts."""
    stored = holdings(ctx)
    if not stored.transactions and not stored.meter:
        st.subheader("Welcome. Add your data to begin", anchor=False)
        st.markdown(HOW_TO_START)
        welcome.doors(ctx)
        return
    attention.since_last_visit(ctx)
    welcome.checklist(ctx, stored)
    with explained():
        ask_about_channels(ctx)
    place = st.empty()
    is_unfinished = attention.begin(ctx, place)
    published_plans.offer(ctx)
    _warn(ctx)
    widgets.metrics([*(_money(ctx) if stored.transactions else []), *(_energy(ctx) if stored.meter else [])])
    if stored.transactions and (deposits := ask(spending, ctx, months=True).deposits_without_category):
        ask_for_income(deposits, elsewhere=True)
    both = stored.transactions and stored.meter
    left, right = st.columns(2) if both else (st.container(), st.container())
    if stored.transactions:
        with left, explained():
            _spending_chart(ctx)
    if stored.meter:
        with right, explained():
            _usage_chart(ctx)
    balance = st.container()
    if stored.meter:
        _next_bill_sentences(ctx)
        if not welcome.asks_for_plan(ctx, stored):
            _which_plan(ctx)
        widgets.button_to("too-high", high_bill.BUTTON, key="overview-too-high")
    is_current = not is_unfinished or attention.finish(ctx, place)
    if is_current and stored.transactions:
        with balance:
            attention.lowest_balance(ctx)
            attention.to_review(ctx)


def prepare(ctx: Context) -> None:
    """Ask what the page of a household asks first, so that it is worked out while the browser loads the page."""
    with answers.ahead(), suppress(ToolkitError):
        visit(ctx, launched.visit_id())  # first: it changes the database, and so what answers are valid for
        stored = holdings(ctx)
        attention.prepare(ctx)
        if stored.transactions:
            _money(ctx)
        if stored.meter and _meters(ctx):
            _energy(ctx)
            ask(usage, ctx)
        if stored.transactions:
            ask(spending, ctx, months=True)


def _money(ctx: Context) -> list[Metric]:
    """What is spent this month so far, and on the same days of the month before and of last year."""
    try:
        so_far = ask(month_so_far, ctx)
    except ToolkitError:
        return []
    if so_far is None:
        return []
    days = so_far.days
    until = "so far" if so_far.is_recent else f"to {style.day(days.last)}"
    return [
        Metric(
            f"Spent in {days.last:%B} {until}",
            style.aud(so_far.spent),
            f"{days.first.day} to {style.day(days.last)}, money out less refunds, against the same days of the month "
            "before and of last year. Transfers between your accounts are not counted.",
            _against(
                [
                    (f"in {so_far.before_days.first:%B}", so_far.before),
                    (f"in {days.last:%B} {days.last.year - 1}", so_far.last_year),
                ],
                so_far.spent,
            ),
            page="spending",
        )
    ]


def _against(earlier: Iterable[tuple[str, Decimal | float | None]], now: Decimal | float) -> str | None:
    """Word the change against earlier days; None where they are not known."""
    parts = []
    for name, value in earlier:
        if value is not None and value > 0:
            change = round((float(now) / float(value) - 1) * 100)
            more = "more" if change > 0 else "less"
            if now < 0 or change > _MOST_PERCENT:  # 31,912% of $4 says nothing, nor does a share of a refund
                parts.append(f"{'much ' * (change > 0)}{more} than {name}")
            else:
                parts.append(f"{abs(change)}% {more} than {name}" if change else f"same as {name}")
    return ", ".join(parts) or None


def _energy(ctx: Context) -> list[Metric]:
    """The next bill of each fuel, both together, and what is used a day."""
    try:
        meters = _meters(ctx)
    except ToolkitError as error:
        st.warning(sentence(error))
        return []
    bills: list[Metric] = []
    rest: list[Metric] = []
    amounts = []
    for meter in meters:
        mine = _at(ctx, meter)
        old = last_day_if_old(mine)
        answer = _next(mine)
        if answer is not None:
            amounts.append(answer.p50)
            bills += widgets.dated([_next_bill(mine, answer, meter)], old)
        rest += widgets.dated(_last_bill(mine, meter) if meter.is_from_bills else _a_day(meter), old)
    known = [amount for amount in amounts if amount is not None]
    if len(known) == len(meters) > 1:
        both = "The next power bill and the next gas bill; they may not end on the same day."
        bills.append(Metric("Power and gas", style.aud(sum(known, Decimal(0))), both, page="bills"))
    return [*bills, *rest]


def _meters(ctx: Context) -> list[UsedLately]:
    """The home's meter of each fuel, electricity first; of several the first."""
    by_unit: dict[str, UsedLately] = {}
    for meter in ask(used_lately, ctx):
        by_unit.setdefault(meter.unit, meter)
    return list(by_unit.values())


def _warn(ctx: Context) -> None:
    """Say above the figures that the energy they rest on cannot be right."""
    with suppress(ToolkitError):  # the figures of energy say why there are none
        for meter in _meters(ctx) if holdings(ctx).meter else []:
            if meter.doubtful:
                st.warning(sentence(meter.doubtful))


def _at(ctx: Context, meter: UsedLately) -> Context:
    return replace(ctx, service_point=meter.service_point_id)


def _next(ctx: Context) -> Forecast | None:
    """Return the forecast of the next bill alone; None where its page would say why there is none."""
    try:
        return _forecast(ctx)
    except ToolkitError:
        return None


def _forecast(ctx: Context) -> Forecast:
    """Return the forecast of a meter's next bill, as stored today or worked out now. Raises as `forecast`."""
    home = replace(ctx, service_point=None)
    stored = ask(stored_next_bills, home) if ask(is_current, home) else {}
    return stored.get(ctx.service_point or "") or ask(forecast, ctx, months=0)


def _next_bill(ctx: Context, answer: Forecast, meter: UsedLately) -> Metric:
    label = "Next power bill" if meter.unit == "kWh" else "Next gas bill"
    if answer.p50 is None:
        return Metric(label, "Not known", sentence(answer.reason), page="bills")
    notes = []
    if answer.p10 is not None and answer.p90 is not None and answer.p90 - answer.p10 >= 1:
        notes.append(likely_between(style.aud(answer.p10, cents=False), style.aud(answer.p90, cents=False)))
    about = f"Best guess for the period to {style.day(answer.period.to)}."
    if change := _against(_earlier_bills(answer, _billed(ctx, answer.fuel)), answer.p50):
        notes.append(change)
        about += (
            " It is compared with what you were billed; without a stored bill, with what your meter data comes to at "
            "today's prices."
        )
    return Metric(label, style.aud(answer.p50), about, ", ".join(notes) or None, "bills")


def _billed(ctx: Context, fuel: str) -> dict[tuple[date, date], Decimal]:
    """Return the amounts of the stored bills of a fuel by their first and last day."""
    try:
        kept = ask(list_invoices, ctx).invoices
    except ToolkitError:
        return {}
    return {
        (bill.from_, bill.to): bill.billed
        for bill in kept
        if bill.from_ and bill.to and bill.billed is not None and bill.fuel in (None, fuel)
        if bill.service_point_id in (None, ctx.service_point)
    }


def _earlier_bills(answer: Forecast, billed: Mapping[tuple[date, date], Decimal]) -> list[tuple[str, Decimal | None]]:
    """Return the bill before the next one, and that of last year; without a stored one the sum at today's prices."""
    first = answer.period.from_
    earlier = {(past.from_, past.to): past.billed for past in answer.past} | dict(billed)
    by_end = {to: amount for (_, to), amount in earlier.items()}
    by_end |= {to: amount for (_, to), amount in billed.items()}
    a_year_ago = [days for days in earlier if abs((first - days[0]).days - _YEAR) <= _NEAR]
    same = min(a_year_ago, key=lambda days: (abs((first - days[0]).days - _YEAR), days not in billed), default=None)
    before = first - timedelta(1)
    is_billed = any(to == before for _, to in billed)
    return [
        ("the bill before" if is_billed else "the period before", by_end.get(before)),
        ("last year", None if same is None else earlier[same]),
    ]


def _next_bill_sentences(ctx: Context) -> None:
    """Say for each fuel when the next bill comes and how its forecasts fared; its amount stands among the figures."""
    try:
        meters = _meters(ctx)
    except ToolkitError:
        return
    for meter in meters:
        answer = _next(_at(ctx, meter))
        if answer is None or answer.p50 is None:
            continue
        bill = "bill" if len(meters) == 1 else "power bill" if meter.unit == "kWh" else "gas bill"
        due = f"due about {style.day(answer.due)}" if answer.due else f"for the days to {style.day(answer.period.to)}"
        words = f"Your next {bill} is {due}."
        to_pay = [each for each in ask(bills_to_pay, ctx) if each.fuel == answer.fuel and each.due >= ctx.today]
        if to_pay and to_pay[-1].to < answer.period.to:
            last = to_pay[-1]
            has_come = f"The {bill} of {style.aud(last.amount)} that has come is due on {style.day(last.due)}"
            words = f"{has_come}. The one after it is {due}."
        recent = answer.past[-10:]
        if recent and answer.p10 is not None and answer.p90 is not None:
            inside = sum(p.p10 is not None and p.p90 is not None and p.p10 <= p.billed <= p.p90 for p in recent)
            past = "your last {} bills" if answer.is_tested_on_bills else "the last {} periods of that length"
            words += f" Of {past.format(len(recent))}, {inside} fell inside their likely range."
        st.markdown(plain(words))


def _which_plan(ctx: Context) -> None:
    """Ask for the plan where that is all that is missing to work out bills."""
    try:
        for meter in _meters(ctx):
            _forecast(_at(ctx, meter))
    except (PlanRequiredError, NothingStoredError) as error:
        if isinstance(error, PlanRequiredError) or error.missing == "plan":
            how = "Choose it, or type its prices from a bill, to see your next bill and what other plans would cost."
            widgets.empty("Which energy plan are you on?", how, page="bills", label="Choose your plan", tab=WHICH_PLAN)
    except ToolkitError:
        return


def _a_day(meter: UsedLately) -> list[Metric]:
    """Energy and exports of a day, against the same number of days before and the same days of last year."""
    now = meter.now
    if now.used is None:
        return []
    earlier = [("in the 30 days before", meter.before), ("last year", meter.last_year)]
    about = f"Average of the last {meter.days.days} days of your meter data."
    used = [(name, each.used if each else None) for name, each in earlier]
    label = "Grid power a day" if meter.unit == "kWh" else "Gas a day"
    a_day = style.kwh(now.used / meter.days.days, meter.unit)
    shown = [Metric(label, a_day, about, _against(used, now.used), "usage")]
    if now.export_kwh:
        sent = [(name, each.export_kwh if each else None) for name, each in earlier]
        exported = style.kwh(now.export_kwh / meter.days.days)
        shown.append(Metric("Solar exports a day", exported, about, _against(sent, now.export_kwh), "solar", EXPORTS))
    return shown


def _last_bill(ctx: Context, meter: UsedLately) -> list[Metric]:
    """The last bill and its energy a day, against the bill before and that of the same time last year."""
    gas = meter.unit == "MJ"
    answer = ask(last_bills, ctx, "GAS" if gas else "ELECTRICITY")
    if answer is None:
        return []
    last = answer.last
    about = f"Your bill of {Period(last.from_, last.to)}."
    earlier = [("the bill before", answer.before), ("last year", answer.year_before)]
    amounts = [(name, bill.billed if bill else None) for name, bill in earlier]
    label = f"Last {'gas' if gas else 'power'} bill"
    shown = [Metric(label, style.aud(last.billed), about, _against(amounts, last.billed), "bills", YOUR_BILLS)]
    if last.used_a_day is not None:
        used = [(name, bill.used_a_day if bill else None) for name, bill in earlier]
        label = "Gas a day" if gas else "Grid power a day"
        a_day = style.kwh(last.used_a_day, meter.unit)
        shown.append(Metric(label, a_day, about, _against(used, last.used_a_day), "usage"))
    return shown


def _spending_chart(ctx: Context) -> None:
    answer = ask(spending, ctx, months=True)
    rows = answer.rows.frame()
    months = rows["month"].drop_nulls().unique().sort().tail(12)
    recent = rows.filter(pl.col("month").is_in(months.implode()))
    if not recent.is_empty():
        names = answer.category_names
        figure = spending_charts.by_month(recent, most=_MOST, look=widgets.look(), names=names)
        figure.update_layout(height=_HEIGHT)
        widgets.chart(figure, key="overview-spending")


def _usage_chart(ctx: Context) -> None:
    points = {point.service_point_id: point for point in ask(usage, ctx).service_points}
    meters = _meters(ctx)
    for meter in meters:
        if months := points[meter.service_point_id].by_month[-12:]:
            figure = usage_charts.by_month(months.frame(), unit=meter.unit, look=widgets.look())
            if len(meters) > 1:
                figure = style.about(figure, "Electricity" if meter.unit == "kWh" else "Gas")
            figure.update_layout(height=_HEIGHT)
            key = "overview-usage" if meter.unit == "kWh" else "overview-gas"
            widgets.chart(figure, key=key)
            if meter.is_from_bills:
                st.caption(FROM_BILLS)
