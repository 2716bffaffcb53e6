"""What would change: a battery, more panels, an electric vehicle, or load at another time, on last year's own use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from decimal import Decimal
from typing import TypedDict

import polars as pl
import streamlit as st

from toolkit.answers.energy.whatif import WhatIf
from toolkit.charts import bills as charts
from toolkit.charts import style
from toolkit.flows.energy.whatif import MOST_KW, MOST_KWH, whatif
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, last_day_if_old
from toolkit.pages.text import plain
from toolkit.pages.widgets import Metric, Period


class Options(TypedDict, total=False):
    """Options of a change, as `whatif` takes them."""

    kwh: float
    kw: float
    efficiency: float
    price: Decimal
    window: str
    to_window: str
    share: float


def render(ctx: Context) -> None:
    """ctx: with the service point; electricity only."""
    st.subheader("What if …")
    chosen = st.segmented_control(
        "What would change",
        list(CHANGES),
        default="A battery",
        required=True,
        key="whatif",
        label_visibility="collapsed",
    )
    change, fields = CHANGES[chosen or "A battery"]
    with st.container(border=True):
        options = fields()
    with explained():
        _answered(ctx, ask(whatif, ctx, change=change, **options))


def _battery() -> Options:
    left, middle, right = st.columns(3)
    return {
        "kwh": left.number_input("Usable size, kWh", 0.5, MOST_KWH, 10.0, 0.5, key="battery-kwh"),
        "kw": middle.number_input("Power, kW", 0.1, MOST_KW, 5.0, 0.5, key="battery-kw"),
        "efficiency": right.number_input(
            "Efficiency, %",
            50.0,
            100.0,
            90.0,
            1.0,
            key="battery-efficiency",
            help="Share of the energy put in that comes back out.",
        )
        / 100,
        **_price("battery"),
    }


def _solar() -> Options:
    size = st.number_input("Extra panels, kW", 0.1, MOST_KW, 5.0, 0.5, key="solar-kw")
    return {"kw": size, **_price("solar")}


def _vehicle() -> Options:
    left, right = st.columns(2)
    return {
        "kwh": left.number_input("Energy a day, kWh", 0.1, MOST_KWH, 7.5, 0.5, key="ev-kwh", help="About 40 km a day."),
        "kw": right.number_input("Charger, kW", 0.1, MOST_KW, 7.0, 0.5, key="ev-kw"),
        "window": _window("Charged", time(0), time(6), key="ev"),
    }


def _shift() -> Options:
    share = st.slider("How much of that use, %", 1, 100, 30, key="shift-share") / 100
    moved: Options = {"share": share, "window": _window("Away", time(15), time(21), key="shift-away")}
    if st.toggle("Save it instead of moving it", key="shift-saved"):
        return moved
    return {**moved, "to_window": _window("Moved", time(10), time(15), key="shift-to")}


CHANGES: dict[str, tuple[str, Callable[[], Options]]] = {
    "A battery": ("battery", _battery),
    "More panels": ("solar", _solar),
    "An electric vehicle": ("ev", _vehicle),
    "Use at another time": ("shift", _shift),
}


def _price(key: str) -> Options:
    asked = st.number_input(
        "Price, installed ($)", 0, 1_000_000, None, 500, key=f"{key}-price", help="To work out when it pays for itself."
    )
    return {} if not asked else {"price": Decimal(str(asked))}


def _window(label: str, first: time, last: time, *, key: str) -> str:
    left, right = st.columns(2)
    begins = left.time_input(f"{label} from", first, step=1800, key=f"{key}-from")
    ends = right.time_input(f"{label} to", last, step=1800, key=f"{key}-until")
    return f"{begins or first:%H:%M}-{ends or last:%H:%M}"


def _answered(ctx: Context, answer: WhatIf) -> None:
    span = Period(answer.from_, answer.to)
    widgets.metrics(widgets.dated(_figures(answer, span), span.last if last_day_if_old(ctx) else None))
    saved = pl.DataFrame(
        [{"component": name, "amount": -amount} for name, amount in answer.components.items()],
        schema={"component": pl.String, "amount": pl.Decimal(scale=2)},
    )
    figure = charts.waterfall(saved, title="Change in your bills, part by part", look=widgets.look())
    widgets.chart(figure, key="whatif-components")
    columns = {
        "part": widgets.words("Part"),
        "before": widgets.money("Before"),
        "after": widgets.money("After"),
        "saving": widgets.money("Saving"),
    }
    rows = [
        {
            "part": charts.component_label(name),
            "before": answer.before_components.get(name, Decimal(0)),
            "after": answer.after_components.get(name, Decimal(0)),
            "saving": saving,
        }
        for name, saving in answer.components.items()
    ]
    widgets.table(rows, columns, name="what-if")
    widgets.notes([*answer.assumptions, *answer.notes])
    widgets.problems(answer.problems, key="whatif")


def _figures(answer: WhatIf, span: Period) -> list[Metric]:
    shown = [
        Metric("Bills before", style.aud(answer.before), f"For {span}, on today's plan."),
        Metric("Bills after", style.aud(answer.after), "The same days and plan, with the change."),
        _saved(answer, span),
    ]
    if answer.price is not None and answer.payback_years is not None:
        help_ = f"{style.aud(answer.price)} divided by the yearly saving, without interest."
        shown.append(Metric("Pays for itself in", f"{answer.payback_years:g} years", help_))
    elif answer.price is not None and answer.yearly is not None:
        st.caption(plain("It does not pay for itself, because it saves nothing."))
    return shown


def _saved(answer: WhatIf, span: Period) -> Metric:
    """Of a year, or of the days in question where no yearly figure is known."""
    saving, when, what, days = answer.yearly, " a year", "For 365 days.", None
    if saving is None:
        saving, when, what, days = answer.saving, "", "For these days only; the notes below say why.", str(span)
    return Metric(f"{'Saved' if saving >= 0 else 'Extra cost'}{when}", style.aud(abs(saving)), what, days)
