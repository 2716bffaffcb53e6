"""Sections become one HTML page. All text is data: escaped, never markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from toolkit.answers.base import Note
from toolkit.charts.style import alt

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
"""The page may run its own scripts (plotly) and make no request."""

OPENING = '<!doctype html>\n<html lang="en-AU"><head><meta charset="utf-8"><title>'

STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1b2733; background: #fff }
body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
h1 { margin-bottom: 0 } .when { color: #5a6773; margin-top: 0 }
section { margin-top: 2.5rem; break-inside: avoid }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1rem; margin: 1rem 0 }
dl div { border: 1px solid #d8dee4; border-radius: .5rem; padding: .75rem }
dt { color: #5a6773; font-size: .85rem } dd { margin: 0; font-size: 1.35rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #e5e9ee }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.notes { color: #5a6773; font-size: .9rem }
@media print { body { margin: 0; max-width: none } }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One question answered, as a section of the page.

    facts: label and value, as people read them. rows: the first is the head; columns `numbers` are aligned right.
    notes: what was assumed.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    figures: Sequence[go.Figure] = ()
    rows: Sequence[Sequence[str]] = ()
    numbers: frozenset[int] = frozenset()
    notes: Sequence[Note | str] = ()


def render(title: str, when: str, sections: Sequence[Section]) -> str:
    """Return a whole HTML page, with plotly included once where there is a chart."""
    # Plotly's script (4 MB) goes in once, before the first chart that needs it.
    first_drawn = next((section for section in sections if section.figures), None)
    parts = [part for section in sections for part in _section(section, first=section is first_drawn)]
    return "\n".join(
        [
            f"{OPENING}{escape(title)}</title>",
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{STYLE}</style></head><body>",
            f'<h1>{escape(title)}</h1><p class="when">{escape(when)}</p>',
            *parts,
            "</body></html>",
        ]
    )


def is_page(text: str) -> bool:
    """Return whether `render` wrote it."""
    return text.startswith(OPENING) and POLICY in text


def _section(section: Section, *, first: bool) -> Iterator[str]:
    """Yield the HTML of one section. first: its first chart brings plotly's script."""
    yield f"<section><h2>{escape(section.title)}</h2>"
    if section.facts:
        cards = (f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in section.facts)
        yield f"<dl>{''.join(cards)}</dl>"
    for number, figure in enumerate(section.figures):
        with_plotly = first and number == 0
        drawing = figure.to_html(full_html=False, include_plotlyjs=with_plotly, config={"displaylogo": False})
        yield f'<div role="img" aria-label="{escape(alt(figure), quote=True)}">{drawing}</div>'
    yield from _table(section)
    if section.notes:
        yield f'<ul class="notes">{"".join(f"<li>{escape(str(note))}</li>" for note in section.notes)}</ul>'
    yield "</section>"


def _table(section: Section) -> Iterator[str]:
    """Yield the HTML of a section's rows; nothing without rows."""
    if not section.rows:
        return
    head, *body = section.rows
    yield "<table><thead>" + _row(head, "th", section.numbers) + "</thead><tbody>"
    yield from (_row(row, "td", section.numbers) for row in body)
    yield "</tbody></table>"


def _row(cells: Sequence[str], tag: str, numbers: frozenset[int]) -> str:
    """Return the HTML of one row. tag: `th` or `td`."""
    made = (
        f"<{tag}{' class=number' if place in numbers else ''}>{escape(cell)}</{tag}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(made)}</tr>"
