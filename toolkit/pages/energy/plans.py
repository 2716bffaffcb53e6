"""What other plans would cost: every stored plan on the home's own meter data, and why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import streamlit as st

from toolkit.answers.usage import ServicePointUsage
from toolkit.charts import plans as charts
from toolkit.charts import style
from toolkit.charts.bills import COMPONENTS, component_label
from toolkit.errors import NoPlansError
from toolkit.flows.energy.comparison.compare import compare
from toolkit.flows.energy.usage import usage_map
from toolkit.flows.household.context import Context
from toolkit.flows.plans.rate_card import plan_show
from toolkit.pages import widgets
from toolkit.pages.answers import Answer, ask, explained, holdings, last_day_if_old
from toolkit.pages.energy import published_plans as published
from toolkit.pages.energy import usage, whatif
from toolkit.pages.energy.bills import DISCOUNTS
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.widgets import Metric, Period

NO_METER = (
    "Comparing plans needs your meter data: when you used power, and how much. "
    "Add it as a file, or connect your energy account."
)
NO_PLANS = (
    "Get the plans of some retailers from the public register below, or add a file of plans on the Data page. They "
    "are then compared here on your own use."
)
NONE_FITS = "None of the stored plans is available to this home with these choices."
NONE_WHOLE = "None of the plans available to this home can be priced in full. Each is listed below with the reason."
CUSTOMERS = {"As on the Data page": None, "A home": "residential", "A business": "business"}
TOPS = {"The 10 cheapest": 10, "The 50 cheapest": 50, "All": 0}
GREEN = {"Any share": None, "At least a quarter": 0.25, "At least half": 0.5, "All": 1.0}
ROLES = {"general": "General use", "controlled": "Controlled load", "export": "Solar exports"}


def render(ctx: Context) -> None:
    found = usage.metered(ctx, "No plan can be compared yet", NO_METER)
    if found is None:
        return
    mine, point = found
    if not holdings(ctx).plans:
        widgets.empty("No plans to compare yet", NO_PLANS)
        published.render(ctx, expanded=True)
        return
    with explained():
        _compared(mine, point)
    if point.energy_unit == "kWh":
        whatif.render(mine)


def _compared(ctx: Context, point: ServicePointUsage) -> None:
    try:
        answer = ask(compare, ctx, **_asked())
    except NoPlansError:
        widgets.empty("No plans to compare yet", NO_PLANS)
        published.render(ctx, expanded=True)
        _one_plan(ctx, point, {None: "Your plan"}, _last_year(point))
        return
    published.render(ctx, expanded=False)
    if not answer["plans"]:
        st.info(NONE_WHOLE if answer["unpriced"] else NONE_FITS)
    else:
        _figures(ctx, answer)
        widgets.chart(charts.comparison(_bars(answer), look=widgets.look()), key="comparison")
        _table(answer)
    _left_out(answer)
    widgets.notes(answer["notes"])
    widgets.problems(answer["problems"], key="compare")
    if names := _names(answer):
        _one_plan(ctx, point, names, Period(answer["from"], answer["to"]))


def _names(answer: Answer) -> dict[str | None, str]:
    """Plan id → name, of those that can be looked into. None: today's, which by its id would lack a closed feed-in."""
    current = answer["current"]
    mine: dict[str | None, str] = {} if current is None else {None: f"{_your_plan(current)}, {current['plan_id']}"}
    others = {plan["plan_id"]: f"{_name(plan)}, {plan['plan_id']}" for plan in answer["plans"]}
    return mine | {plan_id: name for plan_id, name in others.items() if not mine or plan_id != current["plan_id"]}


def _last_year(point: ServicePointUsage) -> Period:
    days = usage.days_of(point)
    return Period(max(days.first, days.last - timedelta(364)), days.last)


def _asked() -> dict[str, Any]:
    """What the choices on the page ask for; those left empty are taken from the household."""
    with st.expander("Which plans"):
        left, right = st.columns(2)
        postcode = left.text_input(
            "Postcode", max_chars=4, key="plans-postcode", placeholder="from the Data page"
        ).strip()
        network = right.text_input(
            "Electricity distributor (as on the bill)", key="plans-network", placeholder="from your meter"
        ).strip()
        customer = left.selectbox("Plans for", list(CUSTOMERS), key="plans-customer")
        discounts = right.selectbox("Discounts included", list(DISCOUNTS), key="plans-discounts")
        green = left.selectbox("Green energy", list(GREEN), key="plans-green")
        top = right.selectbox("How many", list(TOPS), key="plans-top")
        only_open = st.toggle("Only plans available to this home, as far as is known", key="plans-open")
    chosen = {"discounts": DISCOUNTS[discounts], "top": TOPS[top], "eligibility": "open" if only_open else "all"}
    typed = {"postcode": postcode, "network": network, "green": GREEN[green], "customer": CUSTOMERS[customer]}
    return {**chosen, **{name: value for name, value in typed.items() if value}}


def _figures(ctx: Context, answer: Answer) -> None:
    best, current = answer["headline"], answer["current"]
    span = Period(answer["from"], answer["to"])
    shown = []
    if best is not None:
        shown.append(Metric("Cheapest plan", style.aud(best["total"]), f"{best['name']}, for {span}, including GST."))
    if current is not None:
        part = "part of it has no price" if current["reason"] else None
        own = f"{current['name'] or 'Today’s plan'}, same days."
        shown.append(Metric("Your plan", style.aud(current["total"]), own, part))
    if answer["standing"] is not None:
        yardstick = "The cheapest standing offer in your area for your kind of tariff, same days."
        shown.append(Metric("Standing offer", style.aud(answer["standing"]["total"]), yardstick))
    if best is not None and best["saving"] is not None:
        span_saved = "a year" if answer["yearly"] else f"over {best['saving_days']} days"
        shown.append(Metric("You would save", style.aud(best["saving"]), _certain(best), span_saved))
    shown = widgets.dated(shown, span.last if last_day_if_old(ctx) else None)
    shown.append(Metric("Plans priced", f"{answer['priced']:,}", "On your own meter data, each to the cent."))
    if round(answer["missing_share"] or 0, 3):
        gaps = "Share of the time. The energy of these hours is not included in any total."
        shown.append(Metric("Missing reads", f"{answer['missing_share']:.1%}", gaps))
    widgets.metrics(shown)
    dated = f" Prices as of {style.day(answer['as_of'])}." if answer["as_of"] else ""
    st.caption(plain(f"Based on your meter data for {span}.{dated}"))


def _certain(best: Answer) -> str | None:
    """Savings are told without conditional discounts; what these would add is said beside."""
    more: Decimal = best["conditional"]
    return f"Up to {style.aud(more)} more with conditional discounts." if more else None


def _bars(answer: Answer) -> list[Answer]:
    return [*({**plan, "name": _name(plan)} for plan in answer["plans"][:10]), *_mine(answer, whole=True)]


def _mine(answer: Answer, *, whole: bool) -> list[Answer]:
    """Today's plan as a row: beside the others where its total is whole, else among those that are not."""
    current = answer["current"]
    if current is None or whole == bool(current["reason"]):
        return []
    return [{**current, "name": _your_plan(current)}]


def _your_plan(current: Answer) -> str:
    return f"Your plan: {current['name'] or current['plan_id']}"


def _name(plan: Answer) -> str:
    name = str(plan["name"] or plan["plan_id"])
    return f"{name} ({plan['retailer']})" if plan["retailer"] else name


def _table(answer: Answer) -> None:
    used = [name for name in COMPONENTS if any(name in plan["components"] for plan in answer["plans"])]
    columns = {
        "name": widgets.words("Plan"),
        "retailer": widgets.words("Retailer"),
        "total": widgets.money("Total"),
        "saving": widgets.money("Saving", "Against today's plan, over the same days."),
        "conditional": widgets.money("With conditions", "What conditional discounts would also take off."),
        **{name: widgets.money(component_label(name)) for name in used},
        "exit_fee": widgets.money("Exit fee"),
        "variable": st.column_config.CheckboxColumn(
            "Prices vary", help="The wholesale market sets them, or they are an estimate."
        ),
        "as_of": st.column_config.DateColumn("Prices as of", format="D MMM YYYY"),
        "green_share": st.column_config.NumberColumn("Green", format="percent"),
        "open": st.column_config.CheckboxColumn(
            "Available", help="Whether this home can take the plan, as far as is known."
        ),
        "plan_id": widgets.words("Plan id"),
    }
    rows = sorted([*answer["plans"], *_mine(answer, whole=True)], key=lambda plan: plan["total"])
    widgets.table([{**plan, **plan["components"]} for plan in rows], columns, name="comparison")


def _left_out(answer: Answer) -> None:
    if answer["network"] is None and answer["by_network"]:
        st.subheader("By distributor")
        columns = {
            "network": widgets.words("Distributor"),
            "priced": widgets.number("Plans", "%d"),
            "total": widgets.money("Cheapest"),
            "plan_id": widgets.words("Plan id"),
        }
        widgets.table(answer["by_network"], columns, name="by-network")
    if partly := [*_mine(answer, whole=False), *answer["unpriced"]]:
        plans = "plan" if len(partly) == 1 else "plans"
        with st.expander(f"{len(partly)} {plans} that cannot be priced in full"):
            columns = {
                "name": widgets.words("Plan"),
                "retailer": widgets.words("Retailer"),
                "reason": widgets.words("Why"),
                "total": widgets.money("Priced part"),
                "plan_id": widgets.words("Plan id"),
            }
            rows = [{**row, "reason": message(row["reason"])} for row in partly]
            widgets.table(rows, columns, name="unpriced")


def _one_plan(ctx: Context, point: ServicePointUsage, names: Mapping[str | None, str], span: Period) -> None:
    """One plan's rate card, and its prices beside the use they fall on. names: plan id (None: today's) → its name."""
    st.subheader("One plan, hour by hour")
    chosen = st.selectbox("Plan", list(names), format_func=lambda plan: names[plan], key="plan-shown")
    kind = "ELECTRICITY" if point.energy_unit == "kWh" else "GAS"
    card = ask(plan_show, ctx, plan=chosen)
    for fuel in (one for one in card["fuels"] if one["fuel"] == kind):
        _weeks(ctx, fuel, point, span)
        _card(fuel)
        widgets.notes([*card["notes"], *fuel["notes"]])


def _weeks(ctx: Context, fuel: Answer, point: ServicePointUsage, span: Period) -> None:
    weeks = {f"{ROLES[week['role']]}, {week['season']}": week["week"] for week in fuel["weeks"]}
    prices, use = st.columns(2)
    if weeks:
        with prices:
            name = st.selectbox("Prices of", list(weeks), key="price-week")
            figure = charts.price_week(weeks[name], unit=str(fuel["unit"]), look=widgets.look())
            widgets.chart(figure, key="price-week-map")
    grid = ask(usage_map, ctx, from_=span.first, to=span.last)[point.service_point_id].heat_map
    if not grid.is_empty():
        with use:
            st.caption(plain(f"What you take from the grid, in local time, average of {span}."))
            widgets.chart(charts.use_week(_dated(grid), look=widgets.look()), key="use-week-map")


def _dated(grid: pl.DataFrame) -> pl.DataFrame:
    return grid if grid.schema["date"] == pl.Date else grid.with_columns(pl.col("date").cast(pl.Date))


def _card(fuel: Answer) -> None:
    columns: dict[str, Any] = {
        "component": widgets.words("Part"),
        "label": widgets.words("Name on the plan"),
        "season": widgets.words("Season"),
        "window": widgets.words("When"),
        "block": widgets.words("Block"),
        "price": widgets.words("Price, $"),
        "price_with_gst": widgets.words("With GST, $"),
        "unit": widgets.words("Per"),
        "conditions": widgets.words("Conditions"),
    }
    rows = [{**rate, "component": component_label(rate["component"])} for rate in fuel["rates"]]
    widgets.table(rows, columns, name="rate-card")
    for problem in fuel["problems"]:
        st.caption(sentence(problem["reason"]))
