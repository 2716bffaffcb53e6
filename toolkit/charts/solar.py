"""What the panels make and where it goes, in kWh. Generation is an estimate, so it is drawn with its range."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look


def where_it_goes(generation_kwh: tuple[float, float, float], export_kwh: float, *, look: Look = LIGHT) -> go.Figure:
    """Draw exports (measured) and use at home (the rest of the estimate), with the estimate's range.

    generation_kwh: low, middle and high estimate.
    """
    low, mid, high = generation_kwh
    drawn = style.figure("Where your solar goes", look, height=240)
    for name, energy, color in (
        ("Exported (measured)", export_kwh, style.EXPORT),
        (
            "Used at home (estimate)" if low < high else "Used at home (measured)",
            max(mid - export_kwh, 0.0),
            style.GREEN,
        ),
    ):
        drawn.add_bar(
            x=[energy],
            y=[""],
            orientation="h",
            name=name,
            marker_color=color,
            hovertemplate="%{x:,.0f} kWh<extra>%{fullData.name}</extra>",
        )
    if low < high:
        drawn.data[-1].error_x = style.whisker(max(mid - low, 0.0), max(high - mid, 0.0), look)
    drawn.update_layout(barmode="stack", bargap=0.5)
    drawn.update_xaxes(title_text="kWh", tickformat=",.0f", rangemode="tozero")
    drawn.update_yaxes(showticklabels=False, showgrid=False)
    generated = f"{style.kwh(low)} to {style.kwh(high)}" if low < high else style.kwh(mid)
    return style.described(drawn, [("generated", generated), ("exported", style.kwh(export_kwh))])


def expected_by_month(rows: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Draw generation by month next to what such panels make in a typical one, with its range.

    rows: `month` (`YYYY-MM`), `kwh`, `low`, `mid`, `high`.
    """
    drawn = style.figure("Generated, and expected in a typical month", look)
    months = [f"{month}-01" for month in rows["month"]]
    drawn.add_bar(x=months, y=rows["kwh"].to_list(), name="Generated", marker_color=style.GREEN)
    drawn.add_scatter(
        x=months, y=rows["mid"].to_list(), name="Expected", mode="markers", marker={"color": style.EXPORT, "size": 8}
    )
    above, below = (rows["high"] - rows["mid"]).to_list(), (rows["mid"] - rows["low"]).to_list()
    drawn.data[-1].error_y = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5}
    style.month_axis(drawn, rows.height)
    drawn.update_yaxes(title_text="kWh a month", tickformat=",.0f", rangemode="tozero")
    texts = [
        (month, f"{style.kwh(kwh)}, expected {style.kwh(low)} to {style.kwh(high)}")
        for month, kwh, low, _, high in rows.iter_rows()
    ]
    return style.described(drawn, texts)


def export_by_month(rows: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Draw measured export for each month. rows: `month` (`YYYY-MM`), `export_kwh`."""
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
    months = zip(rows["month"], export, strict=True)
    return style.described(drawn, [(month, style.kwh(energy)) for month, energy in months if energy is not None])
