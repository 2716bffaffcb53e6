"""Sections become one HTML page for screen and A4 paper. All text is data: escaped, never markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

import plotly.graph_objects as go

from toolkit.answers.base import with_signs
from toolkit.charts.svg.drawing import svg

_SHORT = 6
"""Up to so many rows a table is printed on one page."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The page runs no script and makes no request."""

OPENING = '<!doctype html>\n<html lang="en-AU"><head><meta charset="utf-8"><title>'
_POLICY_OPENING = """http-equiv="Content-Security-Policy" content="default-src 'none';"""
"""What this page has in common with that of earlier releases, where charts needed a script."""

STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1b2733; background: #fff }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3, p, dt, dd, caption, li { overflow-wrap: anywhere }
h1 { margin-bottom: 0; line-height: 1.2 } h2 { border-bottom: 2px solid #1b2733; padding-bottom: .2rem }
.when { color: #4a5663; margin-top: .3rem }
section { margin-top: 2.5rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem; margin: 1rem 0 }
dl div { border: 1px solid #b9c2cb; border-radius: .4rem; padding: .6rem .75rem }
dt { color: #4a5663; font-size: .85rem } dd { margin: 0; font-size: 1.25rem }
figure { margin: 1.5rem 0 } svg { width: 100%; height: auto }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
tbody th, tbody td { overflow-wrap: anywhere }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid #d5dbe1 }
tbody th { font-weight: 400; min-width: 7rem } tbody td { min-width: 4rem }
.number { padding-right: 1rem } .number:last-child { padding-right: 0 }
tr.sum > * { font-weight: 600; border-top: 1.5px solid #1b2733 }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.notes { color: #4a5663; font-size: .9rem } .words { white-space: pre-line }
@media screen and (max-width: 40rem) {
  body { margin: 1rem auto } th, td { overflow-wrap: anywhere } .number { white-space: normal }
  th, td { font-size: .85rem }
}
@page { size: A4; margin: 16mm 15mm }
@media print {
  :root { font-size: 10.5pt; color: #000 }
  body { margin: 0; padding: 0 1px; max-width: none }
  h2, h3, caption, tr.sum:not(:last-child), p:has(+ :is(figure, table, dl, h3, ul)) { break-after: avoid }
  p, tr, figure, dl, li, .short { break-inside: avoid }
  thead { display: table-header-group; break-after: avoid }
  tbody tr:first-child, tr:nth-last-child(-n+2) { break-before: avoid }
  .when, dt, .notes { color: #000 } figure { margin: .8rem 0 } svg { max-height: 72mm } svg text { fill: #000 }
}
"""
ONE_SHEET = """
@page { margin: 11mm 14mm }
@media print {
  :root { font-size: 8.5pt; line-height: 1.25 } h1 { font-size: 1.5em } h2 { font-size: 1.2em } h3 { margin: .3rem 0 }
  section { margin-top: .6rem } h2 { margin: .4rem 0 } dl, table, figure { margin: .4rem 0 }
  dl { grid-template-columns: repeat(5, 1fr) } dl div { padding: .3rem .5rem } svg { height: 34mm }
  ol { margin: .3rem 0 }
  th, td { padding: .05rem .5rem .05rem 0 } li { margin: .1rem 0 }
}
"""
"""Print rules under which a page of a chart, two tables and a list fits on one sheet."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a caption. numbers: columns aligned right. sums: numbers of the rows that are sums."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    sums: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """One question answered, as a section of the page.

    text: paragraphs below the title. facts: label and value, as people read them. parts: figures and tables in their
    order. steps: a numbered list, below its title. notes: what a reader should know about the figures.
    """

    title: str
    text: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    parts: Sequence[go.Figure | Table] = ()
    steps: tuple[str, Sequence[str]] = ("", ())
    notes: Sequence[str] = ()


def render(
    title: str, when: str, sections: Sequence[Section], *, opening: str = "", closing: str = "", one_sheet: bool = False
) -> str:
    """Return a whole HTML page.

    opening, closing: own words above and below the sections, as plain text. one_sheet: print it small.
    """
    style = STYLE + ONE_SHEET if one_sheet else STYLE
    return "\n".join(
        [
            f"{OPENING}{_text(title)}</title>",
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{style}</style></head><body><main>",
            f'<h1>{_text(title)}</h1><p class="when">{_text(when)}</p>',
            *_paragraphs(opening),
            *(part for number, section in enumerate(sections, 1) for part in _section(section, number)),
            *_paragraphs(closing),
            "</main></body></html>",
        ]
    )


def is_page(text: str) -> bool:
    """Return whether `render` wrote it, in this release or an earlier one."""
    return text.startswith(OPENING) and _POLICY_OPENING in text


def _section(section: Section, number: int) -> Iterator[str]:
    yield f'<section aria-labelledby="s{number}"><h2 id="s{number}">{_text(section.title)}</h2>'
    yield from (f"<p>{_text(paragraph)}</p>" for paragraph in section.text)
    if section.facts:
        cards = (f"<div><dt>{_text(label)}</dt><dd>{_text(value)}</dd></div>" for label, value in section.facts)
        yield f"<dl>{''.join(cards)}</dl>"
    for part in section.parts:
        yield from _table(part) if isinstance(part, Table) else [f"<figure>{svg(part)}</figure>"]
    title, steps = section.steps
    if steps:
        yield f"<h3>{_text(title)}</h3><ol>{''.join(f'<li>{_text(step)}</li>' for step in steps)}</ol>"
    if section.notes:
        yield f'<ul class="notes">{"".join(f"<li>{_text(note)}</li>" for note in section.notes)}</ul>'
    yield "</section>"


def _table(table: Table) -> Iterator[str]:
    # A column without any value, such as the reasons of bills that all agree, would only cost room.
    used = [place for place in range(len(table.head)) if place == 0 or any(row[place] for row in table.rows)]
    table = replace(
        table,
        head=[table.head[place] for place in used],
        rows=[[row[place] for place in used] for row in table.rows],
        numbers=frozenset(number for number, place in enumerate(used) if place in table.numbers),
    )
    short = ' class="short"' if len(table.rows) <= _SHORT else ""
    yield f"<table{short}><caption>{_text(table.caption)}</caption>"
    yield f"<thead>{_row(table.head, table, 'col')}</thead><tbody>"
    for number, row in enumerate(table.rows):
        yield _row(row, table, "row", "sum" if number in table.sums else "")
    yield "</tbody></table>"


def _row(cells: Sequence[str], table: Table, scope: str, kind: str = "") -> str:
    """Return the HTML of one row. scope: `col` for the head, `row` for rows that their first cell names."""
    made = []
    for place, cell in enumerate(cells):
        tag = f'th scope="{scope}"' if scope == "col" or place == 0 else "td"
        number = ' class="number"' if place in table.numbers else ""
        made.append(f"<{tag}{number}>{_text(cell)}</{tag[:2]}>")
    return f"<tr{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{''.join(made)}</tr>"


def _paragraphs(words: str) -> Iterator[str]:
    """Yield own words, a paragraph for each part between empty lines; line breaks stay."""
    parts = words.replace("\r\n", "\n").split("\n\n")
    yield from (f'<p class="words">{_text(part.strip())}</p>' for part in parts if part.strip())


def _text(text: str) -> str:
    """Return text as HTML; control and direction characters, which could hide or turn other text, become signs."""
    return escape("\n".join(with_signs(line) for line in text.split("\n")))
