"""Tables of the journal: imports, file provenance (claims), runs, receipts, checkpoints, quarantine, tombstones."""

import datetime as dt

from toolkit.tables.schema.columns import (
    GIVEN_BY_FILE,
    Annotated,
    Arrangement,
    Household,
    KeyOf,
    OrNone,
    TableRow,
    Unit,
    table_row,
)


@table_row("files", key=("household_id", "file_id"))
class FileRow(TableRow, frozen=True):
    """Files that were imported."""

    household_id: Household
    file_id: Annotated[str, "hash of the content"]
    name: Annotated[str, "file name without its folder"]
    kind: Annotated[str, "nem12, nem13, usage-csv, greenbutton, inverter, bank-csv, ofx, qif, plans"]
    imported_at: Annotated[dt.datetime, "when"]


@table_row("claims", key=("household_id", "file_id", "table_name", "row_key"), references=GIVEN_BY_FILE)
class ClaimRow(TableRow, frozen=True):
    """File provenance: what several files gave of one row, so that it stays when one of them is deleted."""

    household_id: Household
    file_id: Annotated[str, "the file that gave the row too"]
    table_name: Annotated[str, "table of the row"]
    row_key: Annotated[str, "key of the row within its household, as a JSON list"]
    share: Annotated[str, "all: it gave the row as it stands; part: some of its values; none: other values"]
    sequence: Annotated[int | None, "order of the imports of meter days and reads, from 0"]
    fills: Annotated[bool | None, "the file's values complete a meter day; else they replace it"]
    given: Annotated[
        str | None,
        "the meter day or read as the file gave it, as JSON; null where it is the row as it stands",
    ]


@table_row("runs", key=("run_id",), internal=True)
class RunRow(TableRow, frozen=True):
    """Sync runs."""

    run_id: Annotated[str, "identity"]
    started_at: Annotated[dt.datetime, "when"]
    finished_at: Annotated[dt.datetime | None, "when; null while running or after a kill"]
    state: Annotated[str, "running, done, failed"]
    error: Annotated[str | None, "what ended it"]


@table_row("receipts", key=("run_id", "household_id", "end_user_id", "resource", "page"), internal=True)
class ReceiptRow(TableRow, frozen=True):
    """Counts of each page of a run: fetched = added + updated + unchanged + rejected."""

    run_id: Annotated[str, "run", KeyOf("runs")]
    household_id: OrNone
    end_user_id: Annotated[str, "end user of the data"]
    resource: Annotated[str, "such as banking.transactions"]
    page: Annotated[int, "page number within the list sync, from 1"]
    fetched: Annotated[int, "records on the page"]
    added: Annotated[int, "new"]
    updated: Annotated[int, "changed"]
    unchanged: Annotated[int, "as before"]
    removed: Annotated[int, "pending or vanished rows taken out of totals"]
    rejected: Annotated[int, "put into quarantine"]


@table_row("positions", key=("household_id", "end_user_id", "resource"), internal=True)
class PositionRow(TableRow, frozen=True):
    """How far each resource has been read."""

    household_id: OrNone
    end_user_id: Annotated[str, "end user of the data"]
    resource: Annotated[str, "such as banking.transactions"]
    position: Annotated[str | None, "the day each part was read up to"]
    fresh_at: Annotated[dt.datetime | None, "end of the last complete read of the list"]
    full_walk_at: Annotated[dt.datetime | None, "end of the last read without a lower bound"]
    platform: Annotated[str | None, "the deployment's word (TOOLKIT_PLATFORM) as it was set for that read"]


@table_row("walks", key=("household_id", "end_user_id", "resource", "part", "asked"), internal=True)
class WalkRow(TableRow, frozen=True):
    """Checkpoints of lists not read to their end: the last page stored, from which the next sync continues."""

    household_id: OrNone
    end_user_id: Annotated[str, "end user of the data"]
    resource: Annotated[str, "such as banking.transactions"]
    part: Annotated[str, "account, service point or institution it is of; empty where it is of all"]
    asked: Annotated[str, "question and consents in force, as JSON: under others it is another list sync"]
    cursor: Annotated[str, "the service's cursor of that page"]
    content: Annotated[str, "hash of the records on that page"]
    first: Annotated[bool, "whether nothing of the list was stored before the list sync"]
    newest: Annotated[dt.date | None, "latest day on the pages before it"]
    reached_at: Annotated[dt.datetime, "start of the run that stored it"]


@table_row("quarantine", key=("household_id", "resource", "id"))
class QuarantineRow(TableRow, frozen=True):
    """Records that could not be read; they go in once a later version reads them."""

    household_id: OrNone
    resource: Annotated[str, "such as banking.transactions"]
    id: Annotated[str, "platform_id, or a hash of the record"]
    reason: Annotated[str, "what is wrong"]
    raw: Annotated[str, "the record as given"]
    arrangement_id: Arrangement
    seen_at: Annotated[dt.datetime, "when last seen"]


@table_row(
    "spending_months",
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
class SpendingMonthRow(TableRow, frozen=True):
    """Roll-up of spending; recomputed before a run ends that changed transactions or accounts."""

    household_id: Household
    month: Annotated[str, "local month YYYY-MM; empty where a row has no date"]
    account_id: Annotated[str, "account"]
    kind: Annotated[str, "expense, income or transfer"]
    primary_category: Annotated[str, "category; empty where none"]
    secondary_category: Annotated[str, "finer category; empty where none"]
    currency: Annotated[str, "ISO 4217"]
    pending: Annotated[bool, "whether the rows are pending"]
    amount_minor: Annotated[int, "signed sum", Unit("minor units")]
    out_minor: Annotated[int, "signed sum of the outgoing rows alone", Unit("minor units")]
    count: Annotated[int, "rows"]
    first_day: Annotated[dt.date | None, "local day of the earliest row; null where no row has a date"]
    last_day: Annotated[dt.date | None, "local day of the latest row"]


@table_row("rollups", key=("household_id",))
class RollupRow(TableRow, frozen=True):
    """What each household's roll-up was made from; it is not used without a row, or where that differs from today's."""

    household_id: Household
    basis: Annotated[str, "hash of zone, accounts, choices and the rules of classification"]
    version: Annotated[str | None, "version of the rules of classification"]
    links_basis: Annotated[str | None, "hash of zone, accounts and the choices that link or part accounts"]


@table_row("frame_columns", key=("household_id", "frame", "name"), internal=True)
class FrameColumnRow(TableRow, frozen=True):
    """Classified transactions, a row for each column: what `spending` and `transactions` answer from, made anew before
    a run ends that changed transactions, accounts or choices."""

    household_id: Household
    frame: Annotated[
        str,
        "transactions; copies and main: transactions and accounts that count as another one; owing: accounts that owe",
    ]
    name: Annotated[str, "name of the column; `NAME:0` and on are its parts, where it is kept in parts"]
    cells: Annotated[bytes, "its values, newest transaction first, as Arrow streams in a MessagePack list"]


@table_row("account_suggestions", key=("household_id", "account_ids"))
class AccountSuggestionRow(TableRow, frozen=True):
    """Accounts that may be one and the same, worked out with the roll-up; they count apart until somebody
    decides."""

    household_id: Household
    account_ids: Annotated[str, "the accounts, as a JSON list"]
    reason: Annotated[str, "why they may be one"]


@table_row("tombstones", key=("hash",), internal=True)
class TombstoneRow(TableRow, frozen=True):
    """What must not be pulled again: only a hash is kept."""

    hash: Annotated[str, "SHA-256 of kind and id"]
    at: Annotated[dt.datetime, "when it was forgotten"]
    of: Annotated[str | None, "hash of what was asked for by this name: allowed again, the name is forgotten, too"]


@table_row("choices", key=("household_id", "number"))
class OverrideRow(TableRow, frozen=True):
    """What people decided by hand: category rules, transfer pairs accepted or rejected, accounts linked or
    parted, bills typed."""

    household_id: Household
    number: Annotated[int, "order, and name in `rules`"]
    kind: Annotated[
        str, "rule, category, transfer, not_transfer, no_such_transfers, link, unlink, account, invoice, removal"
    ]
    subject: Annotated[
        str,
        "transaction, account or typed bill id, pattern of a rule, payees of one, one a line, "
        "number of a removed decision",
    ]
    value: Annotated[
        str, "category, partner transaction, JSON pairs of accounts, JSON of account settings, version of a bill"
    ]
    active: Annotated[bool, "false after undo"]
    entered_at: Annotated[dt.datetime | None, "when it was decided; null: with an earlier release"] = None


@table_row("moves", key=("household_id", "number", "table_name", "row_key"))
class MoveRow(TableRow, frozen=True):
    """What was moved from one household to another, row by row, so that it can be undone until the next sync."""

    household_id: Annotated[str, "household of the row; it may itself have moved into another since"]
    number: Annotated[int, "order of the moves"]
    source: Annotated[str, "household that the row came from"]
    table_name: Annotated[str, "table of the row"]
    row_key: Annotated[str, "key of the row within that household, as a JSON list"]
    moved_to: Annotated[str | None, "its new number, where it is a decision"]
    row: Annotated[str | None, "the row as it was, as a JSON list, where it is not in this household as it was"]


TABLES = (
    FileRow.table,
    ClaimRow.table,
    RunRow.table,
    ReceiptRow.table,
    PositionRow.table,
    WalkRow.table,
    QuarantineRow.table,
    SpendingMonthRow.table,
    RollupRow.table,
    FrameColumnRow.table,
    AccountSuggestionRow.table,
    TombstoneRow.table,
    OverrideRow.table,
    MoveRow.table,
)
