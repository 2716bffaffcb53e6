"""File formats and bank layouts that other installed packages add, by entry points (docs/plugins.md).

They are looked for only where no built-in format fits a file, so that none can take over a built-in one, and what is
never needed is never imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Generic, TypeVar, get_args

from toolkit.importers.banks.dialects import HOUSE_FIELDS, Dialect, Sign
from toolkit.importers.dates import STYLES
from toolkit.importers.source import Source

if TYPE_CHECKING:
    from toolkit.importers.imported import Imported, Options

FORMATS = "finance_energy_toolkit.importers"
BANK_LAYOUTS = "finance_energy_toolkit.bank_layouts"
_NAME = re.compile(r"[a-z][a-z0-9-]{1,39}")
_LETTERS = frozenset("DMAaNTte")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of files. describes: what such a file is, as people call it.

    recognises: whether a file is in this format, by its content. read: returns its rows and problems; raises
    ImportFailedError for a file that cannot be read at all.
    """

    describes: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source, Options], Imported]


@dataclass(frozen=True, slots=True)
class Plugin(Generic[T]):
    """What a package adds. name: of its entry point; a format's is also the kind of its files."""

    name: str
    package: str
    value: T

    def failed(self, error: BaseException) -> str:
        """Return a sentence that names the plug-in and what it raised."""
        return _failed(self.name, self.package, f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class _Loaded(Generic[T]):
    plugins: tuple[Plugin[T], ...]
    failures: tuple[str, ...]


def format_names(built_in: frozenset[str]) -> list[str]:
    """Return the names of the formats that packages add, without importing these."""
    return sorted({point.name for point in entry_points(group=FORMATS)} - built_in)


def format_called(name: str, built_in: frozenset[str]) -> Plugin[FileFormat] | None:
    """Return the format of a name; None where no package adds one that can be used."""
    return next((plugin for plugin in _formats(built_in).plugins if plugin.name == name), None)


def recognised(source: Source, built_in: frozenset[str]) -> tuple[str | None, list[str]]:
    """Return the name of the format that a file is in, None if in none, and a sentence on each plug-in that failed."""
    loaded = _formats(built_in)
    failures = [*loaded.failures, *bank_layouts().failures]
    for plugin in loaded.plugins:
        try:
            if plugin.value.recognises(source):
                return plugin.name, failures
        except Exception as error:  # another's code: the other formats are still tried
            failures.append(plugin.failed(error))
    return None, failures


@cache
def bank_layouts() -> _Loaded[Dialect]:
    """Load the layouts of banks' CSV exports that packages add."""
    return _loaded(BANK_LAYOUTS, Dialect, _layout_problem, frozenset())


@cache
def _formats(built_in: frozenset[str]) -> _Loaded[FileFormat]:
    return _loaded(FORMATS, FileFormat, lambda _: "", built_in)


def forget() -> None:
    """Look at the installed packages again: for a notebook that has installed one since."""
    bank_layouts.cache_clear()
    _formats.cache_clear()


def _loaded(group: str, type_: type[T], problem: Callable[[T], str], built_in: frozenset[str]) -> _Loaded[T]:
    plugins: dict[str, Plugin[T]] = {}
    failures: list[str] = []
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, _package(point))):
        package = _package(point)
        if point.name in built_in:
            reason = "a built-in format has that name"
        elif point.name in plugins:
            reason = f"package {plugins[point.name].package} has one of that name, too"
        elif not _NAME.fullmatch(point.name):
            reason = "a name is small letters, digits and hyphens"
        else:
            try:
                value = point.load()
            except (Exception, SystemExit) as error:  # another's code: everything else continues
                reason = f"{type(error).__name__}: {error}"
            else:
                reason = problem(value) if isinstance(value, type_) else f"it is not a {type_.__name__}"
                if not reason:
                    plugins[point.name] = Plugin(point.name, package, value)
        if reason:
            failures.append(_failed(point.name, package, reason))
    return _Loaded(tuple(plugins.values()), tuple(failures))


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module


def _failed(name: str, package: str, reason: str) -> str:
    return f"The plug-in {name} of package {package} cannot be used ({' '.join(reason.split())})."


def _layout_problem(layout: Dialect) -> str:
    return next(_layout_problems(layout), "")


def _layout_problems(layout: Dialect) -> Iterator[str]:
    """Yield what is wrong with a layout of a bank's CSV."""
    fields, places = layout.columns.keys(), set(layout.columns.values())
    if unknown := sorted(fields - HOUSE_FIELDS):
        yield f"{', '.join(unknown)}: no such field"
    if "date" not in fields or not fields & {"description", "merchant"}:
        yield "a layout needs a date and a description or merchant"
    if "amount" not in fields and not {"debit", "credit"} <= fields:
        yield "a layout needs an amount, or a debit and a credit"
    if layout.dates not in STYLES or layout.sign not in get_args(Sign):
        yield f"dates are one of {', '.join(sorted(STYLES))}; the sign is one of {', '.join(get_args(Sign))}"
    if not set(layout.shape) <= _LETTERS:
        yield f"a shape is made of {' '.join(sorted(_LETTERS))}"
    if layout.shape and not places <= set(range(len(layout.shape))):
        yield "columns of a layout with a shape are positions in it"
    if not layout.shape and not all(isinstance(place, str) and place == place.lower() for place in places):
        yield "columns of a layout without a shape are headers in small letters"
