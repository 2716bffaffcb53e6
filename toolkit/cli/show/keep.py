"""Print the answers of export, backup, restore, forget and report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolkit.answers.data import Backup, Exported, Fleet, FleetRow, Restored, WrittenNotebooks
from toolkit.answers.forget import AllowedAgain, Forgotten, RemainingFile
from toolkit.cli.output import aud, day, kwh, percent, printable, sentence, table
from toolkit.flows.wording import counted


def export(answer: Exported) -> Iterator[str]:
    """Show the files written."""
    yield f"Written to {printable(answer.out)}:"
    yield from table(("file", "rows"), [(entry.file, entry.rows) for entry in answer.files], right=(1,))


def notebooks(answer: WrittenNotebooks) -> Iterator[str]:
    """Show the notebooks written, and how to open them."""
    yield f"Written to {printable(answer.out)}: {', '.join(answer.notebooks)}."
    yield f"Open them with: jupyter lab {printable(answer.out)}"


def backup(answer: Backup) -> Iterator[str]:
    """Show where the copy is."""
    yield f"{printable(answer.db)} is copied to {printable(answer.backup)}. The copy was checked."


def restore(answer: Restored) -> Iterator[str]:
    """Show what was restored, and where the previous database is kept."""
    yield f"{printable(answer.db)} is restored from {printable(answer.restored)}."
    if answer.kept:
        yield f"The previous database is kept as {printable(answer.kept)}."


def forget(answer: Forgotten | AllowedAgain) -> Iterator[str]:
    """Show what was deleted and what remains elsewhere, or what is allowed again."""
    if isinstance(answer, AllowedAgain):
        for what, name in answer.allowed_again.items():
            yield f"Allowed again: {what.replace('_', ' ')} {printable(name)}. Next: {answer.next}"
        return
    (what, name), *_ = answer.forgotten.items()
    yield f"Deleted: {what.replace('_', ' ')} {printable(name)}, {counted(sum(answer.deleted.values()), 'row')}."
    yield f"To add it again: {printable(answer.way_back)}"
    for lost in answer.lost_with_it:
        rows = counted(lost.rows, "row")
        yield f"{rows} also came from {printable(lost.file)} and were deleted too. Import that file again."
    for file in answer.remains:
        yield _remainder(file, what)
    if answer.record:
        yield f"Record of the deletion: {printable(answer.record)}"
    for failure in answer.not_withdrawn:
        yield f"Not ended at the service: {printable(failure.consent)}: {sentence(failure.reason)}"


def _remainder(file: RemainingFile, what: str) -> str:
    """Describe what a file still names, and what to do about it."""
    path, names = printable(file.path), ", ".join(repr(printable(name)) for name in file.names)
    kind = what.replace("_", " ")
    if file.kind == "backup":
        return f"The backup {path} has rows of {names} under another household. Delete it if you no longer need it."
    if file.kind == "database":
        return f"{path} is another database and contains {names}. Run `toolkit forget` there too, with --db."
    return f"{path} contains {names}. Check that file, and delete it if it is about this {kind}."


def fleet(answer: Fleet) -> Iterator[str]:
    """Show a row for each household or service point with the figures of the analysis."""
    if not answer.households:
        yield "No household is stored."
        return
    by_point = any(row.service_point_id for row in answer.households)
    figures = _FLEET[answer.analysis]
    rows = [
        (
            row.household,
            *((row.service_point_id or "–",) if by_point else ()),
            *(day(end) for end in (row.from_, row.to)),
            *(figure(row) for figure in figures.values()),
            sentence(row.reason) if row.reason else "",
        )
        for row in answer.households
    ]
    head = ("household", *(("meter",) if by_point else ()), "from", "to", *figures, "")
    first = len(head) - len(figures) - 1
    yield from table(head, rows, right=range(first, len(head) - 1))
    if answer.out:
        yield f"Written to {printable(answer.out)}."


def _kw(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} kW"


_FLEET: dict[str, dict[str, Callable[[FleetRow], str]]] = {
    "spending": {"spent": lambda row: aud(row.spent), "income": lambda row: aud(row.income)},
    "usage": {
        "used": lambda row: kwh(row.import_kwh) if row.import_mj is None else f"{row.import_mj:,.0f} MJ",
        "exported": lambda row: kwh(row.export_kwh),
        "base load": lambda row: _kw(row.base_load_kw),
        "coverage": lambda row: percent(row.coverage, 1),
    },
    "bill": {"total": lambda row: aud(row.total)},
    "compare": {
        "today": lambda row: aud(row.total),
        "best": lambda row: aud(row.best_total),
        "saving": lambda row: aud(row.saving),
        "days": lambda row: str(row.saving_days or "–"),
    },
    "forecast": {
        "best guess": lambda row: aud(row.p50),
        "low": lambda row: aud(row.p10),
        "high": lambda row: aud(row.p90),
    },
    "solar": {
        "panels": lambda row: _kw(row.panels_kw),
        "generated, about": lambda row: kwh(row.generation_kwh),
        "exported": lambda row: kwh(row.export_kwh),
        "earned": lambda row: aud(row.feed_in_value),
    },
}
"""Analysis → head of a column → the figure as text."""
