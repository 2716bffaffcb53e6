"""What was copied, taken away or forgotten, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from toolkit.answers.forget import AllowedAgain, Forgotten, RemainingFile
from toolkit.cli.output import Answer, aud, day, kwh, percent, printable, sentence, table
from toolkit.flows.wording import counted


def export(answer: Answer) -> Iterator[str]:
    yield f"Written to {printable(answer['out'])}:"
    yield from table(("file", "rows"), [(entry["file"], entry["rows"]) for entry in answer["files"]], right=(1,))


def backup(answer: Answer) -> Iterator[str]:
    yield f"{printable(answer['db'])} is copied to {printable(answer['backup'])}. The copy was checked."


def restore(answer: Answer) -> Iterator[str]:
    yield f"{printable(answer['db'])} is restored from {printable(answer['restored'])}."
    if answer["kept"]:
        yield f"The previous database is kept as {printable(answer['kept'])}."


def forget(answer: Forgotten | AllowedAgain) -> Iterator[str]:
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


def report(answer: Answer) -> Iterator[str]:
    yield f"Written to {printable(answer['out'])}; it opens in any browser, without the internet."


def fleet(answer: Answer) -> Iterator[str]:
    rows = answer["households"]
    if not rows:
        yield "No household is stored."
        return
    shown = {name: _FLEET[name] for name in rows[0]}
    cells = [[show(row[name]) for name, (_, show) in shown.items()] for row in rows]
    yield from table([head for head, _ in shown.values()], cells, right=range(_DATED, len(shown)))


def _amount(value: str | None) -> str:
    return aud(None if value is None else Decimal(value))


def _kw(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} kW"


_FLEET: dict[str, tuple[str, Callable[[Any], str]]] = {
    "household": ("household", printable),
    "from": ("from", day),
    "to": ("to", day),
    "spent": ("spent", _amount),
    "income": ("income", _amount),
    "import_kwh": ("used", kwh),
    "export_kwh": ("exported", kwh),
    "base_load_kw": ("base load", _kw),
    "coverage": ("coverage", percent),
}
"""Head and form of each figure that an analysis gives; numbers come after name and days."""
_DATED = 3
