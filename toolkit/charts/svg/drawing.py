"""Draw a figure of `charts` as SVG: bars, steps of a waterfall, lines with bands, areas and heat maps.

What is drawn is read from the plotly figure, so both show the same numbers. No script, no font and no address is
needed; the same figure gives the same bytes. Bars and lines differ by patterns and dashes too, for paper without
colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any
from zlib import crc32

import plotly.graph_objects as go

from toolkit.charts.svg import marks
from toolkit.charts.svg.bars import Bar, color_of, is_horizontal, placed_bars
from toolkit.charts.svg.heat import heat_map
from toolkit.charts.svg.marks import Box
from toolkit.charts.svg.scale import Scale, category_scale, kind_of, label_of, numeric_scale, smallest_gap

WIDTH = 720
_LETTER = 0.56
"""Mean width of a letter, as a share of the font size."""
_SMALL, _BIG = 12, 16
_SMALLEST = 9
_TOP, _RIGHT = 40.0, 18.0
_LEGEND_LINE = 20.0
_COLOR_BAR = 64.0


def svg(figure: go.Figure, *, width: int = WIDTH) -> str:
    """Return a figure of `toolkit.charts` as one `<svg>` element. width: px; it scales to the page's width.

    Raises ValueError for a kind of trace that `toolkit.charts` does not draw.
    """
    return _Drawing(figure, width).drawn()


class _Drawing:
    """One figure, with its scales."""

    def __init__(self, figure: go.Figure, width: int) -> None:
        self._layout, self._alt = figure.layout, str(figure.layout.meta["alt"])
        self._traces: list[Any] = list(figure.data)
        kinds = {trace.type for trace in self._traces}
        if not kinds <= {"bar", "scatter", "waterfall", "heatmap"}:
            raise ValueError(f"a trace of type {', '.join(sorted(kinds))} is not drawn")
        self._look = self._layout.template.layout
        self._text, self._muted = str(self._look.font.color), str(self._look.xaxis.tickfont.color)
        self._grid = str(self._look.xaxis.gridcolor)
        self._identity = f"c{crc32(self._alt.encode()):08x}"
        self._width, self._height = float(width), float(self._layout.height or 380)
        self._horizontal = is_horizontal(self._traces)
        self._bars = placed_bars(self._layout, self._traces)
        self._x, self._y = self._scale("x"), self._scale("y")
        self._name_size = _SMALL
        self._plot = self._placed()

    def drawn(self) -> str:
        """Return the element."""
        words = label_of(self._layout.title.text)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {marks.px(self._width)} {marks.px(self._height)}" '
            f'role="img" aria-labelledby="{self._identity}" font-family="system-ui, sans-serif">'
            f'<title id="{self._identity}">{escape(self._alt)}</title>'
        )
        parts = [
            *self._definitions(),
            marks.text(words, 0, 20, size=_BIG, color=self._text),
            *self._axes(),
            *(part for number, trace in enumerate(self._traces) for part in self._drawn_trace(number, trace)),
            *self._legend(),
        ]
        return head + "".join(parts) + "</svg>"

    # ---- scales

    def _scale(self, name: str) -> Scale:
        axis = self._layout[f"{name}axis"]
        values = [value for trace in self._traces for value in (trace[name] if trace[name] is not None else ())]
        kind = kind_of(axis, [value for value in values if value is not None])
        stands = (name == "y") == self._horizontal
        if kind == "category":
            scale = category_scale(axis, map(str, values))
            return replace(scale, first=scale.last, last=scale.first) if axis.autorange == "reversed" else scale
        empty = Scale(kind, (), 0.0, 1.0, 0.0, 1.0, ())
        drawn = [trace for trace in self._traces if stands or trace.type not in ("bar", "waterfall")]
        listed = [value for trace in drawn for value in (trace[name] if trace[name] is not None else ())]
        numbers = [empty.number(value) for value in listed if value is not None]
        half, with_zero = 0.0, False
        if self._bars and stands:
            half = smallest_gap(numbers) / 2 if len(set(numbers)) > 1 else 15.0
        elif self._bars:
            numbers += [end for bar in self._bars for end in (bar.first, bar.last)] + list(self._range_ends())
            with_zero = True
        elif numbers and any(trace.type == "heatmap" for trace in self._traces):
            half = smallest_gap(numbers) / 2
            ends = (min(numbers) - half, max(numbers) + half)
            axis = axis if kind == "date" else go.layout.YAxis(axis, range=ends)
        scale = numeric_scale(axis, kind, numbers, with_zero=with_zero, half_step=half)
        return replace(scale, first=scale.last, last=scale.first) if axis.autorange == "reversed" else scale

    def _placed(self) -> Box:
        """Give both scales their places, and return the rectangle between the axes."""
        named = self._layout.yaxis.showticklabels is not False
        lines = [line for _, label in self._y.ticks for line in label.split("\n")] if named else []
        left = 10.0 + max((len(line) for line in lines), default=0) * _SMALL * _LETTER
        left += 18.0 if self._layout.yaxis.title.text else 0.0
        right = _RIGHT + (_COLOR_BAR if any(trace.type == "heatmap" for trace in self._traces) else 0.0)
        if self._x.kind == "linear" and self._x.ticks:  # the last label may stand at the very end
            right += len(self._x.ticks[-1][1]) * _SMALL * _LETTER / 2 - _RIGHT / 2
        right += 44.0 if self._horizontal and any(bar.label for bar in self._bars) else 0.0
        if self._x.kind == "category" and self._x.ticks:
            self._fit_names((self._width - left - right) / len(self._x.names))
        below = max((label.count("\n") + 1 for _, label in self._x.ticks), default=1) * 15.0 + 8.0
        below += 18.0 if self._layout.xaxis.title.text else 0.0
        below += _LEGEND_LINE * len(self._legend_lines())
        box = Box(left, _TOP, self._width - left - right, self._height - _TOP - below)
        self._x = replace(self._x, start=box.left, end=box.left + box.width)
        self._y = replace(self._y, start=box.top + box.height, end=box.top)
        return box

    def _fit_names(self, room: float) -> None:
        """Break the names below the columns into lines that fit side by side. room: px of a column."""
        longest = max(len(word) for _, label in self._x.ticks for word in label.split())
        self._name_size = int(min(_SMALL, max(_SMALLEST, room / (longest * _LETTER))))
        letters = max(int(room / (self._name_size * _LETTER)), 1)
        wrapped = [
            (number, textwrap.fill(" ".join(label.split()), letters, break_long_words=False))
            for number, label in self._x.ticks
        ]
        self._x = replace(self._x, ticks=tuple(wrapped))

    # ---- axes and legend

    def _axes(self) -> Iterator[str]:
        box, bottom = self._plot, self._plot.top + self._plot.height
        if self._layout.yaxis.showticklabels is not False:
            for number, label in self._y.ticks:
                y, more = self._y.place(number), label.count("\n")
                if self._y.kind != "category":
                    yield marks.line(box.left, y, box.left + box.width, y, self._grid)
                yield self._small(label, box.left - 6, y + 4 - more * 7, "end")
        for number, label in self._x.ticks:
            x = self._x.place(number)
            if self._x.kind == "linear":
                yield marks.line(x, box.top, x, bottom, self._grid)
            yield marks.text(label, x, bottom + 16, size=self._name_size, color=self._muted, anchor="middle")
        if self._y.kind == "linear" and min(self._y.first, self._y.last) < 0 < max(self._y.first, self._y.last):
            zero = self._y.place(0)
            yield marks.line(box.left, zero, box.left + box.width, zero, self._muted)
        if title := self._layout.xaxis.title.text:
            lines = max((label.count("\n") + 1 for _, label in self._x.ticks), default=1)
            yield self._small(label_of(title), box.left + box.width / 2, bottom + 16 + lines * 15, "middle")
        if title := self._layout.yaxis.title.text:
            turned = f'transform="rotate(-90 12 {marks.px(box.top + box.height / 2)})"'
            words = self._small(label_of(title), 12, box.top + box.height / 2, "middle")
            yield words.replace("<text ", f"<text {turned} ", 1)

    def _small(self, words: str, x: float, y: float, anchor: str) -> str:
        return marks.text(words, x, y, size=_SMALL, color=self._muted, anchor=anchor)

    def _named(self) -> list[tuple[int, Any, str]]:
        """Return number, trace and name of each series in the legend."""
        if self._layout.showlegend is False:
            return []
        named = [
            (number, trace, label_of(trace.name))
            for number, trace in enumerate(self._traces)
            if trace.name and trace.showlegend is not False
        ]
        return named if len(named) > 1 else []

    def _legend_lines(self) -> list[list[tuple[int, Any, str]]]:
        """Return the series of the legend, as many on a line as fit."""
        lines: list[list[tuple[int, Any, str]]] = []
        used = self._width
        for entry in self._named():
            wide = 40 + len(entry[2]) * _SMALL * _LETTER
            if used + wide > self._width:
                lines.append([])
                used = 0.0
            lines[-1].append(entry)
            used += wide
        return lines

    def _legend(self) -> Iterator[str]:
        lines = self._legend_lines()
        for row, entries in enumerate(lines):
            x, y = 0.0, self._height - _LEGEND_LINE * (len(lines) - row) + 6
            for number, trace, name in entries:
                yield from self._sample(number, trace, x, y)
                yield marks.text(name, x + 24, y + 10, size=_SMALL, color=self._text)
                x += 40 + len(name) * _SMALL * _LETTER

    def _sample(self, number: int, trace: Any, x: float, y: float) -> Iterator[str]:
        """Draw what a series looks like."""
        if trace.type == "bar":
            yield marks.bar(Box(x, y, 18, 11), self._color(number, trace), self._pattern(number), str(trace.name))
        elif trace.fill:
            yield marks.area([(x, y), (x + 18, y), (x + 18, y + 11), (x, y + 11)], _solid(trace.fillcolor))
        elif "lines" in (trace.mode or "lines"):
            yield self._line(number, trace, [(x, y + 6), (x + 20, y + 6)])
        else:
            yield marks.dot(x + 9, y + 6, 4, self._color(number, trace))

    def _definitions(self) -> Iterator[str]:
        patterns = [(number, self._pattern(number)) for number, trace in enumerate(self._traces) if trace.type == "bar"]
        drawn = [
            marks.pattern(name, marks.PATTERNS[self._series(number) % len(marks.PATTERNS)])
            for number, name in patterns
            if name
        ]
        if drawn:
            yield f"<defs>{''.join(drawn)}</defs>"

    def _series(self, number: int) -> int:
        """Return the place of a trace among those of its type."""
        kind = self._traces[number].type
        return sum(trace.type == kind for trace in self._traces[:number])

    def _pattern(self, number: int) -> str | None:
        """Return the id of a series' lines; the first series of bars has none."""
        place = self._series(number)
        return f"{self._identity}p{place}" if marks.PATTERNS[place % len(marks.PATTERNS)] else None

    def _color(self, number: int, trace: Any) -> str:
        return color_of(number, trace, self._look.colorway)

    # ---- traces

    def _drawn_trace(self, number: int, trace: Any) -> Iterator[str]:
        if trace.type == "heatmap":
            yield heat_map(trace, self._plot, self._x, self._y, color=self._muted)
        elif trace.type == "scatter":
            yield from self._scatter(number, trace)
        else:
            yield from (part for bar in self._bars if bar.series == number for part in self._bar(bar))
            if trace.type == "bar" and trace.error_x.array is not None:
                own = [bar for bar in self._bars if bar.series == number]
                for bar, (low, high) in zip(own, self._errors(trace), strict=True):
                    ends = self._x.place(low), self._x.place(high)
                    yield marks.whisker(*ends, self._y.place(bar.across), str(trace.error_x.color or self._text))

    def _errors(self, trace: Any) -> list[tuple[float, float]]:
        """Return the range at the end of each bar."""
        own = [bar.last for bar in self._bars if self._traces[bar.series] is trace]
        ranges = zip(own, trace.error_x.arrayminus, trace.error_x.array, strict=True)
        return [(end - below, end + above) for end, below, above in ranges]

    def _range_ends(self) -> Iterator[float]:
        for trace in self._traces:
            if trace.type == "bar" and trace.error_x.array is not None:
                yield from (end for ends in self._errors(trace) for end in ends)

    def _bar(self, bar: Bar) -> Iterator[str]:
        stand, length = (self._y, self._x) if self._horizontal else (self._x, self._y)
        ends = sorted((length.place(bar.first), length.place(bar.last)))
        sides = sorted(stand.place(bar.across + sign * bar.thickness / 2) for sign in (-1, 1))
        box = Box(ends[0], sides[0], ends[1] - ends[0], sides[1] - sides[0])
        if not self._horizontal:
            box = Box(sides[0], ends[0], sides[1] - sides[0], ends[1] - ends[0])
        is_series = self._traces[bar.series].type == "bar"
        yield marks.bar(box, bar.color, self._pattern(bar.series) if is_series else None, bar.title)
        if bar.label and self._horizontal:
            yield marks.text(bar.label, ends[1] + 4, (sides[0] + sides[1]) / 2 + 4, size=_SMALL, color=self._text)
        elif bar.label:
            middle = (sides[0] + sides[1]) / 2
            yield marks.text(bar.label, middle, ends[0] - 4, size=_SMALL, color=self._text, anchor="middle")

    def _scatter(self, number: int, trace: Any) -> Iterator[str]:
        points = self._points(trace)
        known = [point for point in points if point is not None]
        if trace.fill == "toself":
            yield marks.area(known, _solid(trace.fillcolor))
        elif trace.fill == "tonexty":
            before = [point for point in self._points(self._traces[number - 1]) if point is not None]
            yield marks.area([*known, *reversed(before)], _solid(trace.fillcolor))
        elif trace.fill == "tozeroy":
            zero = self._y.place(0)
            yield marks.area([(known[0][0], zero), *known, (known[-1][0], zero)], _solid(trace.fillcolor))
        if "lines" in (trace.mode or "lines") and trace.line.width != 0:
            yield self._line(number, trace, points)
        if "markers" in (trace.mode or ""):
            radius = (trace.marker.size or 6) / 2
            yield from (marks.dot(x, y, radius, self._color(number, trace)) for x, y in known)

    def _points(self, trace: Any) -> list[tuple[float, float] | None]:
        """Return the places of a trace's values; None where there is none."""
        return [
            None if y is None else (self._x.place(self._x.number(x)), self._y.place(self._y.number(y)))
            for x, y in zip(trace.x, trace.y, strict=True)
        ]

    def _line(self, number: int, trace: Any, points: Sequence[tuple[float, float] | None]) -> str:
        # The figure's own dash counts; solid lines next to each other get one by their order.
        lines = [other for other in self._traces if other.type == "scatter" and other.line.width != 0]
        place = next(place for place, other in enumerate(lines) if other is trace)
        own = marks.DASHES[trace.line.dash or "solid"]
        dash = own or marks.LINE_DASHES[place % len(marks.LINE_DASHES)]
        steps = trace.line.shape == "hv"
        return marks.path(points, color=self._color(number, trace), width=trace.line.width or 2, dash=dash, steps=steps)


def _solid(color: str | None) -> str:
    """Return a colour with its transparency blended into white: paper and old viewers know no transparent fills."""
    if color is None or not color.startswith("rgba"):
        return color or "#dfe5ea"
    red, green, blue, part = (float(value) for value in color[5:-1].split(","))
    mixed_in = (round(255 - (255 - value) * part) for value in (red, green, blue))
    return "#" + "".join(f"{value:02x}" for value in mixed_in)
