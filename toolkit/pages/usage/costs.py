"""What usage costs by time of day."""

from __future__ import annotations

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.answers.energy.usage_costs import PART_NAMES, UsageCosts
from toolkit.charts import style
from toolkit.charts import usage as charts
from toolkit.flows.energy.usage import usage_costs
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import sentence
from toolkit.pages.widgets import Period

COMPONENT_NAMES = {
    "supply": "daily supply",
    "demand": "demand",
    "feed_in": "solar feed-in",
    "discount": "discounts",
    "fee": "fees",
    "metering": "metering",
    "green_power": "green power",
}


def show(ctx: Context, point: ServicePointUsage, chosen: Period) -> None:
    """Show each hour of the day and the parts of usage in dollars; a sentence where they cannot be priced."""
    priced = ask(usage_costs, ctx, from_=chosen.first, to=chosen.last).get(point.service_point_id)
    if priced is None:
        return
    if priced.costs is None:
        for note in priced.notes:
            st.caption(sentence(note))
        return
    costs = priced.costs
    st.markdown(_summary(costs))
    widgets.chart(charts.hour_costs(costs, look=widgets.look()), key="hour-costs")
    rows = [
        {
            "part": PART_NAMES[part.name],
            "cost": part.cost,
            "kwh": round(part.kwh),
            "share": None if part.cost_share is None else round(part.cost_share, 3),
        }
        for part in costs.parts
    ]
    columns = {
        "part": widgets.words("Part"),
        "cost": widgets.money("Cost"),
        "kwh": widgets.count("kWh"),
        "share": st.column_config.NumberColumn("Share of energy cost", format="percent"),
    }
    widgets.table(pl.DataFrame(rows), columns, name="usage-costs")
    share = costs.substituted_share
    estimated = f"; {percent(share, 1)} of the energy is estimated" if share else ""
    known = f"Meter data: {percent(point.coverage or 0, 1)} of the time{estimated}."
    sums = "Night, day and evening add up to all power but controlled load"
    overlap = "; always on is a part of each" if any(part.name == "always_on" for part in costs.parts) else ""
    st.caption(f"{sums}{overlap}. {known}")
    widgets.notes([*costs.notes, *priced.notes], title="How these costs were worked out")


def _summary(costs: UsageCosts) -> str:
    energy, total = style.aud(costs.energy_cost), style.aud(costs.total)
    days = f"{style.day(costs.from_)} to {style.day(costs.to)}"
    first = f"From {days}, {style.kwh(costs.energy_kwh)} from the grid cost **{_dollars(energy)}**."
    rest = [f"{COMPONENT_NAMES.get(name, name)} {_dollars(style.aud(amount))}" for name, amount in costs.other.items()]
    if not rest:
        return first
    return f"{first} With what has no time of day ({', '.join(rest)}) the bills of these days are {_dollars(total)}."


def _dollars(amount: str) -> str:
    """Escape the dollar sign, which would begin a formula in markdown."""
    return amount.replace("$", "\\$")
