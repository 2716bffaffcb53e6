"""The stored plans in a list with filters, and one plan as a page of its own, with the plan in the address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.plans import FuelCard, PlanCondition, PriceRun, RateCard
from toolkit.answers.wording.charges import charge_name
from toolkit.charts import plans as charts
from toolkit.charts import style
from toolkit.charts.bills import component_label
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.plans.here import plan_prices
from toolkit.flows.plans.listed import ListFilters, plan_list
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.wording import counted
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.energy import my_plan
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.widgets import Metric

IN_ADDRESS = "plan"
ALL_PLANS = "All plans"
"""The tab that lists the stored plans."""
COMPONENTS = {"general": "usage", "controlled": "controlled_load", "export": "feed_in"}
ROLES = {"general": "General use", "controlled": "Controlled load", "export": "Solar exports"}
TYPES = {"STANDING": "standing offer", "MARKET": "market offer", "REGULATED": "regulated offer"}
OFTEN = {"every month": "monthly", "every two months": "two-monthly", "every three months": "quarterly"}
FUELS = {"ELECTRICITY": "Electricity", "GAS": "Gas"}
CUSTOMERS = {"Homes and businesses": None, "Homes": "residential", "Businesses": "business"}
SITES = {
    "EME": "Energy Made Easy (energymadeeasy.gov.au)",
    "VEC": "Victorian Energy Compare (compare.energy.vic.gov.au)",
}
"""The government's comparison sites, by the register that a plan's id names."""
LIST_FUELS = {"Electricity and gas": None, "Electricity": "ELECTRICITY", "Gas": "GAS"}
FUEL_NAMES = {"ELECTRICITY": "Electricity", "GAS": "Gas", "DUAL": "Both"}


def prices_of(ctx: Context, plan_id: str) -> tuple[str, Callable[[], None]] | None:
    """Return the link of a figure to the prices of a plan, and what opens them; None where it is not stored."""
    listed = {plan.plan_id for plan in ask(plan_list, ctx).plans}
    return ("Its prices", partial(open_plan, plan_id)) if plan_id in listed else None


def open_plan(plan_id: str) -> None:
    """Put the plan into the address, so that its page is shown."""
    st.query_params[IN_ADDRESS] = plan_id


def is_asked() -> bool:
    """Return whether the address names a plan."""
    return bool(st.query_params.get(IN_ADDRESS))


def render(ctx: Context) -> None:
    """Show the plan that the address names, and the way back."""
    st.button("← All plans", key="plan-back", on_click=_close)
    wanted = st.query_params.get(IN_ADDRESS, "")
    with explained():
        stored = {plan.plan_id for plan in ask(plan_list, ctx).plans}
        if wanted not in stored:  # a path in the address names no file
            st.warning("This plan is not stored here. Choose one of those that are.")
            return
        card = ask(plan_show, ctx, plan=wanted)
        _head(card)
        my_plan.this_is_my_plan(ctx, card.plan_id, key="plan-page")
        for fuel in card.fuels:
            _fuel(fuel, several=len(card.fuels) > 1)
        contact(card)
        widgets.notes([*card.notes, *(note for fuel in card.fuels for note in fuel.notes)])
        plan_problems.show(ctx, [*card.problems, *(p for fuel in card.fuels for p in fuel.problems)], key="plan")


def _close() -> None:
    st.query_params.pop(IN_ADDRESS, None)
    st.query_params[widgets.TAB] = ALL_PLANS


def _head(card: RateCard) -> None:
    st.subheader(plain(card.name or card.plan_id))
    customers = {"RESIDENTIAL": "for homes", "BUSINESS": "for businesses"}.get(card.customer_type or "")
    known = (card.retailer, TYPES.get(card.plan_type or ""), customers, ", ".join(card.distributors))
    st.write(plain(" · ".join(filter(None, known))))
    if card.offered is False:
        st.warning("The retailer no longer offers this plan. Its prices are those last published.")
    dates = [
        f"Prices as of {message(card.last_updated[:10])}" if card.last_updated else "",
        f"in force from {message(card.effective_from[:10])}" if card.effective_from else "",
        f"offered until {message(card.effective_to[:10])}" if card.effective_to else "",
    ]
    st.caption(plain(", ".join(filter(None, dates))))
    if card.description:
        st.write(plain(card.description))


def _fuel(card: FuelCard, *, several: bool) -> None:
    if several:
        st.subheader(FUELS[card.fuel])
    widgets.metrics(_figures(card))
    _free(card)
    st.subheader("Prices")
    rates(card)
    _weeks(card, key=card.fuel)
    _conditions(card)


def _figures(card: FuelCard) -> list[Metric]:
    """What people ask first about a contract; what the plan does not state is left out."""
    terms = card.terms
    supply = next((rate for rate in card.rates if rate.component == "supply"), None)
    shown = []
    if supply is not None and supply.price_with_gst is not None:
        shown.append(Metric("Daily charge", style.aud(Decimal(supply.price_with_gst)), "With GST."))
    if terms.term:
        shown.append(Metric("Term", terms.term.capitalize(), "How long the contract is agreed for."))
    fee = "None stated" if terms.exit_fee is None else style.aud(terms.exit_fee)
    shown.append(Metric("Exit fee", fee, "What leaving before the end may cost, with GST."))
    if terms.benefit_period:
        shown.append(Metric("Benefits last", plain(terms.benefit_period), "In the retailer's words."))
    if terms.bill_frequency:
        often = [OFTEN.get(words, words) for words in terms.bill_frequency]
        shown.append(Metric("Bills come", ", ".join(often).capitalize()))
    if terms.cooling_off_days is not None:
        shown.append(Metric("Cooling off", counted(terms.cooling_off_days, "day"), "Business days."))
    return shown


def _free(card: FuelCard) -> None:
    """Name the hours without a price, and what this home used in them."""
    if not card.free_hours:
        return
    hours = "; ".join(_free_words(*parts) for parts in ((h.season, h.window, h.allowance) for h in card.free_hours))
    text = f"**Free power:** {plain(hours)}."
    if card.free_use is not None:
        use = card.free_use
        days = f"{style.day(use.from_)} to {style.day(use.to)}"
        text += f" From {days} this home used {style.kwh(use.used_kwh)} in these hours"
        within = f", {style.kwh(use.free_kwh)} of it within the free allowance" if use.free_kwh < use.used_kwh else ""
        share = "" if use.share is None else f": {percent(use.share)} of its power would have been free"
        text += f"{within}{share}."
    st.info(text)


def _free_words(season: str, window: str, allowance: str) -> str:
    parts = [window, allowance and f"the {allowance}", "" if season == "all year" else season]
    return ", ".join(filter(None, parts))


def rates(card: FuelCard) -> None:
    """Show the prices of a plan in a table."""
    columns = {
        "component": widgets.words("Part"),
        "price_with_gst": widgets.words("With GST"),
        "unit": widgets.words("Per"),
        "label": widgets.words("Name on the plan"),
        "window": widgets.words("When", 280),
        "season": widgets.words("Season"),
        "block": widgets.words("Block", 140),
        "price": widgets.words("Without GST"),
        "conditions": widgets.words("Conditions"),
    }
    shown = {
        "component": [component_label(rate.component) for rate in card.rates],
        "label": [rate.label and charge_name(rate.label) for rate in card.rates],
        "price": [_shown_price(rate.component, rate.price, rate.unit) for rate in card.rates],
        "price_with_gst": [_shown_price(rate.component, rate.price_with_gst, rate.unit) for rate in card.rates],
    }
    texts = [pl.Series(name, values, pl.String) for name, values in shown.items()]
    widgets.table(card.rates.frame().with_columns(texts), columns, name=f"prices-{card.fuel.lower()}")


def _shown_price(component: str, price: str | None, unit: str) -> str:
    """Return a price of a rate card; that of a discount is a percentage, as its unit states."""
    return price or "" if component == "discount" else style.unit_price(price, unit)


def _weeks(card: FuelCard, *, key: str) -> None:
    """Draw the weeks with prices that change by the hour; put the others in words."""
    unit = card.unit
    if drawn := say_flat_weeks(card):
        chosen = st.selectbox("Prices of", list(drawn), key=f"plan-week-{key}") if len(drawn) > 1 else next(iter(drawn))
        paid = (
            f"what you are paid for a {unit}"
            if chosen.startswith(ROLES["export"])
            else f"what a {unit} costs, with GST,"
        )
        st.caption(plain(f"{chosen}: {paid} in each half-hour of the week."))
        widgets.chart(charts.price_week(drawn[chosen], unit=unit, look=widgets.look()), key=f"plan-week-map-{key}")


def say_flat_weeks(card: FuelCard) -> dict[str, tuple[PriceRun, ...]]:
    """Say in words the prices that hold at any time; return the weeks of the others by name."""
    by_the_hour = {}
    tiered = {rate.component for rate in card.rates if rate.block}
    for week in card.weeks:
        prices = {run.price and style.unit_price(run.price, card.unit) for run in week.week}  # as they are shown
        name = ROLES[week.role] + ("" if week.season == "all year" else f", {week.season}")
        if len(prices) == 1 and (price := next(iter(prices))) is not None:
            gst = "" if week.role == "export" else " with GST"
            first = ", in the first tier" if COMPONENTS[week.role] in tiered else ""
            st.write(plain(f"{name}: {price}/{card.unit}{gst} at any time of the week{first}."))
        else:
            by_the_hour[name] = week.week
    return by_the_hour


def _conditions(card: FuelCard) -> None:
    """Show whom the plan is for and what else holds, in the retailer's words."""
    terms = card.terms
    st.subheader("Conditions, in the retailer's words")
    lines = [*_listed("Who can have it", terms.eligibility), *_listed("Comes with", terms.incentives)]
    texts = {
        "When the benefits end": terms.on_expiry,
        "How prices may change": terms.variation,
        "Terms": terms.terms,
        "Fees": terms.fee_information,
        "Meters": ", ".join(terms.meter_types),
        "Ways to pay": ", ".join(terms.payment_options),
    }
    lines += [f"- **{name}:** {plain(text)}" for name, text in texts.items() if text]
    st.markdown("\n".join(lines) or "The plan states none.")


def _listed(name: str, entries: Sequence[PlanCondition]) -> Iterator[str]:
    for entry in entries:
        words = ": ".join(filter(None, (entry.words, entry.text)))
        yield f"- **{name}:** {plain(words)}"


def contact(card: RateCard) -> None:
    """Show the retailer's numbers, its addresses as text next to a button that opens them, or where to find both."""
    site = SITES.get(card.plan_id.rpartition("@")[2].upper())  # behind it stands the register
    if site is not None and not (card.phones or card.links):
        st.write(
            plain(
                f"To ask the retailer: find the phone number or website of {card.retailer or 'the retailer'} on {site}."
            )
        )
    if card.phones:
        st.write(plain("To ask the retailer: phone " + ", ".join(card.phones)))
    for link in card.links:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.link_button(link.name, link.address)
            st.text(link.address)


def list_plans(ctx: Context) -> None:
    """List the stored plans by the filters chosen."""
    filters = _filters(ask(plan_prices, ctx).postcode)
    try:
        plans = ask(plan_list, ctx, filters).plans
    except UsageError as error:
        st.warning(sentence(error))
        return
    st.caption(f"{counted(len(plans), 'plan')}. Select a row to see the plan.")
    rows: list[widgets.Row] = [
        {
            "name": plan.name or plan.plan_id,
            "retailer": plan.retailer,
            "fuel": FUEL_NAMES.get(plan.fuel_type or "", ""),
            "distributors": ", ".join(plan.distributors),
            "offered": plan.offered,
            "updated": (plan.last_updated or "")[:10] or None,
        }
        for plan in plans
    ]
    if not rows:
        st.info("No stored plan fits. Change the filters, or get published plans.")
        return
    columns = {
        "name": widgets.words("Plan"),
        "retailer": widgets.words("Retailer"),
        "fuel": widgets.words("Fuel"),
        "distributors": widgets.words("Distributor"),
        "offered": st.column_config.CheckboxColumn("Offered"),
        "updated": widgets.day("Prices as of"),
    }
    widgets.table(
        rows, columns, name="stored-plans", download=False, on_pick=lambda place: open_plan(plans[place].plan_id)
    )


def _filters(postcode: str | None) -> ListFilters:
    left, middle, right = st.columns(3)
    text = left.text_input("Words in the name", key="list-text", persist_state="session")
    retailer = middle.text_input("Retailer", key="list-retailer", persist_state="session")
    here = postcode or ""  # another home, or a postcode given since, is not looked for at the address before
    address = right.text_input("Postcode or address", here, key=f"list-address-{here}", persist_state="session")
    customer = left.selectbox("For", list(CUSTOMERS), 1, key="list-customer", persist_state="session")
    fuel = middle.selectbox("Fuel", list(LIST_FUELS), key="list-fuel", persist_state="session")
    offered = right.toggle("Only plans still offered", value=True, key="list-offered", persist_state="session")
    return ListFilters(
        retailer=retailer.strip() or None,
        text=text.strip() or None,
        address=address.strip() or None,
        customer=CUSTOMERS[customer],
        fuel=LIST_FUELS[fuel],
        offered=offered,
    )
