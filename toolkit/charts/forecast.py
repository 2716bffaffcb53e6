"""The next bill, as a range."""

from __future__ import annotations

import plotly.graph_objects as go

from toolkit.answers.energy.forecast import Forecast
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
        ("eight in ten from", answer.p10),
        ("to", answer.p90),
    ]
    return style.described(figure, [(name, style.aud(amount)) for name, amount in amounts if amount is not None])
