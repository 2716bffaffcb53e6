"""Answers about files and the database: import, export, backups, the report, settings and addresses."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer
from toolkit.errors import Problem


class ImportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of an import, counted in register-days, reads, transactions or plans."""

    path: str
    kind: str | None = None
    """What the file was read as; null where it could not be read."""
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


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
    """Figures of one household, amounts in AUD; those of the other analysis are absent."""

    household: str
    from_: date | None = msgspec.field(name="from")
    """First day with data."""
    to: date | None
    """Last day with data."""
    spent: Decimal | UnsetType = UNSET
    """Money out less refunds."""
    income: Decimal | UnsetType = UNSET
    import_kwh: float | UnsetType | None = UNSET
    export_kwh: float | UnsetType | None = UNSET
    base_load_kw: float | UnsetType | None = UNSET
    coverage: float | UnsetType | None = UNSET
    """Share of intervals present, 0 to 1."""


class Fleet(Answer, frozen=True, kw_only=True):
    """An analysis of many households: what `fleet` answers."""

    analysis: str
    """`spending` or `usage`."""
    households: tuple[FleetRow, ...]


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
