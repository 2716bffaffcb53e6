"""Answers about files and the database: import, export, backups, the report, settings and addresses."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted, frame_of
from toolkit.problems import Problem

if TYPE_CHECKING:
    import polars as pl


class ImportedFile(Noted, frozen=True, kw_only=True):
    """One file of an import, counted in register-days, reads, transactions or plans."""

    path: str
    kind: str | None = None
    """What the file was read as; null where it could not be read."""
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    days: int = 0
    """Meter days that were added or updated, each once however many registers it has; 0 for other kinds."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()


class ImportReport(Answer, frozen=True, kw_only=True):
    """Every file in order: what `import` answers."""

    files: tuple[ImportedFile, ...]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting as it is in force."""

    name: str
    value: str | None
    """Secrets are hidden."""
    origin: str
    """Where the value comes from."""


class Check(msgspec.Struct, frozen=True):
    """One thing that `doctor` looked at."""

    name: str
    state: Literal["ok", "warning", "error"]
    message: str
    """The finding, and the remedy where something is wrong."""


class Checkup(Answer, frozen=True, kw_only=True):
    """Settings, and the state of files, database, service and data: what `doctor` answers."""

    settings: tuple[Setting, ...]
    checks: tuple[Check, ...]
    failed: tuple[str, ...]
    """Names of the checks in error."""


class Credentials(Answer, frozen=True, kw_only=True):
    """Address and credentials of the service: what `credentials` answers."""

    credentials: tuple[Setting, ...]


class WrittenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an export."""

    file: str
    """Name inside the folder."""
    rows: int


class Exported(Answer, frozen=True, kw_only=True):
    """The files that `export` wrote."""

    out: str
    """Folder."""
    format: str
    """csv, parquet or ndjson."""
    files: tuple[WrittenFile, ...]


class WrittenNotebooks(Answer, frozen=True, kw_only=True):
    """The notebooks that `notebooks` wrote."""

    out: str
    """Folder."""
    notebooks: tuple[str, ...]
    """File names, in the order to read them in."""


class Backup(Answer, frozen=True, kw_only=True):
    """A verified copy of the database: what `backup` answers."""

    db: str
    """Path of the database."""
    backup: str
    """Path of the copy."""
    bytes: int
    rows: int
    """Rows of all tables."""


class Restored(Answer, frozen=True, kw_only=True):
    """The database replaced by a copy: what `restore` answers."""

    db: str
    restored: str
    """Path of the copy."""
    kept: str | None
    """Path of the previous database; null where there was none."""
    rows: int
    """Rows of all tables."""


class WrittenReport(Answer, frozen=True, kw_only=True):
    """The page that `report` wrote."""

    path: str
    csv: str | None
    """Path of income and expenses as CSV; null where none was asked for."""
    sections: tuple[str, ...]
    """Names in order."""
    bytes: int
    """Size of the page."""


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one household or service point, AUD with GST; those of other analyses, or not known, are null."""

    household: str
    service_point_id: str | None = None
    fuel: str | None = None
    """ELECTRICITY or GAS."""
    from_: date | None = msgspec.field(name="from", default=None)
    """First day: of the data, of the bill, or of the period that is forecast."""
    to: date | None = None
    """Last day, inclusive."""
    spent: Decimal | None = None
    """Money out less refunds."""
    income: Decimal | None = None
    import_kwh: float | None = None
    import_mj: float | None = None
    """Gas used."""
    export_kwh: float | None = None
    controlled_load_kwh: float | None = None
    """Part of `import_kwh`."""
    base_load_kw: float | None = None
    coverage: float | None = None
    """Share of intervals present, 0 to 1."""
    plan_id: str | None = None
    """Plan of the bill, the forecast, or today's in a comparison."""
    total: Decimal | None = None
    """What that plan costs."""
    gst: Decimal | None = None
    best_plan_id: str | None = None
    """The cheapest plan without variable prices or conditions."""
    best_total: Decimal | None = None
    saving: Decimal | None = None
    """What it saves over `saving_days` days."""
    saving_days: int | None = None
    priced: int | None = None
    """Plans that are priced whole."""
    certain: Decimal | None = None
    """Part of the next bill that is certain."""
    p10: Decimal | None = None
    p50: Decimal | None = None
    p90: Decimal | None = None
    panels_kw: float | None = None
    generation_low_kwh: float | None = None
    generation_kwh: float | None = None
    generation_high_kwh: float | None = None
    feed_in_value: Decimal | None = None
    avoided_import_value: Decimal | None = None
    reason: str | None = None
    """Why figures are null."""
    failed: bool = False
    """Whether the analysis failed, as the single command would."""


class Fleet(Answer, frozen=True, kw_only=True):
    """An analysis of many households: what `fleet` answers."""

    analysis: str
    """spending, usage, bill, compare, forecast or solar."""
    households: tuple[FleetRow, ...]
    """In order of household, then service point."""
    out: str | None = None
    """Path of the Parquet file; null where none was asked for."""
    problems: tuple[Problem, ...] = ()
    """The rows that failed."""

    def frame(self) -> pl.DataFrame:
        """Return the rows as a frame; amounts are exact, columns without any value are left out."""
        known = frame_of(self.households)
        always = ("household", "service_point_id", "fuel", "from", "to", "reason", "failed")
        return known.select(name for name in known.columns if name in always or known[name].null_count() < known.height)


class SandboxAddress(Answer, frozen=True, kw_only=True):
    """First line of `sandbox`: addresses and credentials. Files of keys and certificates are null without --tls."""

    base_url: str
    client_id: str
    client_secret: str
    limited_client_id: str
    """A client without scopes: it may not read the providers' products."""
    limited_client_secret: str
    redirect_uri: str
    ca: str | None
    """Path of the certificate authority to trust."""
    client_cert: str | None
    client_key: str | None
    other_client_cert: str | None
    """A certificate of another client."""
    other_client_key: str | None
    expired_client_cert: str | None
    expired_client_key: str | None
    webhook_secret: str
    control_url: str | None
    """Address that sets the time and faults."""
    register_url: str
    """Address of the plan register."""
    people: tuple[tuple[str, str, str], ...]
    """E-mail, end user id and persona of each end user."""

    def __repr__(self) -> str:
        return f"SandboxAddress({self.base_url!r})"  # secrets never reach a log


class AppAddress(Answer, frozen=True, kw_only=True):
    """First line of `app`: the address with the token that opens the pages."""

    url: str

    def __repr__(self) -> str:
        return f"AppAddress({self.url.partition('?')[0]!r})"  # the token never reaches a log


class TablePreview(msgspec.Struct, frozen=True):
    """The first rows of a table in a file, to name its columns by."""

    columns: tuple[str, ...]
    """Headers, or `#1`, `#2` … where there are none, or two are equal."""
    rows: tuple[tuple[str, ...], ...]
    """At most ten."""


class KeptColumns(msgspec.Struct, frozen=True):
    """Columns that a person named, kept for files of one header."""

    header: str
    """Its cells in small letters, with commas; of files without one the number of columns."""
    columns: dict[str, str]
    """Field → header of its column, or `#2` for the second one."""


class ReadRow(msgspec.Struct, frozen=True):
    """A transaction as columns that a person named have it read."""

    day: date
    amount: Decimal
    """Negative for money out."""
    description: str


class ColumnsTried(msgspec.Struct, frozen=True):
    """A bank's table as it is read with columns that a person named, before it is stored."""

    rows: tuple[ReadRow, ...]
    """The first of them, at most ten."""
    money_out: int
    """Transactions with money out."""
    money_in: int
    """Transactions with money in."""
    first: date | None
    last: date | None
    problems: tuple[Problem, ...]
    """Rows that cannot be read so, and what is doubtful."""
