"""A heat map as an image, with its scale of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolkit.charts.svg import marks
from toolkit.charts.svg.marks import Box
from toolkit.charts.svg.png import heat_png, mixed
from toolkit.charts.svg.scale import Scale, label_of, smallest_gap, written

_STEPS = 16


def heat_map(trace: Any, box: Box, x: Scale, y: Scale, *, color: str) -> str:
    """Draw the values of a trace as pixels between the axes; days and times without a value stay blank."""
    if trace.x is None or len(trace.x) == 0:
        return ""
    stops = [(float(place), str(shade)) for place, shade in trace.colorscale]
    columns, rows = _steps(x, trace.x), _steps(y, trace.y)
    pixels: list[list[float | None]] = [[None] * (max(columns) + 1) for _ in range(max(rows) + 1)]
    for row, values in zip(rows, trace.z, strict=True):
        for column, value in zip(columns, values, strict=True):
            pixels[row][column] = value
    if y.first < y.last:
        pixels.reverse()  # an image goes down, this axis up
    left, right = sorted(x.place(x.number(value)) for value in (trace.x[0], trace.x[-1]))
    half = (right - left) / max(columns) / 2 if max(columns) else box.width / 2
    shape = f'x="{marks.px(left - half)}" y="{marks.px(box.top)}" width="{marks.px(right - left + 2 * half)}"'
    image = (
        f'<image {shape} height="{marks.px(box.height)}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="{heat_png(pixels, stops)}"/>'
    )
    known = [value for row in pixels for value in row if value is not None]
    if not known:
        return image
    start, tall = box.left + box.width + 14, box.height - 40
    return image + "".join(
        [
            *(_shade(mixed(1 - place / (_STEPS - 1), stops), start, box.top, place, tall) for place in range(_STEPS)),
            marks.text(label_of(trace.colorbar.title.text or ""), start, box.top + 8, size=12, color=color),
            marks.text(_short(max(known)), start + 16, box.top + 26, size=12, color=color),
            marks.text(_short(min(known)), start + 16, box.top + 16 + tall, size=12, color=color),
        ]
    )


def _steps(scale: Scale, values: Sequence[object]) -> list[int]:
    """Return the place of each value among steps of equal size, so that a day left out leaves a blank."""
    numbers = [scale.number(value) for value in values]
    step = smallest_gap(numbers)
    return [round((number - min(numbers)) / step) for number in numbers]


def _shade(color: tuple[int, int, int], x: float, top: float, place: int, tall: float) -> str:
    red, green, blue = color
    y, height = top + 16 + place * tall / _STEPS, tall / _STEPS + 0.5
    return (
        f'<rect x="{marks.px(x)}" y="{marks.px(y)}" width="12" height="{marks.px(height)}" '
        f'fill="#{red:02x}{green:02x}{blue:02x}"/>'
    )


def _short(value: float) -> str:
    return written(float(f"{value:.3g}"), None)
