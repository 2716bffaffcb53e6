"""`import`: read files into the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from zoneinfo import ZoneInfo

import msgspec

from toolkit.answers.data import ImportedFile, ImportReport
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
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, open_store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import DEFAULT_ZONE


def load(  # noqa: PLR0913  # one argument for each option
    ctx: Context,
    paths: Sequence[Path],
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
    progress: Progress = quiet,
) -> ImportReport:
    """Read files and folders (`import`) into the household in question (one called "Home" where there is none).

    A bad file is listed and does not stop the others. Each file is stored completely or not at all. Spending roll-ups
    are updated. Raises ImportFailedError if no file could be read.
    """
    try:
        ZoneInfo(timezone or DEFAULT_ZONE)
    except (KeyError, OSError, ValueError) as error:
        raise UsageError(f"{timezone!r} is not a valid time zone (for example Australia/Sydney).") from error
    with open_store(ctx.db) as store:
        refuse_slip(store, ctx)
        if ctx.household is None and store.count("households") > 1:
            household_for_files(store, None)  # raises ChoiceRequiredError before anything is read
        suffixes = [suffix for text in controlled_load for suffix in text.replace(",", " ").split()]
        loading = _Loading(store, ctx.household, kind, account, timezone, suffixes)
        for path in paths:
            loading.read(path, progress)
        loading.finish()
        files = tuple(loading.files)
        if any(file.kind == "plans" and file.added + file.updated for file in files):
            keep_compiled(store)
    if not any(file.kind for file in files):
        raise _nothing_read(paths, files)
    return ImportReport(files=files)


def _nothing_read(paths: Sequence[Path], files: Sequence[ImportedFile]) -> ImportFailedError:
    problems = [problem for file in files for problem in file.problems]
    if not problems:
        return ImportFailedError(", ".join(map(str, paths)), "there are no files in this folder")
    more = f" (and {len(problems) - 1} more files that could not be read)" if len(problems) > 1 else ""
    return ImportFailedError(problems[0].where, Message(problems[0].reason, more))


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
    files: list[ImportedFile] = field(default_factory=list)
    last_file: dict[str, int] = field(default_factory=dict)
    """Account id → index in `files` of the last file with rows of it."""

    def read(self, path: Path, progress: Progress) -> None:
        """Read each file in `path`; one that cannot be read has a problem and no kind."""
        for file in files_under(path):
            progress(f"reading {file.name}")
            try:
                for source in open_sources(file):
                    self.files.append(self._source(source, f"{file.parent / source.name}"))
            except ImportFailedError as failure:
                self.files.append(_unread(str(file), failure))

    def finish(self) -> None:
        """Update roll-ups that are out of date; warn in a file's result if its account may equal another."""
        if self.household_id is None or not self.last_file:
            return
        refresh(self.store, self.household_id)
        for accounts, problem in account_suggestions(self.store, self.household_id):
            if named := [self.last_file[account] for account in accounts if account in self.last_file]:
                file = self.files[named[-1]]
                self.files[named[-1]] = msgspec.structs.replace(file, problems=(*file.problems, problem))

    def _source(self, source: Source, shown: str) -> ImportedFile:
        try:
            imported = read_source(source, self._options())
            return self._written(source, imported, shown)
        except ImportFailedError as failure:
            return _unread(shown, failure)

    def _written(self, source: Source, imported: Imported, shown: str) -> ImportedFile:
        with self.store.transaction():
            home = household_for_files(self.store, self.household)
            self.household_id = home.household_id
            imported = self._with_account(source, imported)
            self._check_account(source, imported)
            rows = FileRows(self.store, self.household_id, imported, self.timezone, self.controlled_load)
            counts = rows.write(source)
        self.last_file |= {str(row["account_id"]): len(self.files) for row in imported.tables.get("accounts", ())}
        return ImportedFile(
            path=shown,
            kind=imported.kind,
            added=counts.added,
            updated=counts.updated,
            unchanged=counts.unchanged,
            rejected=imported.rejected,
            problems=tuple(imported.problems),
            notes=tuple(imported.notes),
        )

    def _with_account(self, source: Source, imported: Imported) -> Imported:
        """Return the file read with the account that its unnamed rows belong to."""
        if self.account is not None or self.household_id is None or "transactions" not in imported.tables:
            return imported
        account = account_of_unnamed(self.store, self.household_id, file_id_of(source), imported)
        if account is None:
            return imported
        read = read_source(source, replace(self._options(), account=account, continues=True))
        read.notes.append(
            Message(f"the file names no account: its rows are in account {account!r}; ", Remedy.NAME_ACCOUNT)
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
            undo = Remedy.FORGET_FILE.with_(file=quote(source.name))
            raise ImportFailedError(source.name, Message(f"is stored already, as account {names!r}: ", undo))

    def _zone(self) -> str:
        """Return the time zone given, else the household's, else Sydney's."""
        homes = self.store.load(HouseholdRow)
        named = [home for home in homes if self.household in (None, home.household_id, home.name)]
        known = named[0].timezone if len(named) == 1 else None
        return self.timezone or known or DEFAULT_ZONE


def _unread(shown: str, failure: ImportFailedError) -> ImportedFile:
    return ImportedFile(path=shown, problems=(Problem(failure.where, failure.reason),))
