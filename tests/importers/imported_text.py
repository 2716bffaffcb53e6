"""Reading what a test writes."""

from __future__ import annotations

from decimal import Decimal

from toolkit.importers.imported import Imported, Options
from toolkit.importers.read import read_source
from toolkit.importers.source import Source
from toolkit.tables.registers import unpack_exact


def read_text(text: str | bytes, *, name: str = "file.csv", **said) -> Imported:
    data = text.encode() if isinstance(text, str) else text
    return read_source(Source(name, data), Options(**said))


def values_of(row) -> list[Decimal]:
    return unpack_exact(row["reads"], exponent=row["exponent"], width=row["width"])


def said(imported: Imported) -> list[tuple[str, str]]:
    """Where and how severe each problem is."""
    return [(problem.where, problem.severity) for problem in imported.problems]
