"""`import`: read files into the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any
from zoneinfo import ZoneInfo

from toolkit.errors import ImportFailedError, Problem, UsageError
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.household.homes import household_for_files, refuse_slip
from toolkit.flows.imports.accounts import account_of_unnamed
from toolkit.flows.imports.rows import FileRows, file_id_of
from toolkit.flows.money.spending import account_suggestions, refresh
from toolkit.flows.plans.catalogue import keep_compiled
from toolkit.importers.imported import Imported, Options
from toolkit.importers.read import read_source
from toolkit.importers.source import Source, files_under, open_sources
from toolkit.store import Store, open_store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import DEFAULT_ZONE


@dataclass(slots=True)
class FileReport:
    """The result of one file, counted in register-days, reads, transactions or plans."""

    path: str
    kind: str | None = None
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the report as the command prints it."""
        return {
            "path": self.path,
            "kind": self.kind,
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "rejected": self.rejected,
            "problems": [problem.as_json() for problem in self.problems],
            "notes": self.notes,
        }


def load(  # noqa: PLR0913  # one argument for each option
    ctx: Context,
    paths: Sequence[Path],
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`import`: read files and folders into the household in question (one called "Home" where there is none).

    A bad file is listed and does not stop the others. Each file is stored completely or not at all. Spending roll-ups
    are updated. Raises ImportFailedError if no file could be read.
    """
    _check_zone(timezone)
    with open_store(ctx.db) as store:
        refuse_slip(store, ctx)
        if ctx.household is None and store.count("households") > 1:
            household_for_files(store, None)  # raises ChoiceRequiredError before anything is read
        suffixes = [suffix for text in controlled_load for suffix in text.replace(",", " ").split()]
        loading = _Loading(store, ctx.household, kind, account, timezone, suffixes)
        reports = [report for path in paths for report in loading.path(path, progress)]
        loading.refresh()
        loading.suggest()
        if any(report.kind == "plans" and report.added + report.updated for report in reports):
            keep_compiled(store)
    if not any(report.kind for report in reports):
        raise _nothing_read(reports)
    return {"files": [report.as_json() for report in reports]}


def _check_zone(name: str | None) -> None:
    try:
        ZoneInfo(name or DEFAULT_ZONE)
    except (KeyError, OSError, ValueError) as error:
        raise UsageError(f"{name!r} is not a valid time zone (for example Australia/Sydney).") from error


def _nothing_read(reports: list[FileReport]) -> ImportFailedError:
    problems = [problem for report in reports for problem in report.problems]
    if not problems:
        return ImportFailedError("import", "there is no file in that folder")
    more = f" (and {len(problems) - 1} more files that could not be read)" if len(problems) > 1 else ""
    return ImportFailedError(problems[0].where, problems[0].reason + more)


@dataclass(slots=True)
class _Loading:
    """One run of `import`: the store, the household and the options."""

    store: Store
    household: str | None
    kind: str | None
    account: str | None
    timezone: str | None
    controlled_load: Sequence[str]
    household_id: str | None = None
    reports: dict[str, FileReport] = field(default_factory=dict)
    """Account id → the report of the last file with rows of it."""

    def path(self, path: Path, progress: Progress) -> Iterator[FileReport]:
        """Each file in `path`, one report each; a file that cannot be read is a report with one problem."""
        for file in files_under(path):
            progress(f"reading {file.name}")
            try:
                for source in open_sources(file):
                    yield self._source(source, f"{file.parent / source.name}")
            except ImportFailedError as failure:
                yield _failed_report(str(file), failure)

    def refresh(self) -> None:
        """Update the roll-ups of months marked dirty."""
        if self.household_id is not None and self.store.count("dirty_months", self.household_id):
            refresh(self.store, self.household_id)

    def suggest(self) -> None:
        """Warn in a file's report if one of its accounts may be the same as another."""
        if self.household_id is not None and self.reports:
            for accounts, problem in account_suggestions(self.store, self.household_id):
                if reports := [self.reports[account] for account in accounts if account in self.reports]:
                    reports[-1].problems.append(problem)

    def _source(self, source: Source, shown: str) -> FileReport:
        try:
            imported = read_source(source, self._options())
            return self._written(source, imported, shown)
        except ImportFailedError as failure:
            return _failed_report(shown, failure)

    def _written(self, source: Source, imported: Imported, shown: str) -> FileReport:
        with self.store.transaction():
            home = household_for_files(self.store, self.household)
            self.household_id = home.household_id
            imported = self._with_account(source, imported)
            self._check_account(source, imported)
            rows = FileRows(self.store, self.household_id, imported, self.timezone, self.controlled_load)
            counts = rows.write(source)
        report = FileReport(shown, imported.kind, counts.added, counts.updated, counts.unchanged, imported.rejected)
        report.problems, report.notes = imported.problems, imported.notes
        self.reports |= {str(row["account_id"]): report for row in imported.tables.get("accounts", ())}
        return report

    def _with_account(self, source: Source, imported: Imported) -> Imported:
        """Return the file read with the account that its unnamed rows belong to."""
        if self.account is not None or self.household_id is None or "transactions" not in imported.tables:
            return imported
        account = account_of_unnamed(self.store, self.household_id, file_id_of(source), imported)
        if account is None:
            return imported
        read = read_source(source, replace(self._options(), account=account, continues=True))
        read.notes.append(
            f"the file names no account: its rows are in account {account!r}; `--account NAME` names another"
        )
        return read

    def _options(self) -> Options:
        return Options(self.kind, self._account(), self._zone(), tuple(self.controlled_load))

    def _account(self) -> str | None:
        """Return the account name given, spelt as an existing account of files if they differ only in case."""
        if self.account is None:
            return None
        wanted = " ".join(self.account.split())
        known = self.store.tuples("accounts", ("account_id",), where={"source": "file"})
        return next((name for (name,) in known if name.casefold() == wanted.casefold()), wanted)

    def _check_account(self, source: Source, imported: Imported) -> None:
        """Raise ImportFailedError if this file is stored as another account, as its rows would count twice."""
        given = {row["account_id"] for row in imported.tables.get("transactions", ())}
        where = {"file_id": file_id_of(source)}
        rows = self.store.tuples("transactions", ("account_id",), self.household_id, where=where)
        stored = {account for (account,) in rows}
        if given and stored and not given & stored:
            names = ", ".join(sorted(stored))
            undo = f"take it back (`toolkit forget --file {quote(source.name)}`) to import it as another"
            raise ImportFailedError(source.name, f"is stored already, as account {names!r}: {undo}")

    def _zone(self) -> str:
        """Return the time zone given, else the household's, else Sydney's."""
        homes = self.store.load(HouseholdRow)
        named = [home for home in homes if self.household in (None, home.household_id, home.name)]
        known = named[0].timezone if len(named) == 1 else None
        return self.timezone or known or DEFAULT_ZONE


def _failed_report(shown: str, failure: ImportFailedError) -> FileReport:
    return FileReport(shown, problems=[Problem(failure.where, failure.reason)])
