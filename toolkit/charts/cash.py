"""Balances: projected ones as a band, and net worth by month. Amounts in AUD."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from toolkit.answers.money import CashflowDay, LowPoint, NetWorthMonth
from toolkit.answers.wording.ranges import LIKELY_RANGE
from toolkit.charts import style
from toolkit.charts import values as values_of
from toolkit.charts.style import LIGHT, Look


def balance(days: Sequence[CashflowDay], low: LowPoint | None, *, look: Look = LIGHT) -> go.Figure:
    """Draw the projected balance by day, the range that eight in ten balances should end in, and the lowest point."""
    made = style.figure("Balance at the end of each day", look)
    known = [day for day in days if day.p10 is not None and day.p90 is not None]
    if known:
        dates = [day.date for day in known]
        made.add_scatter(
            x=[*dates, *reversed(dates)],
            y=[*(float(day.p90 or 0) for day in known), *(float(day.p10 or 0) for day in reversed(known))],
            fill="toself",
            fillcolor="rgba(86,180,233,0.25)",
            line={"width": 0},
            hoverinfo="skip",
            name=LIKELY_RANGE,
        )
    middle = [day for day in days if day.p50 is not None]
    made.add_scatter(
        x=[day.date for day in middle],
        y=[float(day.p50 or 0) for day in middle],
        mode="lines",
        line={"color": style.BLUE, "width": 2, "shape": "hv"},
        hovertemplate="%{x|%-d %b %Y}<br>%{y:$,.2f}<extra></extra>",
        name="Best guess",
    )
    facts = (
        [("today", style.aud(middle[0].p50 or 0)), ("on the last day", style.aud(middle[-1].p50 or 0))]
        if middle
        else []
    )
    if low is not None and low.p50 is not None:
        made.add_scatter(
            x=[low.date],
            y=[float(low.p50)],
            mode="markers",
            marker={"color": style.VERMILION, "size": 10},
            hovertemplate="Lowest: %{x|%-d %b %Y}<br>%{y:$,.2f}<extra></extra>",
            name="Lowest",
            meta=values_of.NO_VALUES,
        )
        facts.insert(1, (f"lowest on {style.day(low.date)}", style.aud(low.p50)))
    made.update_xaxes(type="date", tickformat="%-d %b", tickangle=0)
    made.update_yaxes(tickformat=style.MONEY_AXIS)
    return style.described(made, facts)


def net_worth(months: Sequence[NetWorthMonth], *, look: Look = LIGHT) -> go.Figure:
    """Draw what is had and owed as bars and the difference as a line; months that are not wholly known are left out."""
    made = style.figure("Net worth at the end of each month", look)
    known = [month for month in months if month.net is not None]
    starts = [f"{month.month}-01" for month in known]
    for name, values, color in (
        ("Have", [float(month.assets or 0) for month in known], style.SKY),
        ("Owe", [-float(month.debts or 0) for month in known], style.ORANGE),
    ):
        made.add_bar(
            x=starts,
            y=values,
            name=name,
            marker_color=color,
            hovertemplate="%{x|%b %Y}<br>%{y:$,.2f}",
            meta=values_of.BELOW_ZERO if name == "Owe" else None,
        )
    made.add_scatter(
        x=starts,
        y=[float(month.net or 0) for month in known],
        name="Net worth",
        mode="lines+markers",
        line={"color": look.text, "width": 2},
        hovertemplate="%{x|%b %Y}<br>%{y:$,.2f}<extra></extra>",
    )
    made.update_layout(barmode="relative")
    style.month_axis(made, len(known))
    made.update_yaxes(tickformat=style.MONEY_AXIS)
    return style.described(made, [(month.month, style.aud(month.net or 0)) for month in known])
