"""The next bill as a range, past forecasts and what came, and the months ahead as a fan."""

from __future__ import annotations

import plotly.graph_objects as go

from toolkit.answers.energy.forecast import BillAhead, Forecast, PastForecast
from toolkit.answers.wording.ranges import LIKELY_RANGE
from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look


def next_bill(answer: Forecast, *, look: Look = LIGHT) -> go.Figure:
    """Draw one bar: what is certain, up to the best guess, with the range that eight bills in ten should end in.

    answer: a forecast with a known p50.
    """
    figure = style.figure("Certain so far, and still to come", look, height=220)
    certain_aud, guess = float(answer.certain or 0), float(answer.p50 or 0)
    # Credits can make either amount negative; a stacked bar cannot show that, so its hover text has the true amounts.
    certain = min(max(certain_aud, 0.0), max(guess, 0.0))
    for name, length, color, amount in (
        ("Certain so far", certain, style.BLUE, certain_aud),
        ("Still to come (estimate)", guess - certain, style.SKY, guess - certain_aud),
    ):
        figure.add_bar(
            x=[length],
            y=[""],
            orientation="h",
            name=name,
            marker_color=color,
            customdata=[amount],
            hovertemplate="%{customdata:$,.2f}<extra>%{fullData.name}</extra>",
        )
    if answer.p10 is not None and answer.p90 is not None:
        figure.data[-1].error_x = style.whisker(guess - float(answer.p10), float(answer.p90) - guess, look)
    figure.update_layout(barmode="stack", bargap=0.55)
    figure.update_xaxes(title_text="AUD including GST", tickformat=style.MONEY_AXIS, rangemode="tozero")
    figure.update_yaxes(showticklabels=False, showgrid=False)
    amounts = [
        ("already on the meter", answer.certain),
        ("best guess", answer.p50),
        (f"{LIKELY_RANGE.lower()}, from", answer.p10),
        ("to", answer.p90),
    ]
    return style.described(figure, [(name, style.aud(amount)) for name, amount in amounts if amount is not None])


def fan(answer: Forecast, look: Look = LIGHT) -> go.Figure:
    """Draw past forecasts with what came, and the bills ahead, each with the range of eight in ten.

    answer: a forecast with `past` or `bills`; both are shown at their last day.
    """
    figure = style.figure("Past forecasts, what came, and the bills ahead", look)
    spans: list[PastForecast | BillAhead] = [*answer.past, *answer.bills]
    ranged = [span for span in spans if span.p10 is not None and span.p90 is not None]
    days = [span.to for span in ranged]
    low, high = ([float(end) for span in ranged if (end := getattr(span, name)) is not None] for name in ("p10", "p90"))
    figure.add_scatter(x=days, y=high, mode="lines", line={"width": 0}, showlegend=False, hoverinfo="skip")
    figure.add_scatter(
        x=days,
        y=low,
        mode="lines",
        line={"width": 0},
        fill="tonexty",
        fillcolor="rgba(86, 180, 233, 0.25)",
        name=LIKELY_RANGE,
        showlegend=bool(ranged),
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[span.to for span in spans],
        y=[float(span.p50) for span in spans],
        mode="lines+markers",
        line={"color": style.SKY, "dash": "dot"},
        name="Forecast",
        hovertemplate="%{x|%-d %b %Y}: %{y:$,.2f}<extra>Forecast</extra>",
    )
    figure.add_scatter(
        x=[span.to for span in answer.past],
        y=[float(span.billed) for span in answer.past],
        mode="markers",
        marker={"color": style.BLUE, "size": 9},
        name="What it came to",
        hovertemplate="%{x|%-d %b %Y}: %{y:$,.2f}<extra>What it came to</extra>",
    )
    figure.update_yaxes(title_text="AUD including GST", tickformat=style.MONEY_AXIS, rangemode="tozero")
    style.month_axis(figure, max(len(spans), 7))
    inside = [p.p10 <= p.billed <= p.p90 for p in answer.past if p.p10 is not None and p.p90 is not None]
    parts = [("Past periods inside their range", f"{sum(inside)} of {len(inside)}")] if inside else []
    return style.described(
        figure, [*parts, *((style.day(bill.to), style.aud(bill.p50, cents=False)) for bill in answer.bills)]
    )
