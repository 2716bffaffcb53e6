"""Lines of Python by package: `python -m tests.benchmarks.sizes` writes the last column of the table in changes.md."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "toolkit"
CHANGES = PACKAGE / "docs" / "changes.md"
ROW = re.compile(r"^(\| (?:`(\w+)`|all) \|.*\|)[^|]*\|$", re.MULTILINE)


def lines(folder: Path) -> int:
    """Lines of all modules below a folder."""
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def updated(text: str) -> str:
    """The text with the present sizes in the last column of its table of packages, which is the last table."""
    before, head, rows = text.rpartition("\n| package |")
    return before + head + ROW.sub(lambda row: f"{row[1]} {lines(PACKAGE / (row[2] or '')):,} |", rows)


if __name__ == "__main__":
    CHANGES.write_text(updated(CHANGES.read_text()))
