"""What would change: a battery, more panels, a vehicle, load at another time or no gas, alone or together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import time
from decimal import Decimal
from typing import NamedTuple

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.energy.whatif import BestPlans, Change, WhatIf
from toolkit.charts import bills as charts
from toolkit.charts import style
from toolkit.flows.energy.whatif import MOST_KW, MOST_KWH, OffGas, Size, Wanted, whatif_together
from toolkit.flows.household.context import Context
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask, explained, last_day_if_old, refused_below
from toolkit.pages.energy import plan_page
from toolkit.pages.text import plain
from toolkit.pages.widgets import Metric, Period

Below = list[tuple[str, DeltaGenerator]]
"""Option of the flow and the place below its field, once for each change that has it."""
TAB = "What if"
"""The tab of Plans that this is."""
CHANGE = "change"
"""In the address: what is asked for first."""
BATTERY = ["A battery"]
ANSWERED = "whatif-answered"
"""The last question that was answered in this visit."""


class _Question(NamedTuple):
    """What the fields ask for."""

    steps: tuple[tuple[Change, Wanted], ...]
    price: Decimal | None
    best: bool
    sizes: tuple[Size, ...]

    def ask(self, ctx: Context) -> WhatIf:
        return ask(whatif_together, ctx, self.steps, price=self.price, best=self.best, sizes=self.sizes)


def render(ctx: Context) -> None:
    """ctx: with the service point; electricity only."""
    chosen = st.segmented_control(
        "What would change (choose one or several)",
        list(CHANGES),
        selection_mode="multi",
        default=[name for name, (change, _) in CHANGES.items() if change == st.query_params.get(CHANGE)] or BATTERY,
        key="whatif",
    )
    steps: list[tuple[Change, Wanted]] = []
    below: Below = []
    form, result = st.columns([2, 3])
    with form.container(border=True):
        for name in chosen or BATTERY:
            if len(chosen) > 1:
                st.markdown(f"**{name}**")
            change, fields = CHANGES[name]
            steps.append((change, fields(below)))
        price = st.number_input(
            "Price after rebates, installed ($)",
            0,
            1_000_000,
            None,
            500,
            key="whatif-price",
            help="What you would pay in all, rebates already taken off: to work out when it pays for itself.",
        )
        best = st.toggle(
            "Also on the best plan for it",
            value=True,
            key="whatif-best",
            help="The cheapest plans that this home can have, without and with the change.",
        )
        sizes = _sizes() if BATTERY[0] in (chosen or BATTERY) else ()
    with result:
        paid = Decimal(str(price)) if price else None
        _result(ctx, _Question(tuple(steps), paid, best, sizes), below)


def _result(ctx: Context, question: _Question, below: Below) -> None:
    """Answer a question; where it is refused, say why below the field, and show the answer to the one before."""
    named = Counter(option for option, _ in below)
    with refused_below({option: place for option, place in below if named[option] == 1}):
        answer = question.ask(ctx)
        st.session_state[ANSWERED] = question
        _answered(ctx, answer)
    known: _Question | None = st.session_state.get(ANSWERED)
    if known is not None and known != question:
        st.caption("This is the answer to what you chose before.")
        with explained():
            _answered(ctx, known.ask(ctx))


def _sizes() -> tuple[Size, ...]:
    """Ask for batteries to compare; each with a price of its own, where it is known."""
    chosen = st.multiselect("Compare with other sizes, kWh", SIZES, [], format_func=lambda kwh: f"{kwh:g}", key="sizes")
    columns = st.columns(len(chosen)) if chosen else []
    return tuple(
        Size(
            kwh,
            column.number_input(f"{kwh:g} kWh, price ($)", 0, 1_000_000, None, 500, key=f"size-{kwh:g}") or None,
        )
        for column, kwh in zip(columns, chosen, strict=True)
    )


def _battery(_below: Below) -> Wanted:
    left, right = st.columns(2)
    return Wanted(
        kwh=left.number_input("Usable size, kWh", 0.5, MOST_KWH, 10.0, 0.5, key="battery-kwh"),
        kw=right.number_input("Power, kW", 0.1, MOST_KW, 5.0, 0.5, key="battery-kw"),
        efficiency=st.number_input(
            "Efficiency, %",
            50.0,
            100.0,
            90.0,
            1.0,
            key="battery-efficiency",
            help="Share of the energy put in that comes back out.",
        )
        / 100,
    )


def _solar(_below: Below) -> Wanted:
    return Wanted(kw=st.number_input("Panels to add, kW", 0.1, MOST_KW, 5.0, 0.5, key="solar-kw"))


def _vehicle(below: Below) -> Wanted:
    left, right = st.columns(2)
    return Wanted(
        kwh=left.number_input("Energy a day, kWh", 0.1, MOST_KWH, 7.5, 0.5, key="ev-kwh", help="About 40 km a day."),
        kw=right.number_input("Charger, kW", 0.1, MOST_KW, 7.0, 0.5, key="ev-kw"),
        window=_window(below, "--window", "Charged", time(0), time(6), key="ev"),
    )


def _shift(below: Below) -> Wanted:
    share = st.slider("How much of that use, %", 1, 100, 30, key="shift-share") / 100
    away = _window(below, "--window", "Away", time(15), time(21), key="shift-away")
    if st.toggle("Save it instead of moving it", key="shift-saved"):
        return Wanted(share=share, window=away)
    return Wanted(
        share=share, window=away, to_window=_window(below, "--to-window", "Moved", time(10), time(15), key="shift-to")
    )


def _gas(below: Below) -> Wanted:
    left, right = st.columns(2)
    known = OffGas()
    leaving = OffGas(
        hot_water=left.toggle("Hot water by a heat pump", value=True, key="gas-water"),
        heating=right.toggle("Rooms by reverse-cycle heating", value=True, key="gas-rooms"),
        hot_water_efficiency=_percent(
            left, "Gas water heater: heat from gas, %", known.hot_water_efficiency, "gas-water"
        ),
        heating_efficiency=_percent(right, "Gas heating, %", known.heating_efficiency, "gas-rooms"),
        hot_water_cop=left.number_input(
            "Heat pump: heat for each kWh (COP)", 1.0, 10.0, known.hot_water_cop, 0.1, key="gas-water-cop"
        ),
        heating_cop=right.number_input(
            "Reverse cycle: heat for each kWh (COP)", 1.0, 10.0, known.heating_cop, 0.1, key="gas-rooms-cop"
        ),
    )
    water = _window(below, "--window", "Water heated", time(10), time(15), key="gas-water-hours")
    rooms = _window(below, "--to-window", "Rooms heated", time(16), time(22), key="gas-rooms-hours")
    return Wanted(window=water, to_window=rooms, off_gas=leaving)


def _percent(column: DeltaGenerator, label: str, share: float, key: str) -> float:
    return float(column.number_input(label, 1.0, 100.0, share * 100, 1.0, key=f"{key}-efficiency", help=_HEAT)) / 100


CHANGES: dict[str, tuple[Change, Callable[[Below], Wanted]]] = {
    "A battery": ("battery", _battery),
    "Solar panels": ("solar", _solar),
    "An electric vehicle": ("ev", _vehicle),
    "Use at another time": ("shift", _shift),
    "Off gas": ("gas", _gas),
}
_HEAT = "Efficiency: the share of the gas that becomes useful heat."
PARTS = ("Part by part", "part-by-part")
"""What a figure is made of, and the anchor of that list."""
A_YEAR = "The saving of the days with reads, scaled to 365 days."
SIZES = (5.0, 7.0, 10.0, 13.5, 20.0)


def _window(below: Below, option: str, label: str, first: time, last: time, *, key: str) -> str:
    left, right = st.columns(2)
    begins = left.time_input(f"{label} from", first, step=1800, key=f"{key}-from")
    ends = right.time_input(f"{label} to", last, step=1800, key=f"{key}-until")
    below.append((option, st.container()))
    return f"{begins or first:%H:%M}-{ends or last:%H:%M}"


def _answered(ctx: Context, answer: WhatIf) -> None:
    span = Period(answer.from_, answer.to)
    old = span.last if last_day_if_old(ctx) else None
    widgets.metrics(widgets.dated(_figures(answer, span), old))
    saved = pl.DataFrame(
        [{"component": name, "amount": -amount} for name, amount in answer.components.items()],
        schema={"component": pl.String, "amount": pl.Decimal(scale=2)},
    )
    if any(saved["amount"]):
        figure = charts.waterfall(saved, title="Change in your bills, part by part", look=widgets.look())
        widgets.chart(figure, key="whatif-components")
    if answer.best is not None:
        st.markdown("**On the best plan for it**")
        widgets.metrics(widgets.dated(_on_best(ctx, answer.best, span), old))
        st.caption(plain(f"Without the change: {answer.best.before_plan_name}. With it: {answer.best.plan_name}."))
    _side_by_side(answer)
    columns = {
        "part": widgets.words("Part"),
        "before": widgets.money("Before"),
        "after": widgets.money("After"),
        "saving": widgets.money("Saving"),
    }
    rows: list[widgets.Row] = [
        {
            "part": charts.component_label(name),
            "before": answer.before_components.get(name, Decimal(0)),
            "after": answer.after_components.get(name, Decimal(0)),
            "saving": saving,
        }
        for name, saving in answer.components.items()
    ]
    st.subheader("Part by part", anchor=PARTS[1])
    widgets.table(rows, columns, name="what-if")
    widgets.notes([*answer.assumptions, *answer.notes])
    plan_problems.show(ctx, answer.problems, key="whatif")


def _on_best(ctx: Context, best: BestPlans, days: Period) -> list[Metric]:
    before, after = plan_page.prices_of(ctx, best.before_plan_id), plan_page.prices_of(ctx, best.plan_id)
    without = plain(f"On {best.before_plan_name}, without the change.")
    shown = [
        Metric("Best plan, bills before", style.aud(best.before), without, opens=before),
        Metric(
            "Best plan, bills after",
            style.aud(best.after),
            plain(f"On {best.plan_name}, with the change."),
            opens=after,
        ),
        Metric("Saved by the change itself", style.aud(best.saving), "Before less after, on the same days.", str(days)),
    ]
    if best.yearly is not None and best.yearly != best.saving:
        shown.append(Metric("Saved by it a year", style.aud(best.yearly), A_YEAR))
    if best.payback_years is not None:
        shown.append(Metric("Pays for itself there in", f"{best.payback_years:g} years"))
    return shown


def _side_by_side(answer: WhatIf) -> None:
    """List the batteries that are compared."""
    rows: list[widgets.Row] = [
        {
            "kwh": size.kwh,
            "price": size.price,
            "after": size.after,
            "saving": size.saving,
            "yearly": size.yearly,
            "payback": size.payback_years,
            "best": size.best.yearly if size.best else None,
            "plan": size.best.plan_name if size.best else None,
        }
        for size in answer.sizes
    ]
    columns = {
        "kwh": widgets.number("Battery, kWh", "%g"),
        "price": widgets.money("Price"),
        "after": widgets.money("Bills after"),
        "saving": widgets.money("Saved"),
        "yearly": widgets.money("Saved a year", A_YEAR),
        "payback": widgets.number("Pays back in, years"),
        "best": widgets.money("Saved a year on the best plan"),
        "plan": widgets.words("Best plan"),
    }
    widgets.table(rows, columns, name="battery-sizes")


def _figures(answer: WhatIf, span: Period) -> list[Metric]:
    shown = [
        Metric("Bills before", style.aud(answer.before), f"For {span}, on today's plan.", str(span), place=PARTS),
        Metric("Bills after", style.aud(answer.after), "The same days and plan, with the change.", place=PARTS),
        *_saved(answer.saving, answer.yearly, answer.days_read, span),
    ]
    if answer.price is not None and answer.payback_years is not None:
        help_ = f"{style.aud(answer.price)} divided by the yearly saving, without interest."
        shown.append(Metric("Pays for itself in", f"{answer.payback_years:g} years", help_, place=PARTS))
    elif answer.price is not None and answer.yearly is not None:
        st.caption(plain("It does not pay for itself, because it saves nothing."))
    return shown


def _saved(saving: Decimal, yearly: Decimal | None, days_read: float, span: Period) -> list[Metric]:
    """What is before less what is after, on the same days; and of a year, where that is another figure."""
    word = "Saved" if saving >= 0 else "Extra cost"
    what = "Before less after, on the same days."
    if yearly == saving:
        return [Metric(f"{word} a year", style.aud(abs(saving)), what, str(span), place=PARTS)]
    shown = [Metric(word, style.aud(abs(saving)), what, str(span), place=PARTS)]
    if yearly is not None:
        read = f"from {days_read:,.0f} days with reads"
        shown.append(Metric(f"{word} a year", style.aud(abs(yearly)), A_YEAR, read, place=PARTS))
    return shown
