"""What other plans would cost: every stored plan on the home's own meter data, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.column_types import ColumnConfig

from toolkit.answers.base import frame_of, to_builtins
from toolkit.answers.energy.plans import ComparedPlan, Comparison, CurrentPlan, FuelCard, PlanCost
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.charts import plans as charts
from toolkit.charts import style
from toolkit.charts.bills import COMPONENTS, component_label
from toolkit.errors import NoPlansError, UsageError
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.high_bill import ombudsman
from toolkit.flows.energy.usage import usage_map
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.paid import paid_to_retailer
from toolkit.flows.plans.here import plan_prices
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.wording import counted, limits_of, standing_words, told_apart
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask, explained, holdings, last_day_if_old
from toolkit.pages.data import YOUR_HOME
from toolkit.pages.energy import meters, my_plan, plan_page, whatif
from toolkit.pages.energy import published_plans as published
from toolkit.pages.energy.bills import DISCOUNTS, WHICH_PLAN
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.usage.page import METER
from toolkit.pages.widgets import Metric, Period

NO_METER = (
    "Comparing plans needs your meter data: when you used power, and how much. "
    "Add it as a file, or connect your energy account."
)
NO_PLANS_TITLE = "No plans to compare yet"
NO_PLANS = (
    "Get the plans for your address from the public register below, or add a file of plans on the Data page. They "
    "are then listed here, and compared on your own use."
)
COMPARE, HOURS = "Compare", "Hour by hour"
SAVED = "Against today's plan, over the same days."
EVERY_PLAN = ("The plans", "every-plan")
"""What a figure is made of, and the anchor of that list."""
NARROW_PLAN = 180
"""Pixels of a plan's name, so that total and saving are in sight on a phone."""
WIDEST_SENTENCE, LETTER = 520, 7
"""Pixels of the widest column of sentences, so that most are whole on a laptop, and of a letter in it."""
NO_CURRENT = "Choose your plan, or type its prices from a bill, to see what you would save on another one."
NONE_FITS = "None of the stored plans is available to this home with these choices."
NONE_WHOLE = "None of the plans available to this home can be priced in full. Each is listed below with the reason."
NO_POSTCODE = (
    "The postcode of your home is not known: these are all stored plans of the {network} network, also those that were "
    "looked up for another address on it. Enter your postcode to see only those for yours."
)
NOT_USED = "The place typed under “Which plans” was not used: these are the plans for your home as it is stored."
CUSTOMERS = {"As on the Data page": None, "A home": "residential", "A business": "business"}
MISSING_READS = (
    "Meter data: {missing} of {days}{begin}. Totals and saving hold the energy of the other days only. All days would "
    "cost more, on every plan."
)
NOT_THE_NEXT_YEAR = (
    "These totals are of the days above. The next twelve months under Energy bills are a forecast, with the use that "
    "is expected then, so the two differ."
)
DOUBTFUL = timedelta(365)
"""Retailers change prices about once a year: older ones may not hold any more."""
NO_HELPER = "Trouble with the change? Your state's energy ombudsman helps free of charge."
TOPS = {"The 10 cheapest": 10, "The 50 cheapest": 50, "All": 0}
GREEN = {"Any share": None, "At least a quarter": 0.25, "At least half": 0.5, "All": 1.0}


def render(ctx: Context) -> None:
    """Compare the plans that the household could get, or show the one that the address names."""
    if plan_page.is_asked():
        plan_page.render(ctx)
        return
    if not holdings(ctx).plans:
        widgets.empty(NO_PLANS_TITLE, NO_PLANS)
        published.render(ctx, expanded=True)
        return
    measured_point = meters.metered(ctx, "No plan can be compared yet", NO_METER)
    if measured_point is None:
        _all_plans(ctx)
        return
    mine, point = measured_point
    drawn: dict[str, Callable[[], None]] = {
        COMPARE: partial(_compared, mine, point),
        HOURS: partial(_hour_by_hour, mine, point),
    }
    if point.energy_unit == "kWh":
        drawn[whatif.TAB] = partial(whatif.render, mine)
    widgets.draw_open_tab(drawn | {plan_page.ALL_PLANS: partial(_all_plans, ctx)}, key="plans-tab")


def _all_plans(ctx: Context) -> None:
    published.render(ctx, expanded=not ask(plan_prices, ctx).place_known)
    plan_page.list_plans(ctx)


def _compared(ctx: Context, point: ServicePointUsage) -> None:
    if published.asks_for_place(ctx):
        return
    with explained():
        try:
            question, filters, top, below = _asked()
            answer = _answer(ctx, question, filters, top, below)
        except NoPlansError:
            widgets.empty(NO_PLANS_TITLE, NO_PLANS)
            published.render(ctx, expanded=True)
            return
        published.show_progress(ctx)
        published.ask_for_network(ctx, answer)
        _answered(ctx, answer, point)
        published.render(ctx, expanded=False, progress=False)


PLACES = {"--postcode": "postcode", "--network": "network"}
"""Option of the comparison → the filter that it sets."""


def _answer(
    ctx: Context, question: BillingQuestion, filters: PlanFilters, top: int, below: Mapping[str, DeltaGenerator]
) -> Comparison:
    """Compare the plans. Without a place that is refused: below its field it says why. below: by option."""
    try:
        return ask(compare, ctx, question, filters, top=top, distinct=True)
    except UsageError as error:
        name = PLACES.get(error.option)
        if name is None or getattr(filters, name) is None:  # none of the fields
            raise
        below[error.option].warning(sentence(error))
        st.caption(NOT_USED)
        return _answer(ctx, question, replace(filters, postcode=None, network=None), top, below)


def _answered(ctx: Context, answer: Comparison, point: ServicePointUsage) -> None:
    if answer.current is None:
        widgets.empty("Which plan are you on?", NO_CURRENT, page="bills", label="Choose your plan", tab=WHICH_PLAN)
    if not answer.plans:
        st.info(NONE_WHOLE if answer.unpriced else NONE_FITS)
    else:
        _figures(ctx, answer)
        widgets.chart(charts.comparison(_bars(answer), look=widgets.look()), key="comparison")
        _based_on(ctx, answer, point)
        _table(answer)
        _switching(ctx, answer)
    _by_network(answer)
    _priced_in_part(answer)
    widgets.notes(answer.notes)
    plan_problems.show(ctx, answer.problems, key="compare")


def _names(answer: Comparison) -> dict[str | None, str]:
    """Plan id → name, of those that can be looked into. None: today's, which by its id would lack a closed feed-in."""
    current = answer.current
    mine: dict[str | None, str] = {} if current is None else {None: _your_plan(current)}
    own = None if current is None else current.plan_id
    titles = _titles(answer)
    others = [plan for plan in answer.plans if plan.plan_id != own]
    return widgets.distinct(
        mine | {each.plan_id: f"{titles[each.plan_id]}, {style.aud(each.total)}" for each in others}
    )


def _asked() -> tuple[BillingQuestion, PlanFilters, int, Mapping[str, DeltaGenerator]]:
    """What the choices on the page ask for; those left empty are taken from the household.

    Also the places below the fields of the place, by option.
    """
    with st.popover("Which plans", icon=":material/tune:"):
        left, right = st.columns(2)
        postcode = left.text_input(
            "Postcode", max_chars=4, key="plans-postcode", placeholder="from the Data page"
        ).strip()
        below = {"--postcode": left.container()}
        network = right.text_input(
            "Electricity distributor (as on the bill)", key="plans-network", placeholder="from your meter"
        ).strip()
        below["--network"] = right.container()
        customer = left.selectbox("Plans for", list(CUSTOMERS), key="plans-customer")
        discounts = right.selectbox("Discounts included", list(DISCOUNTS), key="plans-discounts")
        green = left.selectbox("Green energy", list(GREEN), key="plans-green")
        top = right.selectbox("How many", list(TOPS), key="plans-top")
        only_open = st.toggle("Only plans available to this home, as far as is known", key="plans-open")
    filters = PlanFilters(
        postcode=postcode or None,
        network=network or None,
        customer=CUSTOMERS[customer],
        eligibility="open" if only_open else "all",
        green=GREEN[green],
    )
    return BillingQuestion(discounts=DISCOUNTS[discounts]), filters, TOPS[top], below


def _figures(ctx: Context, answer: Comparison) -> None:
    best, current, so_far = answer.headline, answer.current, published.reading(ctx)
    published.say_unfinished(ctx)
    span = Period(answer.from_, answer.to)
    prices_of = partial(plan_page.prices_of, ctx)
    shown = []
    if best is not None:
        named = plain(f"{_titles(answer)[best.plan_id]}{_old_prices(ctx, best)}")
        what = f"For {span}, including GST."
        shown.append(
            Metric(
                "Cheapest plan so far" if so_far else "Cheapest plan",
                style.aud(best.total),
                what,
                named,
                opens=prices_of(best.plan_id),
            )
        )
    if current is not None:
        mine = plain(f"{current.name or 'today’s'}{_old_prices(ctx, current)}")
        part = "part of it has no price" if current.reason else mine
        own = "The same days on the plan that you are on."
        shown.append(Metric("Your plan", style.aud(current.total), own, part, opens=prices_of(current.plan_id)))
    if answer.standing is not None:
        yardstick = (
            "The cheapest standing offer in your area for your kind of tariff, on your own use of the same days: the "
            "yardstick for other plans."
        )
        below = _below_standing(current)
        opens = prices_of(answer.standing.plan_id)
        shown.append(Metric("Standing offer", style.aud(answer.standing.total), yardstick, below, opens=opens))
    if best is not None and answer.named_saving is not None and not so_far:
        span_saved = _time_saved(answer, best)
        more = f"Up to {style.aud(best.conditional)} more with conditional discounts." if best.conditional else None
        shown.append(Metric("You would save", style.aud(answer.named_saving), more, span_saved, place=EVERY_PLAN))
    shown = widgets.dated(shown, span.last if last_day_if_old(ctx) else None)
    shown.append(Metric("Plans priced", f"{answer.priced:,}", "On your own use, each to the cent.", place=EVERY_PLAN))
    widgets.metrics(shown)


def _time_saved(answer: Comparison, best: ComparedPlan) -> str:
    """Say of which time the saving is; of a year with missing reads, how many of its days have them."""
    if not answer.yearly:
        return f"over {best.saving_days} days"
    return "a year" if _has_all_reads(answer) else f"a year, of which {_days_read(answer)} days have reads"


def _has_all_reads(answer: Comparison) -> bool:
    return not answer.missing_share or "missing_reads_compared" not in answer.note_codes


def _days_read(answer: Comparison) -> int:
    days = (answer.to - answer.from_).days + 1
    return min(days - 1, round(days * (1 - (answer.missing_share or 0))))


def _old_prices(ctx: Context, plan: PlanCost) -> str:
    """Date prices that may not hold any more."""
    is_old = plan.as_of is not None and ctx.today - plan.as_of > DOUBTFUL
    return f", prices as of {style.day(plan.as_of)}" if plan.as_of and is_old else ""


def _based_on(ctx: Context, answer: Comparison, point: ServicePointUsage) -> None:
    """Say which plan is cheapest, on which use and prices, and why cheaper plans than the headline are not it."""
    if answer.headline is not None:
        name = _titles(answer)[answer.headline.plan_id]
        whose = "of all these distributors" if answer.open_networks else "for you"
        whose = "so far" if published.reading(ctx) else whose
        st.write(plain(f"The cheapest plan {whose} is {name}.{_dated(ctx, answer.headline)}"))
        if standing := standing_words(answer):
            st.write(plain(standing))
    if answer.postcode is None and answer.network is not None:
        st.caption(plain(NO_POSTCODE.format(network=answer.network)))
        widgets.link("data", "**Enter your postcode →**", tab=YOUR_HOME)
    dated = f" The newest prices are as of {style.day(answer.as_of)}." if answer.as_of else ""
    st.caption(plain(f"Based on what you used from {Period(answer.from_, answer.to)}.{dated}"))
    if not _has_all_reads(answer):
        days, first = (answer.to - answer.from_).days + 1, meters.days_of(point).first
        begin = f", as it begins on {style.day(first)}" if first > answer.from_ else ""
        missing = meters.days_missing(days, answer.missing_share or 0)
        st.caption(plain(MISSING_READS.format(missing=missing, days=days, begin=begin)))
        widgets.link("usage", "**Which days have reads →**", tab=METER)
    if answer.yearly:
        st.caption(NOT_THE_NEXT_YEAR)
    _paid(ctx, answer)
    for sentence_ in _cheaper(answer):
        st.caption(plain(sentence_))


def _paid(ctx: Context, answer: Comparison) -> None:
    """Say what the bank shows as paid to the retailer on the same days, and why that is not the plan's total."""
    current = answer.current
    if current is None or current.reason:
        return
    paid = ask(paid_to_retailer, ctx, answer.from_, answer.to, current.total)
    if paid is not None:
        st.caption(" ".join(map(sentence, paid.notes)))


def _dated(ctx: Context, plan: ComparedPlan) -> str:
    """Say of when the plan's prices are; of very old ones, to ask whether they still hold."""
    if plan.as_of is None:
        return ""
    doubt = ". Ask the retailer whether they still hold" if ctx.today - plan.as_of > DOUBTFUL else ""
    return f" Its prices are as of {style.day(plan.as_of)}{doubt}."


def _below_standing(current: CurrentPlan | None) -> str | None:
    if current is None or current.below_standing is None or current.reason:
        return None
    share = abs(current.below_standing)
    return (
        f"yours is about {share:.0%} {'below' if current.below_standing >= 0 else 'above'}" if share >= 0.005 else None
    )


def _cheaper(answer: Comparison) -> Iterator[str]:
    """Say of the plans that cost less than the headline why it is not one of them, and what leaving costs."""
    best = answer.headline
    for plan in answer.plans:
        if best is not None and plan.total < best.total and (why := limits_of(plan)):
            yield f"{_titles(answer)[plan.plan_id]} costs less ({style.aud(plan.total)}), but {why[0].lower()}{why[1:]}"
            break
    if answer.named_saving and (current := answer.current) and current.exit_fee:
        yield f"Leaving your plan may cost an exit fee of up to {style.aud(current.exit_fee)}: it is not in the saving."


def _switching(ctx: Context, answer: Comparison) -> None:
    """Show how to change to the headline, each step with its source."""
    if answer.headline is None or not answer.switching or answer.open_networks or published.reading(ctx):
        return
    with st.expander(plain(f"How to switch to {_name(answer.headline)}")):
        st.markdown("\n".join(f"{number}. {plain(step.text)}" for number, step in enumerate(answer.switching, 1)))
        plan_page.contact(ask(plan_show, ctx, plan=answer.headline.plan_id))
        helper = ask(ombudsman, ctx)
        st.write(
            plain(f"Trouble with the change? An ombudsman helps free of charge: {helper}." if helper else NO_HELPER)
        )
        sources = dict.fromkeys(step.source.partition("/")[0] for step in answer.switching)
        st.caption(plain(f"Where the steps were read: {', '.join(sources)}."))


def _bars(answer: Comparison) -> list[charts.PlanBar]:
    """Return bars of the cheapest plans that the home can rely on, and of today's plan where its total is whole.

    Where the home can rely on none, of the cheapest: the table says of each what to check first.
    """
    best = [answer.headline] if answer.headline is not None else []
    reliable = [plan for plan in answer.plans if not limits_of(plan) and plan not in best]
    cheapest = [*best, *reliable] or answer.plans
    titles = _titles(answer)
    bars = [charts.PlanBar(_alike(plan, titles[plan.plan_id]), plan.total, plan.components) for plan in cheapest[:5]]
    if (current := answer.current) is not None and not current.reason:
        bars.append(charts.PlanBar(_your_plan(current), current.total, current.components))
    return bars


def _your_plan(current: CurrentPlan) -> str:
    return f"Your plan: {current.name}" if current.name else "Your plan"


def _name(plan: PlanCost) -> str:
    name = plan.name or plan.plan_id
    return f"{name} ({plan.retailer})" if plan.retailer else name


def _titles(answer: Comparison) -> dict[str, str]:
    """The name of each plan, with what tells it from the others of its name and retailer."""
    plans = [*answer.plans, *([answer.headline] if answer.headline else [])]
    unit = "MJ" if answer.fuel == "GAS" else "kWh"
    return told_apart({plan.plan_id: (_name(plan), plan.prices) for plan in plans}, unit)


def _alike(plan: ComparedPlan, title: str) -> str:
    """The plan's name, marked where its prices vary, with how many others cost the same."""
    marks = [*(["prices vary"] if plan.variable else []), *([f"and {len(plan.same_as)} more"] if plan.same_as else [])]
    return ", ".join([title, *marks])


def _table(answer: Comparison) -> None:
    """Show each plan with its components, today's among them where its total is whole."""
    used = [name for name in COMPONENTS if any(name in plan.components for plan in answer.plans)]
    columns = {
        "name": st.column_config.TextColumn("Plan", width=NARROW_PLAN),
        "total": widgets.money("Total"),
        **({} if answer.open_networks else {"saving": widgets.money("Saving", SAVED)}),
        "why_not": _sentences("Check first", map(limits_of, answer.plans)),
        "retailer": widgets.words("Retailer"),
        "more": widgets.words("Same price"),
        "conditional": widgets.money("Conditional discount", "What discounts with conditions would also take off."),
        **{name: widgets.money(component_label(name)) for name in used},
        "exit_fee": widgets.money("Exit fee"),
        "term": widgets.words("Term"),
        "below_standing": st.column_config.NumberColumn(
            "Below standing offer", format="percent", help="How far it is below the standing offer; negative is above."
        ),
        "variable": st.column_config.CheckboxColumn(
            "Prices vary", help="The wholesale market sets them, or they are an estimate."
        ),
        "as_of": st.column_config.DateColumn("Prices as of", format="D MMM YYYY"),
        "green_share": st.column_config.NumberColumn("Green", format="percent"),
        "open": st.column_config.CheckboxColumn(
            "Available", help="Whether this home can take the plan, as far as is known."
        ),
    }
    titles = told_apart(
        {plan.plan_id: (plan.name or plan.plan_id, plan.prices) for plan in answer.plans},
        "MJ" if answer.fuel == "GAS" else "kWh",
    )
    rows = [
        {**to_builtins(plan), **plan.components, "why_not": limits_of(plan), "conditional": plan.conditional or None}
        | {"name": titles[plan.plan_id]}
        | {"more": f"and {len(plan.same_as)} more" if plan.same_as else None}
        for plan in answer.plans
    ]
    if (current := answer.current) is not None and not current.reason:
        own = {"name": _your_plan(current), "conditional": current.conditional or None}
        rows.append({**to_builtins(current), **current.components, **own})
    listed = sum(1 + len(plan.same_as) for plan in answer.plans)
    is_whole = listed >= answer.priced
    st.subheader("Every plan" if is_whole else f"The {len(answer.plans)} cheapest plans", anchor=EVERY_PLAN[1])
    if listed > len(answer.plans):
        st.caption("Plans that cost the same are one row, with how many others there are under “Same price”.")
    if not is_whole:
        st.button(f"Show all {answer.priced:,}", key="every-plan", on_click=_show_all)
    widgets.table(sorted(rows, key=lambda row: row["total"]), columns, name="comparison")


def _sentences(label: str, texts: Iterable[str]) -> ColumnConfig:
    """Return a column as wide as its sentences, up to the widest: Streamlit's would cut them."""
    return widgets.words(label, min(WIDEST_SENTENCE, LETTER * max(len(label) + 4, *map(len, texts))))


def _show_all() -> None:
    st.session_state["plans-top"] = next(name for name, top in TOPS.items() if top == 0)


def _by_network(answer: Comparison) -> None:
    if answer.network is None and len(answer.by_network) > 1:
        st.subheader("By distributor")
        columns = {
            "network": widgets.words("Distributor"),
            "priced": widgets.count("Plans"),
            "total": widgets.money("Cheapest"),
            "name": widgets.words("Plan"),
            "retailer": widgets.words("Retailer"),
        }
        widgets.table(frame_of(answer.by_network), columns, name="by-network")


def _priced_in_part(answer: Comparison) -> None:
    """List the plans of which a part has no price, today's first where it is one of them."""
    rows = [
        {"name": plan.name, "retailer": plan.retailer, "reason": message(plan.reason), "total": plan.total}
        for plan in answer.unpriced
    ]
    if (current := answer.current) is not None and current.reason:
        own = {"name": _your_plan(current), "retailer": current.retailer, "reason": message(current.reason)}
        rows.insert(0, {**own, "total": current.total})
    if not rows:
        return
    with st.expander(f"{counted(len(rows), 'plan')} that cannot be priced in full"):
        columns = {
            "name": widgets.words("Plan", NARROW_PLAN),
            "total": widgets.money("Priced part"),
            "reason": _sentences("Why", (str(row["reason"]) for row in rows)),
            "retailer": widgets.words("Retailer"),
        }
        widgets.table(rows, columns, name="unpriced")


def _hour_by_hour(ctx: Context, point: ServicePointUsage) -> None:
    """One plan's prices with the use at each time: today's, or one of the cheapest."""
    if published.asks_for_place(ctx):
        return
    with explained():
        try:
            answer = ask(compare, ctx, BillingQuestion(), PlanFilters(), top=10, distinct=True)
            names, span = _names(answer), Period(answer.from_, answer.to)
        except NoPlansError:
            stored = meters.days_of(point)
            span = Period(max(stored.first, stored.last - timedelta(364)), stored.last)
            names = {None: "Your plan"}
        if not names:
            st.info(NONE_FITS)
            return
        chosen = st.selectbox("Plan", list(names), format_func=lambda plan: names[plan], key="plan-shown")
        kind = "ELECTRICITY" if point.energy_unit == "kWh" else "GAS"
        card = ask(plan_show, ctx, plan=chosen)
        for fuel in (one for one in card.fuels if one.fuel == kind):
            _weeks(ctx, fuel, point, span)
            plan_page.rates(fuel)
            widgets.notes([*card.notes, *fuel.notes])
        if chosen is not None:
            my_plan.this_is_my_plan(ctx, chosen, key="compared")
        st.button("All about this plan", key="open-plan", on_click=plan_page.open_plan, args=(card.plan_id,))


def _weeks(ctx: Context, fuel: FuelCard, point: ServicePointUsage, span: Period) -> None:
    weeks = plan_page.say_flat_weeks(fuel)
    name = st.selectbox("Prices of", list(weeks), key="price-week") if weeks else None
    prices, use = st.columns(2)
    if name is not None:
        with prices:
            figure = charts.price_week(weeks[name], unit=fuel.unit, look=widgets.look())
            widgets.chart(figure, key="price-week-map")
    grid = ask(usage_map, ctx, from_=span.first, to=span.last)[point.service_point_id].heat_map
    if not grid.is_empty():
        with use if name is not None else st.container():
            widgets.chart(charts.use_week(grid, look=widgets.look()), key="use-week-map")
            st.caption(plain(f"What you take from the grid on average, in local time: {span}."))
