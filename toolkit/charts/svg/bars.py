"""The bars of a figure: stacked, side by side, or as the steps of a waterfall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolkit.charts.svg.scale import Scale, category_scale, kind_of, label_of, smallest_gap, written


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar as numbers on both axes. across: its middle; first, last: its ends on the axis of lengths.

    series: number of its trace. label: written next to it. title: what it shows.
    """

    across: float
    thickness: float
    first: float
    last: float
    color: str
    label: str
    title: str
    series: int


def is_horizontal(traces: Sequence[Any]) -> bool:
    """Return whether bars lie, so that their lengths are on the x axis."""
    return any(trace.type == "bar" and trace.orientation == "h" for trace in traces)


def color_of(number: int, trace: Any, palette: Sequence[str]) -> str:
    """Return the colour of a trace: its own, else the palette's by its number."""
    color = trace.marker.color if trace.type == "bar" else trace.line.color or trace.marker.color
    return color if isinstance(color, str) else palette[number % len(palette)]


def placed_bars(layout: Any, traces: Sequence[Any]) -> list[Bar]:
    """Return every bar: stacked from zero where the figure stacks, side by side where it does not."""
    bars = [(number, trace) for number, trace in enumerate(traces) if trace.type in ("bar", "waterfall")]
    if not bars:
        return []
    horizontal = is_horizontal(traces)
    stand_axis, length_axis = (layout.yaxis, layout.xaxis) if horizontal else (layout.xaxis, layout.yaxis)
    every = [value for _, trace in bars for value in (trace.y if horizontal else trace.x)]
    kind = kind_of(stand_axis, every)
    stand = category_scale(stand_axis, map(str, every)) if kind == "category" else Scale(kind, (), 0, 1, 0, 1, ())
    places = [stand.number(value) for value in every]
    # Months differ in length: plotly takes the shortest as the width of all, and so does this.
    room = smallest_gap(places) if len(set(places)) > 1 else (1.0 if kind == "category" else 30.0)
    thickness = room * (1 - float(layout.bargap or 0.2))
    own = [
        list(_bars_of(number, trace, stand, length_axis.tickformat, layout.template.layout.colorway))
        for number, trace in bars
    ]
    if layout.barmode in ("relative", "stack"):
        return [replace(bar, thickness=thickness) for bar in _stacked(own)]
    slim = thickness / len(bars)
    return [
        replace(bar, across=bar.across + (place - (len(bars) - 1) / 2) * slim, thickness=slim)
        for place, series in enumerate(own)
        for bar in series
    ]


def _stacked(series: Sequence[Sequence[Bar]]) -> Iterator[Bar]:
    """Yield bars on top of those before them; negative ones below zero."""
    up: dict[float, float] = {}
    down: dict[float, float] = {}
    for bar in (bar for own in series for bar in own):
        ends = up if bar.last >= 0 else down
        start = ends.get(bar.across, 0.0)
        ends[bar.across] = start + bar.last
        yield replace(bar, first=start, last=start + bar.last)


def _bars_of(number: int, trace: Any, stand: Scale, tickformat: str | None, palette: Sequence[str]) -> Iterator[Bar]:
    """Yield the bars of one trace from zero, or of a waterfall each from where the one before it ended."""
    names, lengths = (trace.y, trace.x) if trace.orientation == "h" else (trace.x, trace.y)
    exact = tickformat.replace(".0f", ".2f") if tickformat and tickformat.startswith("$") else ",.1f"
    level = 0.0
    for place, (name, length) in enumerate(zip(names, lengths, strict=True)):
        if length is None:
            continue
        first, last = 0.0, float(length)
        if trace.type == "waterfall":
            first, last = (level, level + last) if trace.measure[place] == "relative" else (0.0, last)
            level = last
        label = label_of(trace.text[place]) if trace.text is not None else ""
        title = f"{label_of(name) or label_of(trace.name or '')}: {written(float(length), exact)}"
        yield Bar(stand.number(name), 1.0, first, last, _bar_color(number, trace, place, palette), label, title, number)


def _bar_color(number: int, trace: Any, place: int, palette: Sequence[str]) -> str:
    if trace.type == "waterfall":
        kind = trace.increasing if trace.y[place] >= 0 else trace.decreasing
        kind = kind if trace.measure[place] == "relative" else trace.totals
        return str(kind.marker.color)
    color = trace.marker.color
    return color_of(number, trace, palette) if color is None or isinstance(color, str) else str(color[place])
