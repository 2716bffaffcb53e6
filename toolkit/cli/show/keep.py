"""What was copied, taken away or forgotten, as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.cli.output import Answer, printable, table


def export(answer: Answer) -> Iterator[str]:
    yield f"Written to {printable(answer['out'])}:"
    yield from table(("file", "rows"), [(entry["file"], entry["rows"]) for entry in answer["files"]], right=(1,))


def backup(answer: Answer) -> Iterator[str]:
    yield f"{printable(answer['db'])} is copied to {printable(answer['backup'])} and the copy is whole."


def restore(answer: Answer) -> Iterator[str]:
    yield f"{printable(answer['db'])} is what {printable(answer['restored'])} was."
    if answer["kept"]:
        yield f"What was there before is kept as {printable(answer['kept'])}."


def forget(answer: Answer) -> Iterator[str]:
    return _allowed_again(answer) if "allowed_again" in answer else _forgotten(answer)


def _allowed_again(answer: Answer) -> Iterator[str]:
    for what, name in answer["allowed_again"].items():
        yield f"Allowed again: {what.replace('_', ' ')} {printable(name)}. Next: {answer['next']}"


def _forgotten(answer: Answer) -> Iterator[str]:
    (what, name), *_ = answer["forgotten"].items()
    yield f"Forgotten: {what.replace('_', ' ')} {printable(name)}, {sum(answer['deleted'].values())} rows."
    yield f"To have it again: {printable(answer['way_back'])}"
    for entry in answer["lost_with_it"]:
        yield f"{entry['rows']} rows that {printable(entry['file'])} gave, too, went with it: import that file again."
    for path in answer["left"]:
        yield f"It is still named in {printable(path)}: delete that file yourself."
    for failure in answer["not_withdrawn"]:
        yield f"Not ended at the service: {printable(failure)}"


def report(answer: Answer) -> Iterator[str]:
    yield f"Written to {printable(answer['out'])}; it opens in any browser and asks nobody for anything."


def fleet(answer: Answer) -> Iterator[str]:
    rows = [[_shown(value) for value in row.values()] for row in answer["households"]]
    head = tuple(answer["households"][0]) if rows else ()
    yield from table(head, rows)
    if not rows:
        yield "No household is stored."


def _shown(value: object) -> str:
    return "–" if value is None else str(value)
