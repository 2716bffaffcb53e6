"""Parts that several pages share: metrics, charts, tables with a download, the choice of a period, empty states."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Literal, NoReturn, TypeVar
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import polars as pl
import streamlit as st
from msgspec import Struct
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.column_types import ColumnConfig
from streamlit.elements.lib.mutable_tab_container import TabContainer
from streamlit.navigation.page import Page

from toolkit.answers import base
from toolkit.answers.base import Note, to_builtins, with_signs
from toolkit.charts import style, values
from toolkit.pages.text import message, plain, readable
from toolkit.problems import Problem, grouped
from toolkit.units import DEFAULT_ZONE, HOME_CURRENCY, zone_key

K = TypeVar("K")
T = TypeVar("T")
Cell = str | int | float | Decimal | date | None
Row = Mapping[str, Cell]
"""A row of a table made on the page: column → what stands in it."""
Rows = Sequence[Row] | Sequence[Struct]
"""Rows of a table: parts of an answer, or mappings made on the page."""

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
"""What `day_field` takes."""
NARROW = 160
"""Pixels of the least width of a figure."""
_IN_A_ROW = 5

FEW_PROBLEMS = 6
"""So many are shown as lines of text, in sight without a click after an import."""
WHERE_WIDTH, REASON_WIDTH = 220, 700
"""Pixels of the columns of many."""
REASON_HEIGHT = 60
"""Pixels of two lines of text in a table's cell, which then wraps."""
AS_TABLE = "Show as a table"
TAB = "tab"
"""The parameter of the address that names the open tab."""
BY_KEYBOARD = "By keyboard: arrow keys, then Shift and Space."
"""Streamlit's table takes the keyboard, and shows where it is, but does not say how a row is selected. This stands
below a table while the keyboard is in it, and is always there for a screen reader."""
PICKED_FROM = "picked-from-"
"""Begins the key of a table of which a row can be picked, with the sentence on the keyboard."""
_LONGEST_CELL = 300
"""Characters of a text in a table; the download has all of it."""
REFUSED = "Not saved yet. The form says what to correct."
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
SPANS = {"Last 30 days": 30, "Last 3 months": 91, "Last 12 months": 365, "Everything": None, "Choose dates": None}


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure with its label, and a link to what it is made of. help: shown on hover. note: shown below."""

    label: str
    value: str
    help: str | None = None
    note: str | None = None
    page: str | None = None
    """The page that shows what the figure is made of."""
    tab: str | None = None
    """The tab of that page; its first where None, or where the page does not have it."""
    place: tuple[str, str] | None = None
    """What the figure is made of, and the anchor of the part of this page that shows it."""
    opens: tuple[str, Callable[[], None]] | None = None
    """What the figure is made of, and a callback that opens it."""

    @property
    def is_linked(self) -> bool:
        """Return whether it leads to what it is made of."""
        return bool(self.page or self.place or self.opens)


def metrics(shown: Sequence[Metric], *, key: str = "") -> None:
    """Figures side by side, as many as fit; `help` explains the word in the label.

    key: distinguishes figures of the same label on one page.
    """
    with st.grid("auto", min_column_width=NARROW):
        for metric in shown:
            if not metric.is_linked:
                _metric(metric, border=True)
                continue
            with st.container(border=True, height="stretch", gap=None, key=f"figure-{key}{metric.label}"):
                _metric(metric, border=False)
                _link(metric, key)


def metrics_in_a_row(shown: Sequence[Metric], *, key: str = "") -> Sequence[Metric]:
    """Show as many figures as fit side by side on a laptop; return the others, to be shown below the chart."""
    metrics(shown[:_IN_A_ROW], key=key)
    return shown[_IN_A_ROW:]


def _link(metric: Metric, key: str) -> None:
    if metric.page is not None:
        link(metric.page, f"{PAGES[metric.page].title} →", tab=metric.tab)
    elif metric.place is not None:
        name, anchor = metric.place
        st.markdown(f"[{name} ↓](#{anchor})")
    elif metric.opens is not None:
        name, opens = metric.opens
        st.button(f"{name} →", key=f"made-of-{key}{metric.label}", type="tertiary", on_click=opens)


def _metric(metric: Metric, *, border: bool) -> None:
    st.metric(
        metric.label,
        metric.value,
        help=metric.help,
        border=border,
        height="stretch",
        delta=metric.note,
        delta_color="off",
        delta_arrow="off",
    )


def dated(shown: Sequence[Metric], last: date | None) -> list[Metric]:
    """Return the figures, each with the last day of its meter data in sight; as they are where `last` is None."""
    if last is None:
        return list(shown)
    day = style.day(last)
    return [
        metric
        if day in (metric.note or "")
        else replace(metric, note=", ".join(filter(None, [metric.note, f"data to {day}"])))
        for metric in shown
    ]


def look() -> style.Look:
    """Return the colours of the theme in use."""
    return style.look_named(st.context.theme.type)


def chart(figure: go.Figure, *, key: str, on_pick: Callable[[str], None] | None = None) -> None:
    """Show a figure, and its data as a table to open. on_pick: called with `key` when a person picks a bar."""
    config = {"displaylogo": False, "displayModeBar": False, "responsive": True, "scrollZoom": False}
    st.plotly_chart(
        figure,
        theme=None,
        key=key,
        config=config,
        alt=style.alt(figure),
        on_select="ignore" if on_pick is None else lambda: on_pick(key),
        selection_mode="points",
    )
    with st.popover(AS_TABLE, type="tertiary", key=f"table-of-{key}", on_change="rerun") as opened:
        if opened.open:
            _figures_of(figure, key)


def selected(key: str, what: Literal["points", "rows"]) -> list[Any]:
    """Return what is selected in a chart or table; nothing where it was forgotten, as the household was changed."""
    kept = st.session_state.get(key)
    return [] if kept is None else kept["selection"][what]


def picked_day(chart: str) -> date | None:
    """Return the day, or the first of the month, that is picked in a chart over time; None where nothing is."""
    points = selected(chart, "points")
    return date.fromisoformat(str(points[0]["x"])[:10]) if points else None


def _figures_of(figure: go.Figure, key: str) -> None:
    """Show what a figure draws as a table, and its download."""
    shown = values.columns(figure)
    names = [f"column {number}" for number, _ in enumerate(shown)]  # headings may come from outside
    st.dataframe(
        as_shown(pl.DataFrame({name: column.values for name, column in zip(names, shown, strict=True)}, strict=False)),
        column_config={name: COLUMN_OF[column.kind](column.name) for name, column in zip(names, shown, strict=True)},
        hide_index=True,
        placeholder="",
        width="content",
        alt=f"Table: {style.alt(figure).partition('.')[0]}",
    )
    text = csv_text(values.rows(figure))
    st.download_button("Download as CSV", text, f"{key}.csv", "text/csv", key=f"csv-chart-{key}", on_click="ignore")


def table(
    rows: pl.DataFrame | Rows,
    columns: Mapping[str, ColumnConfig],
    *,
    name: str,
    download: bool = True,
    on_pick: Callable[[int], None] | None = None,
    selectable: bool = False,
) -> None:
    """Show a table, and its download. columns: name → Streamlit column configuration, in the order to show.

    On the page, columns without a value in any row are left out. on_pick: called with the place of a row, from 0, when
    a person picks it. selectable: a row can be picked without it too; `selected` tells which is.
    """
    if not len(rows):
        return
    if not isinstance(rows, pl.DataFrame):
        listed = [{column: row.get(column) for column in columns} for row in to_builtins(list(rows))]
        rows = pl.DataFrame(listed, infer_schema_length=None)
    frame = rows.select(*columns)
    filled = [column.name for column in frame if not all(value in (None, "") for value in column)]
    shown = as_shown(frame.select(filled))
    key = f"table-{name}"

    def picked() -> None:
        if on_pick is not None and (places := selected(key, "rows")):
            on_pick(places[0])

    selectable = selectable or on_pick is not None
    with st.container(key=f"{PICKED_FROM}{name}") if selectable else nullcontext():
        st.dataframe(
            shown,
            column_config=dict(columns),
            hide_index=True,
            placeholder="",
            alt=f"Table: {name}",
            key=key if selectable else None,
            on_select=picked if selectable else "ignore",
            selection_mode="single-row",
        )
        if selectable:
            st.caption(BY_KEYBOARD)
    if download:
        _download(frame, columns, name)


def _download(frame: pl.DataFrame, columns: Mapping[str, ColumnConfig], name: str) -> None:
    st.download_button(
        "Download as CSV",
        table_csv(frame, columns),
        f"{name}.csv",
        "text/csv",
        key=f"csv-{name}",
        on_click="ignore",
    )


def as_shown(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as it may be drawn: amounts as numbers, texts with signs for control characters and cut."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    drawn = [
        pl.Series(name, [text if text is None else with_signs(text, length=_LONGEST_CELL) for text in frame[name]])
        for name in texts
    ]
    return frame.with_columns(pl.selectors.decimal().cast(pl.Float64), *drawn)


def table_csv(frame: pl.DataFrame, columns: Mapping[str, ColumnConfig]) -> str:
    """Write a table as CSV, under the headings that it has on the page; columns: as of `table`."""
    headings = {name: columns[name]["label"] or name for name in frame.columns}
    is_distinct = len(set(headings.values())) == len(headings)
    return csv_text((frame.rename(headings) if is_distinct else frame).to_dicts())


def csv_text(rows: Sequence[Row]) -> str:
    """Write rows as CSV, one column for each name in any row; texts that a spreadsheet would run get an apostrophe."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")  # so that a lone CR in a text is quoted as well
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return written.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def money(label: str, help: str | None = None) -> ColumnConfig:  # noqa: A002  Streamlit's word
    """Return a column of dollars."""
    return st.column_config.NumberColumn(label, format="dollar", help=help)


def amounts(label: str, currencies: Iterable[str]) -> ColumnConfig:
    """Return a column of dollars; of bare figures where some rows have another currency."""
    home = all(currency == HOME_CURRENCY for currency in currencies)
    return money(label) if home else number(label, "%,.2f")


def number(label: str, pattern: str = "%,.1f", help: str | None = None) -> ColumnConfig:  # noqa: A002  Streamlit's word
    """Return a column of numbers in a printf pattern; a comma in it separates thousands."""
    return st.column_config.NumberColumn(label, format=pattern, help=help)


def count(label: str, help: str | None = None) -> ColumnConfig:  # noqa: A002  Streamlit's word
    """Return a column of whole numbers, with separators of thousands."""
    return st.column_config.NumberColumn(label, format="localized", help=help)


def day(label: str) -> ColumnConfig:
    """Return a column of days."""
    return st.column_config.DateColumn(label, format="D MMM YYYY")


def timestamp(label: str, pattern: str = "D MMM YYYY, HH:mm", *, in_utc: bool = False) -> ColumnConfig:
    """Return a column of days with the time. in_utc: instants, to be shown in the reader's time zone."""
    return st.column_config.DatetimeColumn(label, format=pattern, timezone=time_zone() if in_utc else None)


def time_zone() -> str:
    """Return the time zone of the reader's browser; Sydney's where it is not known."""
    return zone_key(st.context.timezone or "") or DEFAULT_ZONE  # browsers may call theirs `Etc/Unknown`


def local_day(instant: datetime) -> date:
    """Return the day of an instant in the reader's time zone."""
    return instant.astimezone(ZoneInfo(time_zone())).date()


def month(label: str) -> ColumnConfig:
    """Return a column of months."""
    return st.column_config.DateColumn(label, format="MMM YYYY")


def words(label: str, width: int | None = None) -> ColumnConfig:
    """Return a column of text. width: px, where Streamlit's would cut texts that are all as long."""
    return st.column_config.TextColumn(label, width=width)


COLUMN_OF: Mapping[values.Kind, Callable[[str], ColumnConfig]] = {
    "text": words,
    "day": day,
    "month": month,
    "time": timestamp,
    "money": money,
    "number": partial(number, pattern="%,.2f"),
}
"""Kind of a column of a chart's table → how it is shown."""


class Period(base.Period, frozen=True):
    """A period of days that a page shows as words."""

    def __str__(self) -> str:
        return f"{style.day(self.first)} to {style.day(self.last)}"


def period(stored: Period, *, default: str = "Last 12 months") -> Period:
    """Choose a part of the stored days, counted back from the newest; the choice is kept on every page."""
    names = list(SPANS)
    span = st.selectbox(
        "Period", names, index=names.index(default), key="span", persist_state="session", bind="query-params", width=220
    )
    if span == "Choose dates":
        return dates(stored, key="dates")
    days = SPANS[span or default]
    if days is None:
        return stored
    if stored.days < days:
        st.caption(f"Data covers {stored} only.")
    return Period(max(stored.first, stored.last - timedelta(days=days - 1)), stored.last)


def day_field(
    place: DeltaGenerator, label: str, stored: date | None, *, key: str, hint: str | None = None
) -> date | None:
    """Let a person type a day, or none; the flow refuses a year that cannot be meant.

    Days out of Streamlit's own range, ten years each way, stay in the browser: the form is sent without them.
    """
    chosen = place.date_input(
        label,
        stored,
        min_value=min(EARLIEST, stored or EARLIEST),
        max_value=max(LATEST, stored or LATEST),
        format="DD/MM/YYYY",
        key=key,
        help=hint,
    )
    return chosen if isinstance(chosen, date) else None


def dates(stored: Period, *, key: str) -> Period:
    """Choose any days among the stored ones."""
    chosen = st.date_input(
        "First and last day",
        (stored.first, stored.last),
        min_value=stored.first,
        max_value=stored.last,
        format="DD/MM/YYYY",
        key=key,
        width=280,
    )
    return Period(chosen[0], chosen[-1]) if isinstance(chosen, tuple) and len(chosen) == 2 else stored


def empty(what: str, how: str, *, page: str = "data", label: str = "Go to Data", tab: str | None = None) -> None:
    """Show what is missing, and a link to the page, and the tab of it, where it is given."""
    with st.container(border=True):
        st.subheader(what)
        st.markdown(how)
        link(page, f"**{label} →**", tab=tab)


def link(page: str, label: str, *, tab: str | None = None, **asked: str) -> None:
    """Show a link to a page, which opens one of its tabs; the first where `tab` is None or no tab of the page.

    asked: what else its address says.
    """
    st.page_link(PAGES[page], label=label, query_params={**(_in_address(tab) or {}), **asked} or None)


def go_to(page: str, *, tab: str | None = None) -> NoReturn:
    """Leave for a page, and for one of its tabs, as `link` leads to."""
    st.switch_page(PAGES[page], query_params=_in_address(tab))


def _in_address(tab: str | None) -> dict[str, str] | None:
    return None if tab is None else {TAB: tab}


def tabs(names: Sequence[str], *, key: str, default: str | None = None) -> Sequence[TabContainer]:
    """Show tabs of which the address names the open one, so that a reload opens it again. default: without one."""
    asked = st.query_params.get(TAB)

    def note_in_address() -> None:
        if (chosen := st.session_state.get(key)) is not None:  # forgotten where the household was changed meanwhile
            st.query_params[TAB] = chosen

    # Not bound to the address by Streamlit: a page with a bound parameter cannot switch to another page.
    return st.tabs(names, default=asked if asked in names else default, key=key, on_change=note_in_address)


def open_tab(name: str, *, key: str) -> None:
    """Open another tab when the page is drawn next."""
    st.session_state[key] = st.query_params[TAB] = name


def draw_open_tab(drawn: Mapping[str, Callable[[], None]], *, key: str) -> None:
    """Show tabs, and draw what is in the open one."""
    for tab, draw in zip(tabs(list(drawn), key=key), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


SEVERAL_HOMES = "several-homes"
"""Whether another household may come on screen."""


def confirm(key: str) -> bool:
    """Say once what was done, as Markdown kept under a key; return whether something was.

    The message has a place of its own, also when it is gone: without it what stands below would move up, and Streamlit
    then closes what a person has opened there, with what is said in it.
    """
    done = st.session_state.pop(key, None)
    with st.empty():
        if done:
            say_done(done)
    return done is not None


def say_done(done: str) -> None:
    """Say in Markdown that something was done, here and over the page, where it is seen wherever the page stands.

    What is said over the page outlives it for some seconds: where there are several households it names nothing.
    """
    st.success(done)
    st.toast("Done." if st.session_state.get(SEVERAL_HOMES) else done, icon=":material/check:", duration="long")


def say_refused() -> None:
    """Say over the page that a form was not saved: the field that says why may be out of sight of its button."""
    st.toast(REFUSED, icon=":material/error:", duration="long")


def shown_by_form(stored: T, *, key: str, field: str) -> T:
    """Return what a form shows, whatever was stored since: what was stored when its fields were first drawn.

    field: key of one of its fields. Streamlit keeps what a field with a key shows for as long as it is drawn.
    """
    if field not in st.session_state:
        st.session_state[key] = stored
    shown: T = st.session_state.setdefault(key, stored)
    return shown


def last_drawn(now: T, *, key: str) -> T:
    """Return what the page showed when it was drawn last, which is what a click is about; note what it shows now."""
    before: T = st.session_state.get(key, now)
    st.session_state[key] = now
    return before


def distinct(labels: Mapping[K, str]) -> dict[K, str]:
    """Return labels as a field shows them; all differ, the later of two alike with a number.

    Of options that are alike Streamlit takes the last.
    """
    used: Counter[str] = Counter()
    found = {}
    for name, text in labels.items():
        label = readable(text)
        used[label] += 1
        found[name] = label if used[label] == 1 else f"{label} ({used[label]})"
    return found


def button_to(page: str, label: str, *, key: str) -> None:
    """Show a button that leads to another page."""
    if st.button(label, key=key, icon=":material/help:"):
        go_to(page)


def problems(rows: Sequence[Problem], *, key: str, is_open: bool = False) -> None:
    """List what could not be used, with place and reason: a few as lines, many as a table. is_open: in sight.

    Equal problems of a file's lines are one.
    """
    if not rows:
        return
    alike = grouped(rows)
    with st.expander(f"{len(alike)} thing{'s' if len(alike) > 1 else ''} to look at", expanded=is_open):
        shown = [{"where": message(problem.where), "reason": message(problem.reason)} for problem in alike]
        if len(shown) <= FEW_PROBLEMS:
            lines = [f"- {plain(each['where'])}: {plain(each['reason'])}" for each in shown]
            st.markdown("\n".join(lines))
            return
        columns = {"where": words("Where", WHERE_WIDTH), "reason": words("What is wrong", REASON_WIDTH)}
        frame = pl.DataFrame(shown)
        st.dataframe(
            as_shown(frame),
            column_config=columns,
            hide_index=True,
            row_height=REASON_HEIGHT,
            alt="Table: what could not be used",
        )
        _download(frame, columns, f"problems-{key}")


def notes(sentences: Sequence[Note | str], *, title: str = "How this was worked out") -> None:
    """Show how a figure was worked out, in sentences of the flow (they may quote a plan's words)."""
    shown = [note for note in sentences if not (isinstance(note, Note) and note.code in _OF_PUBLISHING)]
    if shown:
        with st.expander(title):
            st.markdown("\n".join(f"- {plain(message(note))}" for note in shown))


_OF_PUBLISHING = {"prices_in_cents", "date_order"}
"""Codes of notes on how a retailer wrote its data, which say nothing of the prices: they are left to commands."""


PAGES: dict[str, Page] = {}
"""The pages of `st.navigation` by name, so that one page can link to another; filled by the entry on every run."""
