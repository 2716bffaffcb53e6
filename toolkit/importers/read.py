"""Files in: good rows and problems come back side by side. Nothing here knows the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolkit.errors import ImportFailedError, UsageError
from toolkit.importers.banks.bank_csv import read_bank_csv
from toolkit.importers.banks.ofx import read_ofx
from toolkit.importers.banks.qif import read_qif
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.greenbutton import read_green_button
from toolkit.importers.meters.nem12 import read_nem12
from toolkit.importers.meters.nem13 import read_nem13
from toolkit.importers.meters.usage_csv import read_usage_csv
from toolkit.importers.plans import read_plans
from toolkit.importers.recognise import kind_of, understood
from toolkit.importers.source import Source, files_under, open_sources
from toolkit.units import DEFAULT_ZONE

IMPORTERS: dict[str, Callable[[Source, Options], Imported]] = {
    "nem12": read_nem12,
    "nem13": read_nem13,
    "usage-csv": read_usage_csv,
    "greenbutton": read_green_button,
    "bank-csv": read_bank_csv,
    "ofx": read_ofx,
    "qif": read_qif,
    "plans": read_plans,
}
"""The importer of each kind of file."""


def read(
    path: Path,
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str = DEFAULT_ZONE,
    controlled_load: Sequence[str] = (),
) -> list[Imported]:
    """The contents of a file (of each member, for a zip). Raises ImportFailedError where it cannot be read at all."""
    options = Options(kind, account, timezone, controlled_load)
    return [read_source(source, options) for source in open_sources(path)]


def read_source(source: Source, options: Options) -> Imported:
    """Read one file or member as `options.kind`, else as the kind of its content.

    Raises ImportFailedError if it cannot be read, UsageError for an unknown kind.
    """
    if source.failure is not None:
        raise source.failure
    kind = options.kind or kind_of(source)
    if kind not in IMPORTERS:
        raise UsageError(f"{kind!r} is not a known kind of file. {understood()}")
    try:
        return IMPORTERS[kind](source, options)
    except ImportFailedError:
        raise
    except RecursionError as error:
        raise ImportFailedError(source.at(1), "is nested too deeply") from error
    except (ArithmeticError, LookupError, ValueError) as error:  # what no reader foresaw: the other files go on
        raise ImportFailedError(source.at(1), "cannot be read: its content is not as files of its kind are") from error


def each_source(path: Path) -> Iterator[Source]:
    """The files in `path`, unpacked, one after another. Raises ImportFailedError where one cannot be opened."""
    for file in files_under(path):
        for source in open_sources(file):
            if source.failure is not None:
                raise source.failure
            yield source
