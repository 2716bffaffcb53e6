"""The figures that a chart shows, as a table with named columns: whatever is drawn can be read and taken away."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Literal

import plotly.graph_objects as go

from toolkit.charts import style

Value = str | float | date | None
Kind = Literal["text", "day", "month", "time", "money", "number"]
"""`time` is a day with its time; a time of day is a text."""
NO_VALUES = "no values"
"""`meta` of a trace whose values others show, or that is there to be picked."""
BELOW_ZERO = "below zero"
"""`meta` of a trace that is drawn below zero though its values are not: what is exported, or owed."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}$")
_MONEY = re.compile(r"AUD|\$")
_AMOUNT_IN_LABEL = re.compile(r", −?\$[\d,.]+$")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of a chart. name: its heading. values: one a row."""

    name: str
    kind: Kind
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a trace shows: the name of its column, and a value at each place of the axis."""

    name: str
    places: Sequence[Value]
    values: Sequence[Value]


def columns(made: go.Figure) -> list[Column]:
    """Return the table of a chart: what its axis shows, and a column for each thing drawn, units in the headings."""
    traces = [trace for trace in made.data if trace.meta != NO_VALUES]
    if traces and traces[0].type == "sankey":
        found = _moves(traces[0])
    elif traces and traces[0].type == "heatmap":
        found = _cells(made, traces[0])
    else:
        found = _along_an_axis(made, traces)
    seen: Counter[str] = Counter()
    named = []
    for column in found:
        seen[column.name] += 1
        again = seen[column.name]
        named.append(replace(column, name=f"{column.name} ({again})") if again > 1 else column)
    return named


def rows(made: go.Figure) -> list[dict[str, Value]]:
    """Return the table of a chart as rows: heading → value."""
    table = columns(made)
    return [
        dict(zip([column.name for column in table], row, strict=True))
        for row in zip(*(column.values for column in table), strict=True)
    ]


def _moves(trace: Any) -> list[Column]:
    """Return what flows from where to where; the labels of bars end with their amount, which has its own column."""
    labels = [_AMOUNT_IN_LABEL.sub("", html.unescape(label)) for label in trace.node.customdata]
    return [
        Column("From", "text", [labels[number] for number in trace.link.source]),
        Column("To", "text", [labels[number] for number in trace.link.target]),
        Column("Amount", "money", list(trace.link.value)),
    ]


def _cells(made: go.Figure, trace: Any) -> list[Column]:
    """Return one row a cell of a map."""
    across = _axis_column(made.layout.xaxis, _listed(trace.x))
    along = _axis_column(made.layout.yaxis, _listed(trace.y))
    places = [(x, y) for y in along.values for x in across.values]
    return [
        replace(across, values=[x for x, _ in places]),
        replace(along, values=[y for _, y in places]),
        Column(trace.colorbar.title.text or "Value", "number", [value for line in trace.z for value in line]),
    ]


def _along_an_axis(made: go.Figure, traces: Sequence[Any]) -> list[Column]:
    """Return one row a place on the axis of bars or lines, and a column for each of them."""
    lying = any(getattr(trace, "orientation", None) == "h" for trace in traces)
    along, up = (made.layout.yaxis, made.layout.xaxis) if lying else (made.layout.xaxis, made.layout.yaxis)
    unit = up.title.text or ""
    is_money = bool(_MONEY.search(f"{unit}{up.tickformat or ''}"))
    drawn = [each for number, _ in enumerate(traces) for each in _drawn(traces, number, lying=lying)]
    # a place may come twice: an hour of the day on which clocks go back
    numbered = [list(_numbered(each.places)) for each in drawn]
    places = list(dict.fromkeys(place for each in numbered for place in each))
    axis = _axis_column(along, [place for place, _ in places])
    if axis.kind in ("day", "month", "time"):
        order = sorted(range(len(places)), key=lambda number: (str(axis.values[number]), places[number][1]))
        places = [places[number] for number in order]
        axis = replace(axis, values=[axis.values[number] for number in order])
    shown = [axis] if any(value != "" for value in axis.values) else []
    for each, at in zip(drawn, numbered, strict=True):
        values = dict(zip(at, each.values, strict=False))
        kind: Kind = "money" if is_money else "number"
        name = each.name or ("Amount" if is_money else "")
        heading = name if is_money or not unit else f"{name}, {unit}" if name else unit
        shown.append(Column(heading, kind, [values.get(place) for place in places]))
    return shown


def _drawn(traces: Sequence[Any], number: int, *, lying: bool) -> Iterator[_Drawn]:
    """Yield what one of the traces shows; both ends of a range are a column each."""
    trace = traces[number]
    places, values = (_listed(each) for each in ((trace.y, trace.x) if lying else (trace.x, trace.y)))
    name = html.unescape(trace.name or "")
    fill, following = getattr(trace, "fill", None), traces[number + 1 : number + 2]
    if fill == "toself":  # there along the top and back along the foot
        half = len(places) // 2
        yield _Drawn(f"{name}, from", places[half:], values[half:])
        yield _Drawn(f"{name}, to", places[:half], values[:half])
        return
    if not name and following and following[0].fill == "tonexty":  # shown with the other end of the range
        return
    if fill == "tonexty" and number and not traces[number - 1].name:
        upper = traces[number - 1]
        yield _Drawn(f"{name}, from", places, values)
        yield _Drawn(f"{name}, to", _listed(upper.x), _listed(upper.y))
        return
    below = trace.meta == BELOW_ZERO
    yield _Drawn(name, places, [-value if below and isinstance(value, float | int) else value for value in values])
    error = getattr(trace, "error_x" if lying else "error_y", None)
    if error is not None and error.array is not None:
        whole = [sum(each) for each in zip(*(other.x for other in traces), strict=True)] if lying else values
        name = "All together" if lying and len(traces) > 1 else name
        yield _Drawn(f"{name}, from", places, [_sum(a, b, -1) for a, b in zip(whole, error.arrayminus, strict=True)])
        yield _Drawn(f"{name}, to", places, [_sum(a, b, 1) for a, b in zip(whole, error.array, strict=True)])


def _sum(middle: Value, error: float | None, sign: int) -> Value:
    return middle + sign * error if isinstance(middle, float | int) and error is not None else None


def _numbered(places: Iterable[Value]) -> Iterator[tuple[Value, int]]:
    """Yield each place with the number of times that it came before."""
    seen: Counter[Value] = Counter()
    for place in places:
        yield place, seen[place]
        seen[place] += 1


def _axis_column(axis: Any, places: Sequence[Value]) -> Column:
    """Return the places on an axis under a heading: days as days, minutes of the day as times."""
    title = str(axis.title.text or "")
    if axis.type == "date" or (places and all(isinstance(place, date) or _is_day(place) for place in places)):
        return _of_days(places, is_by_month="%-d" not in (axis.tickformat or "%-d"))
    if title == "time of day" and all(isinstance(place, int) for place in places):
        return Column("Time of day", "text", [style.time_of_day(int(str(place))) for place in places])
    texts = [html.unescape(place) if isinstance(place, str) else str(place) for place in places]
    return Column(f"{title[:1].upper()}{title[1:]}" or "What", "text", texts)


def _of_days(places: Sequence[Value], *, is_by_month: bool) -> Column:
    moments = [datetime.fromisoformat(str(place)) for place in places]
    if any(moment.hour or moment.minute for moment in moments):
        return Column("Time", "time", moments)
    days = [moment.date() for moment in moments]
    is_month = is_by_month and all(day.day == 1 for day in days)
    return Column("Month" if is_month else "Day", "month" if is_month else "day", days)


def _is_day(place: Value) -> bool:
    return isinstance(place, str) and _DAY.match(place) is not None


def _listed(values: Any) -> list[Value]:
    return [] if values is None else [value.item() if hasattr(value, "item") else value for value in values]
