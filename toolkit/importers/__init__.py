"""Files in: good rows and problems come back side by side. Nothing here knows the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolkit.errors import ImportFailed, WrongUsage
from toolkit.importers.imported import Imported, Options
from toolkit.importers.recognise import KINDS, kind_of, understood
from toolkit.importers.source import Source, files_under, open_sources

__all__ = ["KINDS", "Imported", "Options", "Source", "files_under", "kind_of", "open_sources", "read", "read_source"]

Importer = Callable[[Source, Options], Imported]


def read(
    path: Path,
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str = "Australia/Sydney",
    controlled_load: Sequence[str] = (),
) -> list[Imported]:
    """The contents of a file (of each member, for a zip). Raises ImportFailed where it cannot be read at all."""
    options = Options(kind, account, timezone, controlled_load)
    return [read_source(source, options) for source in open_sources(path)]


def read_source(source: Source, options: Options) -> Imported:
    """One file or member, as the kind that its content or `options.kind` says. Raises ImportFailed for any file.

    Raises WrongUsage for a kind that there is not.
    """
    if source.failure is not None:
        raise source.failure
    try:
        return _importer(options.kind or kind_of(source))(source, options)
    except ImportFailed:
        raise
    except RecursionError as error:
        raise ImportFailed(source.at(1), "is nested too deeply") from error
    except (ArithmeticError, LookupError, ValueError) as error:  # what no reader foresaw: the other files go on
        raise ImportFailed(source.at(1), "cannot be read: its content is not as files of its kind are") from error


def each_source(path: Path) -> Iterator[Source]:
    """The files in `path`, unpacked, one after another. Raises ImportFailed where one cannot be opened."""
    for file in files_under(path):
        for source in open_sources(file):
            if source.failure is not None:
                raise source.failure
            yield source


def _importer(kind: str) -> Importer:
    """The importer of a kind; only what is needed is loaded. Raises WrongUsage for an unknown kind."""
    match kind:
        case "nem12":
            from toolkit.importers.meters.nem12 import read_nem12 as importer
        case "bank-csv":
            from toolkit.importers.banks.bank_csv import read_bank_csv as importer
        case "nem13":
            from toolkit.importers.meters.nem13 import read_nem13 as importer
        case "usage-csv":
            from toolkit.importers.meters.usage_csv import read_usage_csv as importer
        case "greenbutton":
            from toolkit.importers.meters.greenbutton import read_green_button as importer
        case "ofx":
            from toolkit.importers.banks.ofx import read_ofx as importer
        case "qif":
            from toolkit.importers.banks.qif import read_qif as importer
        case "plans":
            from toolkit.importers.plans import read_plans as importer
        case _:
            raise WrongUsage(f"{kind!r} is no kind of file. {understood()}")
    return importer
