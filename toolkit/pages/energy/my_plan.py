"""Which plan the home is on: chosen from the stored ones, typed from a bill, or with changed prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import streamlit as st

from toolkit.answers.energy.bills import Fuel
from toolkit.charts import style
from toolkit.errors import StoreError
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import plan_choices
from toolkit.flows.household.settings import set_earlier_plan, set_home
from toolkit.flows.plans.billed_hours import billed_hours
from toolkit.flows.plans.billed_prices import BilledPrices, billed_prices
from toolkit.flows.plans.fitting_plan import FittingPlan, fitting_plan
from toolkit.flows.plans.my_plan import (
    FUELS,
    MyPlan,
    PlanToChoose,
    RetailerPlans,
    account_plan,
    billed_plan,
    billed_since,
    my_plans,
    plan_meant,
    plans_of_retailer,
    retailers,
)
from toolkit.flows.plans.typed import (
    keep_typed_plan,
    prices_of,
    remove_typed_prices,
    typed_plan,
    typed_versions,
    with_prices,
    wrong_prices,
)
from toolkit.flows.wording import counted, more_price_words, price_words
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below, show_refusals
from toolkit.pages.energy import published_plans
from toolkit.pages.energy.typed_plan import form
from toolkit.pages.text import plain, readable

NAMES: dict[Fuel, str] = {"ELECTRICITY": "Electricity", "GAS": "Gas"}
UNITS: dict[Fuel, str] = {"ELECTRICITY": "kWh", "GAS": "MJ"}
DONE = "my-plan-done"
TYPE_A_PLAN = "Type a plan from your bill"
NO_PLANS = "No stored plan is for this home yet. Get the retailers' published plans, or type yours from a bill."


def confirm() -> None:
    """Say once what was saved about the plan."""
    widgets.confirm(DONE)


def render(ctx: Context) -> None:
    """Show the plan of each fuel, and the ways to choose, type or change it."""
    st.subheader("Your energy plan")
    mine = _named(ctx)
    fuels = list(mine)
    fuel = st.segmented_control("Fuel", fuels, format_func=NAMES.__getitem__, default=fuels[0], key="my-plan-fuel")
    choose(ctx, fuel or fuels[0])


def choose(ctx: Context, fuel: Fuel) -> None:
    """Show the plan of one fuel, and let a person choose or type it."""
    confirm()
    if supplied := _of_account(ctx, fuel):
        st.write(plain(f"{NAMES[fuel]}: {supplied}, as your energy account says."))
        return
    mine = _named(ctx).get(fuel, MyPlan(None, None, typed=False, before=None))
    if mine.today is None:
        st.write(f"{NAMES[fuel]}: not chosen yet. Its name and prices are on your bill.")
    else:
        since = f" since {style.day(mine.today.since)}" if mine.today.since else ", since when is not known"
        st.write(plain(f"{NAMES[fuel]}: {mine.name or mine.today.plan_id}{since}."))
        with explained():
            _ask_since(ctx, fuel, mine, key=f"chosen-{fuel}")
    with st.expander("Choose your plan", expanded=mine.today is None), explained():
        _from_list(ctx, fuel)
    with st.expander(TYPE_A_PLAN), explained():
        shown = _plans_shown(ctx, key=f"typed-{fuel}")
        billed = None if mine.typed else ask(billed_plan, ctx, fuel)
        prices = None if mine.typed else ask(billed_prices, ctx, fuel)
        hours = ask(billed_hours, ctx, prices) if prices else None
        typed = form.render(fuel, billed, prices, hours)
        if typed is not None:
            with refused_below(typed.below):
                kept = keep_typed_plan(ctx, typed.plan)
                set_home(ctx, plan_id=kept.plan_id, plan_since=typed.since, plans_shown=shown)
                _finish(f"{typed.plan.name} is saved as your plan.")
    if mine.today is not None and mine.typed:
        with st.expander("The prices of your plan changed"), explained():
            _wrong_prices(ctx, mine.today.plan_id)
            _changed_prices(ctx, mine.today.plan_id)


def _named(ctx: Context) -> dict[Fuel, MyPlan]:
    try:
        return ask(my_plans, ctx)
    except StoreError:
        return dict.fromkeys(FUELS, MyPlan(None, None, typed=False, before=None))


def _of_account(ctx: Context, fuel: Fuel) -> str | None:
    """Return the plan of the energy account: one that a person names beside it would not be used."""
    try:
        return ask(account_plan, ctx, fuel)
    except StoreError:
        return None


def _from_list(ctx: Context, fuel: Fuel) -> None:
    """Choose retailer, then plan, of those that the home can have: where it is comes first."""
    if published_plans.asks_for_place(ctx):
        return
    try:
        found = ask(retailers, ctx, fuel)
    except StoreError:
        found = None
    if found is None or not found.names:
        st.write(NO_PLANS)
        published_plans.ask_for_plans(ctx)
        return
    likely = found.names.index(found.likely) if found.likely else None
    retailer = st.selectbox(
        "Retailer",
        found.names,
        likely,
        format_func=lambda name: readable(name or "Not named"),
        placeholder="As on your bill",
        key=f"my-retailer-{fuel}" + (f"-{found.likely}" if found.likely else ""),  # a field drawn empty would stay so
    )
    if found.likely:
        evidence = "Your bill names" if found.from_bill else "Your bank payments go to"
        st.caption(plain(f"{evidence} {found.likely}."))
    if retailer is not None:
        _of_retailer(ctx, fuel, retailer)


def _of_retailer(ctx: Context, fuel: Fuel, retailer: str) -> None:
    """Choose the plan of a retailer. It has a line of its own: names are alike, and prices stand behind them."""
    offered = ask(plans_of_retailer, ctx, fuel, retailer)
    fitting = ask(fitting_plan, ctx, fuel, _billed(offered)) if len(offered.billed) > 1 else None
    likely = fitting.plan_id if fitting else offered.likely
    labels = widgets.distinct(_labels(offered.plans, UNITS[fuel]))
    plan = st.selectbox(
        "Plan",
        list(labels),
        list(labels).index(likely) if likely else None,
        format_func=lambda plan: labels.get(plan, plan),
        placeholder="Choose, or type the plan ID of your bill",
        accept_new_options=True,
        key=f"my-plan-{fuel}-{retailer}",
    )
    if plan and plan not in labels:
        typed, plan = plan, ask(plan_meant, ctx, offered, plan)
        if plan is None:
            st.warning(plain(f"{typed} is not among the plans stored here. Type it under “{TYPE_A_PLAN}”, below."))
            return
    if plan and plan == offered.likely:
        st.caption("Your bill names this plan.")
    elif len(offered.billed) > 1:
        st.caption(_which_of_the_billed(len(offered.billed), fitting))
    if offered.of_bill is not None:
        st.caption(plain(_in_order_of_prices(offered, offered.of_bill, UNITS[fuel])))
    if offered.left_out:
        st.caption(f"{offered.left_out:,} others aren't for this home: its address, solar or controlled load.")
    if plan:
        since = offered.since if plan in offered.billed else None
        this_is_my_plan(ctx, plan, key=f"list-{fuel}" + (f"-{since}" if since else ""), billed_from=since)


def _billed(offered: RetailerPlans) -> tuple[PlanToChoose, ...]:
    return tuple(plan for plan in offered.plans if plan.plan_id in offered.billed)


def _which_of_the_billed(count: int, fitting: FittingPlan | None) -> str:
    """Say how to find the plan among those with the name that the bill states."""
    if fitting is None:
        return (
            f"{count} plans have the name that your bill states; they are listed first. Compare their prices with "
            "those on the bill."
        )
    days = f"{style.day(fitting.first)} to {style.day(fitting.last)}"
    return (
        f"{count} plans have the name that your bill states. The one chosen here gives its amount: "
        f"{style.aud(fitting.total)} for {days}, billed {style.aud(fitting.billed)}."
    )


def _in_order_of_prices(offered: RetailerPlans, bill: BilledPrices, unit: str) -> str:
    """Say that the plans with prices nearest to those on the bill come first, and whether one has them."""
    gst = " without GST" if bill.prices == "cents without GST" else ""
    usage = " and ".join(dict.fromkeys(f"{band.price:.2f} c/{unit}" for band in bill.usage))
    supply = "" if bill.supply is None else f", {bill.supply:.2f} c/day"
    same = len(offered.same_prices)
    have = f"{counted(same, 'plan has', 'plans have')} them" if same else "none has exactly these"
    return f"Plans with prices nearest to those on your bill ({usage}{supply}{gst}) come first; {have}."


def _labels(plans: Sequence[PlanToChoose], unit: str) -> dict[str, str]:
    """Name plans with what a bill shows too, kind of prices, cents a unit and a day, and what else tells them apart."""
    words = {plan.plan_id: f"{plan.name}: {', '.join(price_words(plan.prices, unit))}" for plan in plans}
    labels = {}
    for plan in plans:
        label = words[plan.plan_id]
        others = [each.prices for each in plans if each is not plan and words[each.plan_id] == label]
        own = more_price_words(plan.prices, unit)
        more = [word for word in own if not all(word in more_price_words(prices, unit) for prices in others)]
        alike = f" (and {len(plan.alike)} with the same prices)" if plan.alike else ""
        labels[plan.plan_id] = ", ".join([label, *more]) + alike
    return labels


def ask_since(ctx: Context) -> None:
    """Ask since when the home is on a plan that was chosen without that day; nothing where it is known."""
    for fuel, mine in _named(ctx).items():
        if mine.today is not None and mine.today.since is None:
            st.write(plain(f"{NAMES[fuel]}: {mine.name or mine.today.plan_id}, since when is not known."))
            _ask_since(ctx, fuel, mine, key=f"checked-{fuel}")


def _ask_since(ctx: Context, fuel: Fuel, mine: MyPlan, *, key: str) -> None:
    if mine.today is None or mine.today.since is not None:
        return
    with st.form(f"since-known-{key}", border=False):
        left, right = st.columns([1, 2], vertical_alignment="bottom")
        billed = ask(billed_since, ctx, fuel, mine.name) if mine.name else None
        field = f"since-known-day-{key}" + (f"-{billed}" if billed else "")
        since = widgets.day_field(left, "On this plan since", billed, key=field)
        if billed:
            left.caption(form.IS_BILLED.format(style.day(billed)))
        shown = _plans_shown(ctx, key=f"since-{key}")
        if right.form_submit_button("Save this day"):
            if since is None:
                st.warning("Enter the first day on this plan.")
                return
            with explained():
                set_home(ctx, plan_id=mine.today.plan_id, plan_since=since, plans_shown=shown)
                _finish(f"On this plan since {style.day(since)}: saved.")


def this_is_my_plan(ctx: Context, plan_id: str, *, key: str, billed_from: date | None = None) -> None:
    """Show a day and a button that make a stored plan the home's own. billed_from: first day of bills that name it."""
    confirm()
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    since = widgets.day_field(
        left,
        "On this plan since",
        billed_from,
        key=f"since-{key}",
        hint="The first day on this plan. Bills before it keep the plan that you named for them.",
    )
    if billed_from:
        st.caption(form.IS_BILLED.format(style.day(billed_from)))
    shown = _plans_shown(ctx, key=key)
    if right.button("This is my plan", key=f"mine-{key}"):
        with explained():
            set_home(ctx, plan_id=plan_id, plan_since=since, plans_shown=shown)
            _finish("Your plan is saved.")


def _plans_shown(ctx: Context, *, key: str) -> dict[Fuel, MyPlan]:
    """Return the plans of the home as the page showed them last."""
    return widgets.last_drawn(_named(ctx), key=f"plans-shown-{key}-{ctx.household}")


def _changed_prices(ctx: Context, plan_id: str) -> None:
    """Let a person type new prices of a plan that was typed, and from which day they hold."""
    plan = typed_plan(ctx, plan_id)
    if plan is None:
        return
    kept, field = f"prices-shown-{plan_id}", f"changed-{plan_id}"
    shown = widgets.shown_by_form(plan, key=kept, field=f"{field}-0")
    with st.form("changed-prices", border=False):
        first = widgets.day_field(st.container(), "New prices from", None, key="changed-from")
        below_first = st.container()
        st.caption(f"In {plan.prices}, as before. Bills before that day keep the old prices.")
        columns = st.columns(2)
        typed, below = [], {}
        for number, (label, price) in enumerate(prices_of(plan)):
            typed.append(columns[number % 2].text_input(label, f"{price:f}", key=f"{field}-{number}"))
            below[label] = columns[number % 2].container()
        if not st.form_submit_button("Save the new prices"):
            return
    wrong = wrong_prices(plan, typed, first or ctx.today)
    for label, error in wrong.items():
        show_refusals([error], {error.option: below[label]})
    if first is None:
        below_first.warning("Enter the first day of the new prices.")
    if wrong or first is None:
        widgets.say_refused()
        return
    del st.session_state[kept]  # what is different is shown once
    with refused_below({**below, "from": below_first}):
        keep_typed_plan(ctx, with_prices(plan, typed, first), shown=shown)
        _finish(f"The new prices hold from {style.day(first)}.")


def _wrong_prices(ctx: Context, plan_id: str) -> None:
    """Let a person remove prices that were typed from a wrong day; nothing where only one version is stored."""
    days = ask(typed_versions, ctx, plan_id)
    if len(days) < 2:
        return
    for day in filter(None, days):
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.write(f"Prices from {style.day(day)}")
        if right.button("Remove", key=f"remove-prices-{day}"):
            remove_typed_prices(ctx, plan_id, day)
            _finish(f"The prices from {style.day(day)} are removed.")


def earlier(ctx: Context) -> None:
    """Let a person name the plan before today's, which their last bills are compared with; nothing without one."""
    known = {fuel: mine for fuel, mine in _named(ctx).items() if mine.today and mine.today.since}
    if known:
        with st.expander("Did your last switch of plan pay?"), explained():
            _earlier(ctx, known)


def _earlier(ctx: Context, known: Mapping[Fuel, MyPlan]) -> None:
    confirm()
    shown = _plans_shown(ctx, key="before")
    choices = {"": "Not set", **ask(plan_choices, ctx, None)}
    for fuel, mine in known.items():
        now = mine.before.plan_id if mine.before else ""
        left, right = st.columns([2, 1], vertical_alignment="bottom")
        since = mine.today.since if mine.today else None
        plan = left.selectbox(
            f"Your {NAMES[fuel].lower()} plan before {style.day(since)}" if since else NAMES[fuel],
            list(choices),
            list(choices).index(now) if now in choices else 0,
            format_func=lambda plan: readable(choices.get(plan, plan)),
            accept_new_options=True,
            key=f"plan-before-{fuel}",
            help="Choose a stored plan, or type its plan ID. One that is not stored can be typed on the Data page.",
        )
        if right.button("Save", key=f"save-before-{fuel}"):
            set_earlier_plan(ctx, plan or "", fuel=fuel, shown=shown)
            _finish("The plan before is saved.")


def _finish(message: str) -> None:
    st.session_state[DONE] = plain(message)
    st.rerun()
