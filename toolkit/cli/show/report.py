"""The report and stated lines as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.data import WrittenReport
from toolkit.answers.report.income_expenses import AsTold
from toolkit.cli.output import aud, printable, table


def report(answer: WrittenReport) -> Iterator[str]:
    """Show where the report is."""
    yield f"Written to {printable(answer.path)}; it opens in any browser, without the internet."
    if answer.csv:
        yield f"Income and expenses as a table: {printable(answer.csv)}."


def stated_lines(answer: AsTold) -> Iterator[str]:
    """Show the lines that the person stated."""
    if not answer.lines:
        yield "No line was stated."
        return
    rows = [
        (
            line.id,
            line.kind,
            line.name,
            f"{aud(line.amount)} each {line.per}" if line.amount is not None else "",
            *("" if owed is None else aud(owed) for owed in (line.balance, line.arrears)),
        )
        for line in answer.lines
    ]
    yield from table(("id", "kind", "name", "amount", "owed", "overdue"), rows, right=(3, 4, 5))
