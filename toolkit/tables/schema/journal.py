"""Tables of the journal: imports, file provenance (claims), runs, receipts, checkpoints, quarantine, tombstones."""

from __future__ import annotations

import datetime as dt

from toolkit.tables.schema.columns import ARRANGEMENT, HOUSEHOLD, Table, TableRow, boolean, date, instant, integer, text

FILES = Table(
    "files",
    "Files that were imported.",
    (
        HOUSEHOLD,
        text("file_id", "hash of the content", required=True),
        text("name", "file name without its folder", required=True),
        text("kind", "nem12, nem13, usage-csv, greenbutton, bank-csv, ofx, qif, plans", required=True),
        instant("imported_at", "when", required=True),
    ),
    key=("household_id", "file_id"),
)


class FileRow(TableRow, frozen=True):
    """A row of table `files`."""

    table = FILES

    household_id: str
    file_id: str
    name: str
    kind: str
    imported_at: dt.datetime


CLAIMS = Table(
    "claims",
    "File provenance: what several files gave of one row, so that it stays when one of them is deleted.",
    (
        HOUSEHOLD,
        text("file_id", "the file that gave the row too", required=True),
        text("table_name", "table of the row", required=True),
        text("row_key", "key of the row within its household, as a JSON list", required=True),
        text("share", "all: it gave the row as it stands; part: some of its values; none: other values", required=True),
        integer("sequence", "order of the imports of meter days and reads, from 0"),
        boolean("fills", "the file's values complete a meter day; else they replace it"),
        text("given", "the meter day or read as the file gave it, as JSON; null where it is the row as it stands"),
    ),
    key=("household_id", "file_id", "table_name", "row_key"),
)


class ClaimRow(TableRow, frozen=True):
    """A row of table `claims`."""

    table = CLAIMS

    household_id: str
    file_id: str
    table_name: str
    row_key: str
    share: str
    sequence: int | None
    fills: bool | None
    given: str | None


RUNS = Table(
    "runs",
    "Sync runs.",
    (
        text("run_id", "identity", required=True),
        instant("started_at", "when", required=True),
        instant("finished_at", "when; null while running or after a kill"),
        text("state", "running, done, failed", required=True),
        text("error", "what ended it"),
    ),
    key=("run_id",),
)


class RunRow(TableRow, frozen=True):
    """A row of table `runs`."""

    table = RUNS

    run_id: str
    started_at: dt.datetime
    finished_at: dt.datetime | None
    state: str
    error: str | None


RECEIPTS = Table(
    "receipts",
    "Counts of each page of a run: fetched = added + updated + unchanged + rejected.",
    (
        text("run_id", "run", required=True),
        HOUSEHOLD,
        text("end_user_id", "end user of the data", required=True),
        text("resource", "such as banking.transactions", required=True),
        integer("page", "page number within the walk, from 1", required=True),
        integer("fetched", "records on the page", required=True),
        integer("added", "new", required=True),
        integer("updated", "changed", required=True),
        integer("unchanged", "as before", required=True),
        integer("removed", "pending or vanished rows taken out of totals", required=True),
        integer("rejected", "put into quarantine", required=True),
    ),
    key=("run_id", "household_id", "end_user_id", "resource", "page"),
)


class ReceiptRow(TableRow, frozen=True):
    """A row of table `receipts`."""

    table = RECEIPTS

    run_id: str
    household_id: str
    end_user_id: str
    resource: str
    page: int
    fetched: int
    added: int
    updated: int
    unchanged: int
    removed: int
    rejected: int


POSITIONS = Table(
    "positions",
    "How far each resource has been read.",
    (
        HOUSEHOLD,
        text("end_user_id", "end user of the data", required=True),
        text("resource", "such as banking.transactions", required=True),
        text("position", "the day each part was read up to"),
        instant("fresh_at", "end of the last complete walk"),
        instant("full_walk_at", "end of the last walk without a lower bound"),
        text("platform", "the deployment's word (TOOLKIT_PLATFORM) as it was set for that walk"),
    ),
    key=("household_id", "end_user_id", "resource"),
)


class PositionRow(TableRow, frozen=True):
    """A row of table `positions`."""

    table = POSITIONS

    household_id: str
    end_user_id: str
    resource: str
    position: str | None
    fresh_at: dt.datetime | None
    full_walk_at: dt.datetime | None
    platform: str | None


WALKS = Table(
    "walks",
    "Checkpoints of lists not read to their end: the last page stored, from which the next sync continues.",
    (
        HOUSEHOLD,
        text("end_user_id", "end user of the data", required=True),
        text("resource", "such as banking.transactions", required=True),
        text("part", "account, service point or institution it is of; empty where it is of all", required=True),
        text("asked", "question and consents in force, as JSON: under others it is another walk", required=True),
        text("cursor", "the service's cursor of that page", required=True),
        text("content", "hash of the records on that page", required=True),
        boolean("first", "whether nothing of the list was stored before the walk", required=True),
        date("newest", "latest day on the pages before it"),
        instant("reached_at", "start of the run that stored it", required=True),
    ),
    key=("household_id", "end_user_id", "resource", "part", "asked"),
)


class WalkRow(TableRow, frozen=True):
    """A row of table `walks`."""

    table = WALKS

    household_id: str
    end_user_id: str
    resource: str
    part: str
    asked: str
    cursor: str
    content: str
    first: bool
    newest: dt.date | None
    reached_at: dt.datetime


QUARANTINE = Table(
    "quarantine",
    "Records that could not be read; they go in once a later version reads them.",
    (
        HOUSEHOLD,
        text("resource", "such as banking.transactions", required=True),
        text("id", "platform_id, or a hash of the record", required=True),
        text("reason", "what is wrong", required=True),
        text("raw", "the record as given", required=True),
        ARRANGEMENT,
        instant("seen_at", "when last seen", required=True),
    ),
    key=("household_id", "resource", "id"),
)


class QuarantineRow(TableRow, frozen=True):
    """A row of table `quarantine`."""

    table = QUARANTINE

    household_id: str
    resource: str
    id: str
    reason: str
    raw: str
    arrangement_id: str | None
    seen_at: dt.datetime


SPENDING_MONTHS = Table(
    "spending_months",
    "Roll-up of spending; recomputed for dirty months before a run ends.",
    (
        HOUSEHOLD,
        text("month", "local month YYYY-MM; empty where a row has no date", required=True),
        text("account_id", "account", required=True),
        text("kind", "expense, income or transfer", required=True),
        text("primary_category", "category; empty where none", required=True),
        text("secondary_category", "finer category; empty where none", required=True),
        text("currency", "ISO 4217", required=True),
        boolean("pending", "whether the rows are pending", required=True),
        integer("amount_minor", "signed sum", unit="minor units", required=True),
        integer("out_minor", "signed sum of the outgoing rows alone", unit="minor units", required=True),
        integer("count", "rows", required=True),
        date("first_day", "local day of the earliest row; null where no row has a date"),
        date("last_day", "local day of the latest row"),
    ),
    key=(
        "household_id",
        "month",
        "account_id",
        "kind",
        "primary_category",
        "secondary_category",
        "currency",
        "pending",
    ),
)

ROLLUPS = Table(
    "rollups",
    "What each household's roll-up was made from; where that differs from today's, the roll-up is not used.",
    (HOUSEHOLD, text("basis", "hash of zone, accounts, choices and the rules of classification", required=True)),
    key=("household_id",),
)

ACCOUNT_SUGGESTIONS = Table(
    "account_suggestions",
    "Accounts that may be one and the same, worked out with the roll-up; they count apart until somebody decides.",
    (
        HOUSEHOLD,
        text("account_ids", "the accounts, as a JSON list", required=True),
        text("reason", "why they may be one", required=True),
    ),
    key=("household_id", "account_ids"),
)

DIRTY_MONTHS = Table(
    "dirty_months",
    "Months with a roll-up that is out of date; empty when a run has ended.",
    (HOUSEHOLD, text("month", "local month, or `*` for all", required=True)),
    key=("household_id", "month"),
)

TOMBSTONES = Table(
    "tombstones",
    "What must not be pulled again: only a hash is kept.",
    (
        text("hash", "SHA-256 of kind and id", required=True),
        instant("at", "when it was forgotten", required=True),
        text("of", "hash of what was asked for by this name: allowed again, the name is forgotten, too"),
    ),
    key=("hash",),
)


class TombstoneRow(TableRow, frozen=True):
    """A row of table `tombstones`."""

    table = TOMBSTONES

    hash: str
    at: dt.datetime
    of: str | None


CHOICES = Table(
    "choices",
    "What people decided by hand: category rules, transfer pairs accepted or rejected, accounts linked or parted.",
    (
        HOUSEHOLD,
        integer("number", "order, and name in `rules`", required=True),
        text("kind", "rule, category, transfer, not_transfer, link, unlink, account, removal", required=True),
        text("subject", "transaction or account id, pattern of a rule, number of a removed decision", required=True),
        text("value", "category, partner transaction, JSON pairs of accounts, JSON of account settings", required=True),
        boolean("active", "false after undo", required=True),
    ),
    key=("household_id", "number"),
)


class OverrideRow(TableRow, frozen=True):
    """A row of table `choices`."""

    table = CHOICES

    household_id: str
    number: int
    kind: str
    subject: str
    value: str
    active: bool


MOVES = Table(
    "moves",
    "What was moved from one household to another, row by row, so that it can be undone until the next sync.",
    (
        HOUSEHOLD,
        integer("number", "order of the moves", required=True),
        text("source", "household that the row came from", required=True),
        text("table_name", "table of the row", required=True),
        text("row_key", "key of the row within that household, as a JSON list", required=True),
        text("moved_to", "its new number, where it is a decision"),
        text("row", "the row as it was, as a JSON list, where it is not in this household as it was"),
    ),
    key=("household_id", "number", "table_name", "row_key"),
)

TABLES = (
    FILES,
    CLAIMS,
    RUNS,
    RECEIPTS,
    POSITIONS,
    WALKS,
    QUARANTINE,
    SPENDING_MONTHS,
    ROLLUPS,
    ACCOUNT_SUGGESTIONS,
    DIRTY_MONTHS,
    TOMBSTONES,
    CHOICES,
    MOVES,
)
