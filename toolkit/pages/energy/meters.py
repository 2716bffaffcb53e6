"""The meter that a page is about, and its days."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.usage import MonthUsage, ServicePointUsage, Usage
from toolkit.charts import style
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import meter_labels
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, holdings
from toolkit.pages.widgets import Metric, Period

DIRECTIONS = {
    "import": "From the grid",
    "export": "Exported",
    "generation": "Generated",
    "reactive": "Reactive",
    "other": "Other",
}
"""Names of the directions of a register."""
FROM_BILLS = "From your bills: the energy of each is spread evenly over its days."


NO_METER_DATA = "No meter data yet"
YOUR_BILLS = "your bills"
OF_THE_METER = "Meter"
"""The tab of Usage with the registers of the meter and the equipment on record."""
_METER = "meter"


def metered(ctx: Context, missing: str, how_to_start: str) -> tuple[Context, ServicePointUsage] | None:
    """`ctx` for the meter that was chosen, and its usage; None, with a message on the page, where there is none."""
    if not holdings(ctx).meter:
        widgets.empty(missing, how_to_start)
        return None
    point = service_point(ctx, ask(usage, ctx))
    if point is None:
        st.info("There is no energy that can be priced.")
        return None
    return at_meter(ctx, point), point


def at_meter(ctx: Context, point: ServicePointUsage) -> Context:
    """Return the context for one meter."""
    return Context(ctx.db, ctx.today, ctx.household, point.service_point_id)


def days_of(point: ServicePointUsage) -> Period:
    """Return the days of a service point that has reads."""
    if point.from_ is None or point.to is None:
        raise ValueError(f"{point.service_point_id} has no reads")
    return Period(point.from_, point.to)


def service_point(ctx: Context, answer: Usage) -> ServicePointUsage | None:
    """Return the meter to show, chosen on the page where the home has several; None where none has reads."""
    points = {point.service_point_id: point for point in answer.service_points if point.from_ is not None}
    if len(points) < 2:
        return next(iter(points.values()), None)
    return points[choose_meter(ctx, list(points))]


def choose_meter(ctx: Context, points: Sequence[str]) -> str:
    """Return one of several service points by id, chosen by the name of its meter: the one of the page before."""
    names = ask(meter_labels, ctx)
    if st.session_state.get(_METER, points[0]) not in points:
        st.session_state[_METER] = points[0]
    return st.selectbox(
        "Meter",
        points,
        format_func=lambda point: names.get(point, point),
        key=_METER,
        persist_state="session",
        width=420,
    )


def is_from_bills(point: ServicePointUsage) -> bool:
    """Return whether a meter's energy is known from bills alone."""
    return any(note.code == "energy_from_bills" for note in point.notes)


def in_words(reads: pl.DataFrame) -> pl.DataFrame:
    """Return reads, or registers, with direction, quality and unit as a page words them."""
    changes: Mapping[str, Callable[[str], str]] = {
        "direction": lambda code: DIRECTIONS.get(code, code),
        "quality": style.words,
        "unit": lambda code: "kWh" if code == "KWH" else code,
    }
    return reads.with_columns(
        pl.Series(name, [None if code is None else worded(code) for code in reads[name]], pl.String)
        for name, worded in changes.items()
        if name in reads.columns
    )


def source_of(point: ServicePointUsage) -> str:
    """Return what a meter's energy is known from: your meter data, or your bills."""
    return YOUR_BILLS if is_from_bills(point) else "your meter data"


def days_missing(days: int, share: float) -> str | None:
    """Say how much of so many days has no reads, in days of 24 hours; None where nothing is missing. share: of it."""
    if share <= 0:
        return None
    missing = days * share
    return f"{counted(round(missing), 'day')} missing" if missing >= 1 else "under a day missing"


def known_shares(share: float | None, substituted: float | None, chosen: Period, source: str) -> list[Metric]:
    """Return how much of a period the meter data or bills cover, with the missing time in days of 24 hours.

    If some of the reads are estimated, how many follows. source: what the energy is known from, as `source_of`.
    """
    covered = share or 0.0
    gap = days_missing(chosen.days, 1 - covered)
    what = f"Covered by {source}" if source == YOUR_BILLS else source.removeprefix("your ").capitalize()
    shown = [Metric(what, percent(covered, 1), f"Share of the period that is known from {source}.", gap)]
    if substituted:
        what = "Share of the reads that your network estimated or substituted, as the meter gave none."
        shown.append(Metric("Estimated reads", percent(substituted, 1), what))
    return shown


def months(rows: MonthUsage) -> pl.DataFrame:
    """Return the rows by month as a frame with the first day of each month, so that months sort in order."""
    frame = rows.frame()
    return frame if frame.is_empty() else frame.with_columns(month=pl.concat_str("month", pl.lit("-01")).str.to_date())
