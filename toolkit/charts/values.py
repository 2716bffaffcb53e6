"""The figures that a chart shows, as rows: whatever is drawn can be taken away."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

Value = str | float | None
Row = dict[str, Value]
NO_VALUES = "no values"
"""`meta` of a trace that draws nothing: it is there to be picked."""


def rows(made: go.Figure) -> list[Row]:
    """Return one row a drawn value: `series`, then the two axes (and `value` of a map) as they are labelled."""
    return [row for trace in made.data if trace.meta != NO_VALUES for row in _trace(made, trace)]


def _trace(made: go.Figure, trace: Any) -> Iterator[Row]:
    """Yield the rows of one trace; columns are named after the axes."""
    if trace.type == "sankey":
        labels = [_text(label) for label in trace.node.customdata]
        for source, target, value in zip(trace.link.source, trace.link.target, trace.link.value, strict=True):
            yield {"from": labels[source], "to": labels[target], "AUD": value}
        return
    across, along = made.layout.xaxis.title.text or "x", made.layout.yaxis.title.text or "y"
    if along == across:  # two axes of one title would be one column
        along = f"{along} (y)"
    xs, ys = _listed(trace.x), _listed(trace.y)
    if trace.type == "heatmap":
        unit = trace.colorbar.title.text or "value"
        for y, line in zip(ys, trace.z, strict=True):
            yield from ({across: x, along: y, unit: z} for x, z in zip(xs, line, strict=True))
        return
    series = html.unescape(str(trace.name or made.layout.title.text))
    yield from ({"series": series, across: _text(x), along: _text(y)} for x, y in zip(xs, ys, strict=False))


def _listed(values: Any) -> list[Value]:
    return [] if values is None else list(values)


def _text(value: Value) -> Value:
    return html.unescape(value) if isinstance(value, str) else value
