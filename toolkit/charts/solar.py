"""What the panels make and where it goes, in kWh. Generation is an estimate, so it is drawn with its range."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go
import polars as pl

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look


@dataclass(frozen=True, slots=True)
class Generation:
    """kWh over the period: the likely range of what the panels made, and the measured export."""

    low: float
    mid: float
    high: float
    export: float


def where_it_goes(made_kwh: Generation, *, look: Look = LIGHT) -> go.Figure:
    """Sold to the grid (measured) and used at home (the rest of the estimate), with the estimate's range."""
    used = max(made_kwh.mid - made_kwh.export, 0.0)
    drawn = style.figure("Where your solar goes", look, height=240)
    drawn.add_bar(**_part("Exported (measured)", made_kwh.export, style.EXPORT))
    drawn.add_bar(
        **_part("Used at home (estimate)", used, style.GREEN),
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(made_kwh.high - made_kwh.mid, 0.0)],
            "arrayminus": [max(made_kwh.mid - made_kwh.low, 0.0)],
            "color": look.text,
            "thickness": 2,
            "width": 10,
        },
    )
    drawn.update_layout(barmode="stack", bargap=0.5)
    drawn.update_xaxes(title_text="kWh", tickformat=",.0f", rangemode="tozero")
    drawn.update_yaxes(showticklabels=False, showgrid=False)
    made_range = f"{style.kwh(made_kwh.low)} to {style.kwh(made_kwh.high)}"
    return style.described(drawn, [("made", made_range), ("sold", style.kwh(made_kwh.export))])


def _part(name: str, energy: float, color: str) -> dict[str, object]:
    return {
        "x": [energy],
        "y": [""],
        "orientation": "h",
        "name": name,
        "marker_color": color,
        "hovertemplate": "%{x:,.0f} kWh<extra>%{fullData.name}</extra>",
    }


def export_by_month(rows: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Measured export for each month. rows: `month` (`YYYY-MM`), `export_kwh`."""
    drawn = style.figure("Solar exports by month", look)
    export = rows["export_kwh"].cast(pl.Float64).to_list()
    drawn.add_bar(
        x=[f"{month}-01" for month in rows["month"]],
        y=export,
        marker_color=style.EXPORT,
        name="",
        hovertemplate="%{x|%b %Y}<br>%{y:,.1f} kWh<extra></extra>",
    )
    drawn.update_layout(showlegend=False)
    style.month_axis(drawn, rows.height)
    drawn.update_yaxes(title_text="kWh a month", tickformat=",.0f")
    said = [(month, style.kwh(v)) for month, v in zip(rows["month"], export, strict=True) if v is not None]
    return style.described(drawn, said)
