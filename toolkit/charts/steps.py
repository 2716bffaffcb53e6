"""Steps of a waterfall: what adds to an amount and what takes from it. Amounts in AUD."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look


@dataclass(frozen=True, slots=True)
class StepColors:
    """Colours of steps up, steps down and sums."""

    up: str
    down: str
    total: str


def draw_steps(  # noqa: PLR0913  what the three charts of steps differ in
    title: str,
    names: Sequence[str],
    amounts: Sequence[float],
    colors: StepColors,
    *,
    from_total: bool = False,
    unit: str = "AUD including GST",
    cents: bool = False,
    look: Look = LIGHT,
) -> go.Figure:
    """Draw amounts one on another up to the last, which is their sum; from_total: the first is a sum too.

    names: as shown, made safe by the caller where they come from outside. cents: label the steps with cents.
    """
    middle = ["relative"] * max(len(amounts) - 2, 0)
    measures = ["absolute" if from_total else "relative", *middle, "total"][-len(amounts) :]
    made = style.figure(title, look)
    made.add_waterfall(
        x=list(names),
        y=list(amounts),
        measure=measures,
        text=[style.aud(amount, cents=cents) for amount in amounts],
        textposition="outside",
        increasing_marker_color=colors.up,
        decreasing_marker_color=colors.down,
        totals_marker_color=colors.total,
        connector_line_color=look.muted,
        customdata=list(amounts),
        hovertemplate="%{x}<br>%{customdata:$,.2f}<extra></extra>",
        cliponaxis=False,
    )
    made.update_layout(showlegend=False)
    made.update_xaxes(tickvals=list(names), ticktext=[textwrap.fill(name, 14).replace("\n", "<br>") for name in names])
    made.update_yaxes(title_text=unit, tickformat=style.MONEY_AXIS)
    return style.described(made, [(name, style.aud(amount)) for name, amount in zip(names, amounts, strict=True)])
