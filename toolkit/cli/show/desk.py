"""What needs attention, and the table of households, as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.insights import Desk, DeskHousehold, Insights
from toolkit.cli.output import aud, day, printable, sentence, table
from toolkit.flows.wording import counted


def insights(answer: Insights) -> Iterator[str]:
    """Yield each sentence with its id."""
    for insight in answer.insights:
        yield f"{sentence(insight.text)} ({insight.id})"
    if not answer.insights:
        yield "Nothing needs attention."


def desk(answer: Desk) -> Iterator[str]:
    """Yield a table of the households."""
    rows = [
        (
            home.name,
            day(home.data_to),
            aud(home.next_bill),
            aud(home.saving),
            _low_point(home),
            "–" if home.bills_that_differ is None else str(home.bills_that_differ),
            day(min((c.ends_at.date() for c in home.consents if c.ends_at), default=None)),
            day(home.follow_up),
            day(home.as_of),
        )
        for home in answer.households
    ]
    head = ("household", "data to", "next bill", "saving a year", "lowest balance", "bills that differ")
    yield from table((*head, "consent ends", "follow up", "figures of"), rows, right=(2, 3, 4, 5))
    if not rows:
        yield "No household yet."
    for home in answer.households:
        if home.note:
            yield f"{printable(home.name)}: {printable(home.note)}"
    if answer.archived:
        yield f"{answer.archived} archived and not listed."


def _low_point(home: DeskHousehold) -> str:
    low = "–" if home.low_point is None else f"{aud(home.low_point.p50)} on {day(home.low_point.date)}"
    return f"{low}, without {counted(home.accounts_left_out, 'account')}" if home.accounts_left_out else low
