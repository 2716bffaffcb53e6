"""What the power costs: the next bill, and any past period priced line by line."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.bills import Bill, Discounts, Fuel
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.answers.wording.charges import charge_name
from toolkit.answers.wording.ranges import LIKELY_RANGE, MEANING
from toolkit.charts import bills as charts
from toolkit.charts import forecast as forecast_chart
from toolkit.charts import style
from toolkit.errors import ToolkitError
from toolkit.flows.energy.against import next_bill_against
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import plan_names
from toolkit.flows.plans.my_plan import is_choice_of_plans
from toolkit.flows.wording import counted
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask, explained, holdings, last_day_if_old
from toolkit.pages.data import FILES
from toolkit.pages.energy import bill_trace, high_bill, invoices, kept_bills, meters, my_plan
from toolkit.pages.importing import bill_files
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Metric, Period

NO_METER = (
    "Your bills, electricity or gas, are enough to compare plans with one price at any time. With your meter data, "
    "which shows when you used power, each bill is worked out to the cent on any plan."
)
NEXT_BILL, PAST_BILL, CORRECT = "Next bill", "A past bill", "Are they correct?"
WHICH_PLAN = "Which plan are you on?"
TABS, LINES = "bills-tab", "bill-lines"
"""Key of the tabs, and the anchor of a bill's lines."""
TESTED, AHEAD = ("Past forecasts", "past-forecasts"), ("The bills ahead", "bills-ahead")
"""What a range and a year ahead are made of, and the anchors of the parts that show it."""
NO_PLAN = "What you used is known. Choose your plan to see what each bill should be, and what the next one will be."
YOUR_BILLS = "Your bills"
FROM_READS = "(each worked out from your meter data at your plan's prices: not the bills that you were sent)"
YEAR_AND_BILLS = ("year_other_days", "year_not_the_sum")
"""Notes on why twelve months are not the bills ahead added up."""
UNSAVED = "from your files still to check and save"
LATEST = "The last complete bill"
AT_ONCE = (
    *("use_rose", "use_fell", "solar_began", "night_use_rose"),
    *("empty_meter", "short_history", "few_past_bills", "bill_in_past"),
)
"""Notes that change how the figures are read; the others are behind “How this was worked out”."""
DISCOUNTS: dict[str, Discounts] = {"Guaranteed discounts": "guaranteed", "All discounts": "all", "None": "none"}


def render(ctx: Context) -> None:
    """Show the next bill's forecast and past bills line by line."""
    if count := bill_files.to_check(ctx):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"{counted(count, 'bill')} {UNSAVED}.", width="content")
            widgets.link("data", f"**Check the {'bill' if count == 1 else 'bills'} →**", tab=FILES)
    measured_point = meters.metered(ctx, "No bill and no meter data yet", NO_METER)
    if measured_point is None:
        kept_bills.render(ctx)
    else:
        _tabs(ctx, *measured_point)
    if holdings(ctx).meter or kept_bills.any_kept(ctx):
        widgets.button_to("too-high", high_bill.BUTTON, key="bills-too-high")


def _tabs(ctx: Context, mine: Context, point: ServicePointUsage) -> None:
    """Show a tab for each subject. mine: the context of the meter `point`."""
    days = meters.days_of(point)
    fuel: Fuel = "ELECTRICITY" if point.energy_unit == "kWh" else "GAS"
    priced = bool(holdings(ctx).plans) and not ask(is_choice_of_plans, mine)
    names = [*([NEXT_BILL, PAST_BILL] if priced else [WHICH_PLAN]), YOUR_BILLS, CORRECT]
    typing = YOUR_BILLS if kept_bills.DONE in st.session_state else None  # the first bill made these tabs appear
    tabs = widgets.tabs(names, key=TABS, default=typing)
    if not priced:
        with tabs[0]:
            st.write(NO_PLAN)
            my_plan.choose(mine, fuel)
    elif tabs[0].open:
        with tabs[0], explained():
            my_plan.confirm()
            next_bill(mine)
    elif tabs[1].open:
        with tabs[1], explained():
            _past(mine, point)
    with tabs[-2]:  # forms are drawn in closed tabs too, so that what is typed stays
        kept_bills.render(ctx)
    with tabs[-1]:
        invoices.render(mine, days, fuel, is_open=bool(tabs[-1].open))


def next_bill(ctx: Context) -> None:
    """Show the forecast: what is certain, the best guess, the range, and how such forecasts fared before."""
    answer = ask(forecast, ctx)
    if answer.p50 is None:
        st.info(sentence(answer.reason))
        widgets.notes([note for note in answer.notes if note != answer.reason])
        return
    widgets.metrics(widgets.dated(_expected(answer, answer.p50), last_day_if_old(ctx)))
    _against_last(ctx, answer, answer.p50)
    at_once = [note for note in answer.notes if note.code in AT_ONCE]
    for note in at_once:
        st.markdown(sentence(note))
    widgets.chart(forecast_chart.next_bill(answer, look=widgets.look()), key="next-bill")
    st.subheader(TESTED[0], anchor=TESTED[1])
    _track_record(answer)
    if answer.months:
        _year_ahead(answer)
    widgets.notes([note for note in answer.notes if note not in at_once and note.code not in YEAR_AND_BILLS])


def _against_last(ctx: Context, answer: Forecast, guess: Decimal) -> None:
    """Say why the best guess is not the last bill, where that can be worked out."""
    days = Period(answer.period.from_, answer.period.to)
    try:
        against = ask(next_bill_against, ctx, days, guess, answer.energy)
    except ToolkitError:  # no reads, or no prices, of the days before: the guess stands alone
        return
    if against is not None:
        st.markdown(sentence(against.sentence))


def _year_ahead(answer: Forecast) -> None:
    """The fan of past forecasts and months ahead, and the even payments that cover them."""
    st.subheader(AHEAD[0], anchor=AHEAD[1])
    widgets.chart(forecast_chart.fan(answer, look=widgets.look()), key="year-ahead")
    even = answer.even_payments
    if even is None:
        return
    for note in answer.notes:
        if note.code in YEAR_AND_BILLS:
            st.caption(sentence(note))
    if smoothing := answer.smoothing:
        stands = f"{style.aud(abs(smoothing.in_a_year_p50), cents=False)}"
        stands += " higher" if smoothing.in_a_year_p50 >= 0 else " lower"
        pays = f"You pay {smoothing.name} {style.aud(smoothing.payment)} a {smoothing.every}."
        st.markdown(plain(f"{pays} In twelve months the account would stand about {stands} than today."))
    paid = f"{style.aud(even.p90.monthly)} to be safe"
    weekly = f"{style.aud(even.p50.weekly)} a week, or {style.aud(even.p50.fortnightly)} a fortnight"
    widgets.metrics(
        [
            Metric(
                "The next twelve months",
                style.aud(even.year_p50),
                "Best guess, at the prices that are known.",
                place=AHEAD,
            ),
            Metric(
                "Even payments, monthly",
                style.aud(even.p50.monthly),
                f"For a usual year; or {weekly}. The safe amount falls short in about one year of ten.",
                paid,
                place=AHEAD,
            ),
        ]
    )


def _expected(answer: Forecast, guess: Decimal) -> list[Metric]:
    span = Period(answer.period.from_, answer.period.to)
    through = answer.metered_through
    past = (PAST_BILL, partial(widgets.open_tab, PAST_BILL, key=TABS))
    due = f"due about {style.day(answer.due)}" if answer.due else None
    shown = [Metric("Best guess", style.aud(guess), f"For {span}.", due, opens=past)]
    if answer.p10 is not None and answer.p90 is not None and answer.p90 - answer.p10 >= 1:
        both = f"{style.aud(answer.p10, cents=False)} to {style.aud(answer.p90, cents=False)}"
        shown.append(Metric(LIKELY_RANGE, both, MEANING, place=TESTED))
    if answer.certain is not None:
        if through is None or through < span.first:  # none of its energy is known yet
            what = "Of the whole period, whatever you use."
            shown.append(Metric("Daily charges", style.aud(answer.certain), what, opens=past))
        else:
            what = "What is on the meter so far, and the daily charges of the whole period."
            until = f"use to {style.day(through)}, and all daily charges"
            shown.append(Metric("So far", style.aud(answer.certain), what, until, "usage"))
    bills = (YOUR_BILLS, partial(widgets.open_tab, YOUR_BILLS, key=TABS))
    shown.append(Metric("Bill period", f"{span.days} days", str(span), f"to {style.day(span.last)}", opens=bills))
    return shown


def _track_record(answer: Forecast) -> None:
    backtest = answer.backtest
    if not backtest.origins:
        return
    if any(note.code == "energy_from_bills" for note in answer.notes):
        of_what = counted(backtest.origins, "of your past bills", "of your past bills")
    else:
        what = "past billing period" if answer.is_tested_on_bills else "past period as long as this bill"
        of_what = f"{counted(backtest.origins, what, what.replace('period', 'periods'))} {FROM_READS}"
    record = f"Tested on {of_what}"
    if backtest.mae is not None:
        record += f", this forecast was {style.aud(backtest.mae)} off on average"
    if backtest.coverage is not None:
        record += f", and {percent(backtest.coverage)} of them fell within their range"
    st.caption(plain(record + "."))


def _past(ctx: Context, point: ServicePointUsage) -> None:
    question = _question(meters.days_of(point))
    answer = ask(bill, ctx, question, by_day=True)
    span = Period(answer.from_, answer.to)
    shown = [
        Metric("Total", style.aud(answer.total), f"For {span}, including GST.", place=("Lines", LINES)),
        Metric("A day", style.aud(answer.total / answer.days) if answer.days else "Not known", place=("Lines", LINES)),
        Metric("Includes GST of", style.aud(answer.gst), place=("Lines", LINES)),
    ]
    from_bills = meters.is_from_bills(point)
    if not from_bills:
        what = "Share of the energy that the meter measured. The rest was estimated."
        reads = ("Reads", bill_trace.ANCHOR)
        shown.append(Metric("Actual reads", _share(answer.measured_share), what, place=reads))
    widgets.metrics(widgets.dated(shown, span.last if last_day_if_old(ctx) else None))
    st.caption(plain(f"{span}, {_plans(ctx, answer)}"))
    _components_and_lines(answer)
    widgets.notes(answer.notes)
    plan_problems.show(ctx, answer.problems, key="bill")
    if not from_bills:  # days of a bill's energy are all alike: nobody measured them
        bill_trace.render(ctx, answer, question)


def _share(measured: float | None) -> str:
    return "Not known" if measured is None else percent(measured, 1)


def _plans(ctx: Context, answer: Bill) -> str:
    """The plan by name, or each with its days where the plan or its prices changed."""
    names = ask(plan_names, ctx, tuple(dict.fromkeys(part.plan_id for part in answer.plans)))
    named = [(names.get(part.plan_id, part.plan_id), Period(part.from_, part.to)) for part in answer.plans]
    if len(named) == 1:
        return f"on plan {named[0][0]}"
    return "; ".join(f"on plan {name} from {days}" for name, days in named)


def _question(stored: Period) -> BillingQuestion:
    """What is to be priced, from the choices on the page."""
    left, right = st.columns([1, 1])
    which = left.selectbox("Which bill", [LATEST, "Choose dates"], key="which-bill")
    discounts = DISCOUNTS[right.selectbox("Discounts included", list(DISCOUNTS), key="discounts")]
    if which == LATEST:
        return BillingQuestion(discounts=discounts)
    chosen = widgets.dates(stored, key="bill-dates")
    return BillingQuestion(chosen.first, chosen.last, discounts=discounts)


def _components_and_lines(answer: Bill) -> None:
    components = pl.DataFrame(
        {"component": list(answer.components), "amount": list(answer.components.values())},
        schema={"component": pl.String, "amount": pl.Decimal(scale=2)},
    )
    widgets.chart(charts.waterfall(components, look=widgets.look()), key="waterfall")
    if answer.lines:
        widgets.chart(charts.lines(answer.lines.frame(), look=widgets.look()), key="bill-lines")
    st.subheader("Line by line", anchor=LINES)
    columns = {
        "part": widgets.words("Part"),
        "amount": widgets.money("Amount"),
        "label": widgets.words("Name on the plan"),
        "quantity": widgets.number("Quantity", "%,.2f"),
        "unit": widgets.words("Unit"),
        "unit_price": widgets.words("Unit price"),
        "gst": widgets.words("GST"),
        "from": widgets.day("From"),
        "to": widgets.day("To"),
    }
    parts = pl.Series("part", [charts.component_label(line.component) for line in answer.lines], pl.String)
    prices = [style.unit_price(line.unit_price, line.unit) for line in answer.lines]
    labels = pl.Series("label", [charge_name(line.label) for line in answer.lines], pl.String)
    shown = answer.lines.frame().with_columns(parts, labels, pl.Series("unit_price", prices, pl.String))
    widgets.table(shown, columns, name="bill-lines")
