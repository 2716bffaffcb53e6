"""Marks: the shapes of bars, lines, areas and maps, in the drawing's own places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

DASHES = {"solid": "", "dash": "7 4", "dot": "2 3", "dashdot": "8 3 2 3"}
LINE_DASHES = ("", "7 4", "2 3", "8 3 2 3", "12 4")
"""Dashes of lines in the order they are drawn, so that lines differ without colour."""
PATTERNS = (
    "",
    "M0 6L6 0",
    "M0 0L6 6",
    "M0 3H6",
    "M3 0V6",
    "M0 3H6M3 0V6",
    "M0 0L6 6M0 6L6 0",
    "M2.4 3a.6.6 0 1 0 1.2 0a.6.6 0 1 0-1.2 0",
)
"""Lines over the fill of bars in the order of their series, so that bars differ without colour."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the drawing [px]."""

    left: float
    top: float
    width: float
    height: float


def px(value: float) -> str:
    """Write a place with at most one decimal."""
    return f"{round(value, 1) + 0.0:g}"


def text(lines: str, x: float, y: float, *, size: int, color: str, anchor: str = "start") -> str:
    """Draw a text; its lines go down from y. anchor: start, middle or end. Headings, larger than 14 px, are bold."""
    style = f'font-size="{size}" fill="{color}"' + (' font-weight="600"' if size > 14 else "")
    ends = "" if anchor == "start" else f' text-anchor="{anchor}"'
    first, *rest = lines.split("\n")
    more = "".join(f'<tspan x="{px(x)}" dy="{px(size * 1.2)}">{escape(line)}</tspan>' for line in rest)
    return f'<text x="{px(x)}" y="{px(y)}" {style}{ends}>{escape(first)}{more}</text>'


def line(x1: float, y1: float, x2: float, y2: float, color: str, *, width: float = 1) -> str:
    """Draw a straight line."""
    ends = f'x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"'
    return f'<line {ends} stroke="{color}" stroke-width="{px(width)}"/>'


def bar(box: Box, fill: str, pattern: str | None, title: str) -> str:
    """Draw a bar, with the lines of its series over it. title: what it shows, for who points at it."""
    shape = f'x="{px(box.left)}" y="{px(box.top)}" width="{px(box.width)}" height="{px(box.height)}"'
    over = f'<rect {shape} fill="url(#{pattern})"/>' if pattern else ""
    return f'<g><title>{escape(title)}</title><rect {shape} fill="{fill}" class="bar"/>{over}</g>'


def path(points: Iterable[tuple[float, float] | None], *, color: str, width: float, dash: str, steps: bool) -> str:
    """Draw a line through points; None is a gap. steps: each value lasts until the next."""
    parts: list[str] = []
    is_open = False
    for point in points:
        if point is None:
            is_open = False
            continue
        x, y = px(point[0]), px(point[1])
        parts.append(f"H{x}V{y}" if is_open and steps else f"{'L' if is_open else 'M'}{x} {y}")
        is_open = True
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    drawn = "".join(parts)
    return f'<path d="{drawn}" fill="none" stroke="{color}" stroke-width="{px(width)}"{dashed} class="line"/>'


def area(points: Sequence[tuple[float, float]], fill: str) -> str:
    """Draw a filled area with this outline."""
    outline = " ".join(f"{px(x)},{px(y)}" for x, y in points)
    return f'<polygon points="{outline}" fill="{fill}" class="area"/>'


def dot(x: float, y: float, radius: float, color: str) -> str:
    """Draw a marker."""
    return f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(radius)}" fill="{color}" class="dot"/>'


def whisker(left: float, right: float, y: float, color: str) -> str:
    """Draw a range from left to right with ends."""
    ends = "".join(line(x, y - 6, x, y + 6, color, width=2) for x in (left, right))
    return f'<g class="range">{line(left, y, right, y, color, width=2)}{ends}</g>'


def pattern(identity: str, drawn: str) -> str:
    """Define the lines of a series, white over its colour."""
    lines = f'<path d="{drawn}" stroke="#fff" stroke-width="1.3" fill="none"/>'
    return f'<pattern id="{identity}" width="6" height="6" patternUnits="userSpaceOnUse">{lines}</pattern>'
