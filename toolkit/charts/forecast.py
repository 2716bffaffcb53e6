"""The next bill, as a range."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look


@dataclass(frozen=True, slots=True)
class Range:
    """certain: what is on the meter already; p50: the best guess; p10 and p90: null while too little is known. AUD."""

    certain: float | None
    p10: float | None
    p50: float
    p90: float | None


def next_bill(expected: Range, *, look: Look = LIGHT) -> go.Figure:
    """One bar: what is certain, up to the best guess, with the range that eight bills in ten should end in."""
    made = style.figure("Certain so far, and still to come", look, height=220)
    certain = min(max(expected.certain or 0.0, 0.0), max(expected.p50, 0.0))
    made.add_bar(**_bar("Certain so far", certain, style.BLUE, expected.certain or 0.0))
    made.add_bar(
        **_bar("Still to come (estimate)", expected.p50 - certain, style.SKY, expected.p50 - (expected.certain or 0.0)),
        error_x=_whisker(expected, look),
    )
    made.update_layout(barmode="stack", bargap=0.55)
    made.update_xaxes(title_text="AUD including GST", tickformat=style.MONEY_AXIS, rangemode="tozero")
    made.update_yaxes(showticklabels=False, showgrid=False)
    return style.described(made, _said(expected))


def _bar(name: str, length: float, color: str, amount: float) -> dict[str, object]:
    return {
        "x": [length],
        "y": [""],
        "orientation": "h",
        "name": name,
        "marker_color": color,
        "customdata": [amount],
        "hovertemplate": "%{customdata:$,.2f}<extra>%{fullData.name}</extra>",
    }


def _whisker(expected: Range, look: Look) -> dict[str, object]:
    if expected.p10 is None or expected.p90 is None:
        return {"visible": False}
    return {
        "visible": True,
        "type": "data",
        "symmetric": False,
        "array": [expected.p90 - expected.p50],
        "arrayminus": [expected.p50 - expected.p10],
        "color": look.text,
        "thickness": 2,
        "width": 10,
    }


def _said(expected: Range) -> list[tuple[str, str]]:
    named = [
        ("already on the meter", expected.certain),
        ("best guess", expected.p50),
        ("eight in ten from", expected.p10),
        ("to", expected.p90),
    ]
    return [(name, style.aud(amount)) for name, amount in named if amount is not None]
