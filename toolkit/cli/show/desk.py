"""What needs attention, and the table of households, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from toolkit.answers.insights import Desk, DeskHousehold, Insights
from toolkit.cli.output import aud, day, printable, sentence, table
from toolkit.flows.wording import counted

NONE = "–"
AMOUNTS = ("next bill", "saving a year", "lowest balance", "bills that differ")


def insights(answer: Insights) -> Iterator[str]:
    """Yield each sentence with its id."""
    for insight in answer.insights:
        yield f"{sentence(insight.text)} ({insight.id})"
    if not answer.insights:
        yield "Nothing needs attention."


def desk(answer: Desk) -> Iterator[str]:
    """Yield a table of the households; columns without a value in any row are left out, as on the page."""
    columns = {
        "household": [home.name for home in answer.households],
        "data to": [day(home.data_to) for home in answer.households],
        "next bill": [aud(home.next_bill) for home in answer.households],
        "saving a year": [aud(home.saving) for home in answer.households],
        "lowest balance": [_low_point(home) for home in answer.households],
        "bills that differ": [
            NONE if home.bills_that_differ is None else str(home.bills_that_differ) for home in answer.households
        ],
        "link": [", ".join(link.state for link in home.links) or NONE for home in answer.households],
        "consent from": [_first(consent.date for consent in home.consents) for home in answer.households],
        "consent ends": [
            _first(consent.ends_at.date() for consent in home.consents if consent.ends_at) for home in answer.households
        ],
        "purpose": [home.purpose or NONE for home in answer.households],
        "follow up": [day(home.follow_up) for home in answer.households],
        "figures of": [day(home.as_of) for home in answer.households],
    }
    shown = {head: cells for head, cells in columns.items() if any(cell != NONE for cell in cells)}
    amounts = [place for place, head in enumerate(shown) if head in AMOUNTS]
    yield from table(tuple(shown), zip(*shown.values(), strict=True), right=amounts)
    if not answer.households:
        yield "No household yet."
    for home in answer.households:
        if home.note:
            yield f"{printable(home.name)}: {printable(home.note)}"
    if answer.archived:
        yield f"{answer.archived} archived and not listed."


def _low_point(home: DeskHousehold) -> str:
    low = NONE if home.low_point is None else f"{aud(home.low_point.p50)} on {day(home.low_point.date)}"
    return f"{low}, without {counted(home.accounts_left_out, 'account')}" if home.accounts_left_out else low


def _first(days: Iterable[date | None]) -> str:
    return day(min((each for each in days if each), default=None))
