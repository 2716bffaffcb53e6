"""Choose the account of a file's transactions, the one that is named, a new one, or one that the file continues."""

from __future__ import annotations

from shlex import quote

import polars as pl
from msgspec import convert

from toolkit.analytics.money.account_evidence import COLUMNS, AccountRows, movements_of, overlap
from toolkit.analytics.money.accounts import continues
from toolkit.errors import ImportFailedError
from toolkit.flows.money.summary import household_zone
from toolkit.importers.imported import Imported
from toolkit.importers.source import Source
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema import Row
from toolkit.tables.schema.banking import AccountRow


def as_stored(store: Store, account: str) -> str:
    """Return the name of an account, spelt as a stored account of files if they differ only in case."""
    wanted = " ".join(account.split())
    known = store.tuples("accounts", ("account_id",), where={"source": "file"})
    return next((name for (name,) in known if name.casefold() == wanted.casefold()), wanted)


def refuse_as_another_account(store: Store, household_id: str, name: str, file_id: str, imported: Imported) -> None:
    """Raise ImportFailedError if a file is stored as another account, as its rows would count twice."""
    given = {row["account_id"] for row in imported.tables.get("transactions", ())}
    rows = store.tuples("transactions", ("account_id",), household_id, where={"file_id": file_id})
    stored = {account for (account,) in rows}
    if given and stored and not given & stored:
        names = ", ".join(sorted(stored))
        undo = Remedy.FORGET_FILE.with_(file=quote(name))
        raise ImportFailedError(name, Message(f"is stored already, as account {names!r}: ", undo))


def refuse_as_read_otherwise(store: Store, household_id: str, source: Source, imported: Imported) -> None:
    """Raise ImportFailedError if a file is stored as other columns read it, as its rows would count twice."""
    read = {row["id"] for row in imported.tables.get("transactions", ())}
    stored = {id_ for (id_,) in store.tuples("transactions", ("id",), household_id, where={"file_id": source.sha256})}
    if not stored <= read:
        undo = Remedy.READ_AGAIN.with_(file=quote(source.name))
        raise ImportFailedError(source.name, Message("is stored already, read by other columns: ", undo))


def account_of_unnamed(store: Store, household_id: str, file_id: str, imported: Imported) -> str | None:
    """Return the id of the account of a file's unnamed rows; None if the file names the account of every row.

    In this order: the account that holds this very file's rows; of the accounts of files of the same layout one that
    the file continues, the oldest first; an account of its own, named after the file. No other household has an account
    of that id, so that households can be merged without making two accounts one.
    """
    unnamed = next((row for row in imported.tables.get("accounts", ()) if row["layout"] is not None), None)
    if unnamed is None:
        return None
    made = {row.account_id: row for row in store.load(AccountRow, household_id, where={"source": "file"})}
    from_this_file = store.tuples("transactions", ("account_id",), household_id, where={"file_id": file_id})
    if again := sorted({account for (account,) in from_this_file} & made.keys()):
        return str(again[0])
    alike = [row for row in made.values() if row.layout == unnamed["layout"]]
    if alike:
        new = _rows_of(unnamed, imported.tables.get("transactions", ()), household_zone(store, household_id))
        stored = [_stored(store, household_id, row) for row in alike]
        if fitting := [rows for rows in stored if continues(new, rows, overlap(new, rows))]:
            return min(fitting, key=lambda rows: (str(rows.first), rows.account_id)).account_id
    everywhere = {str(account).casefold() for (account,) in store.tuples("accounts", ("account_id",))}
    return _free_name(str(unnamed["account_id"]), everywhere)


def name_to_show(store: Store, household_id: str, account_id: str, wanted: str) -> str:
    """Return the name of a file's account: as stored, else `wanted`, numbered where the household has one called so.

    Unlike its id, the name does not tell what other households have.
    """
    own = {row.account_id: row.display_name or row.account_id for row in store.load(AccountRow, household_id)}
    return own.get(account_id) or _free_name(wanted, {name.casefold() for name in own.values()})


def _rows_of(account: Row, transactions: list[Row] | tuple[Row, ...], zone: str) -> AccountRows:
    unnamed = convert({**dict.fromkeys(AccountRow.__struct_fields__), "household_id": "", **account}, AccountRow)
    own = [row for row in transactions if row["account_id"] == unnamed.account_id]
    columns = {name: [row.get(name) for row in own] for name in COLUMNS}
    frame = pl.DataFrame(columns, {name: pl.Int64 if name.endswith("_minor") else pl.String for name in COLUMNS})
    return AccountRows(unnamed, movements_of(frame, zone).get(unnamed.account_id, ()))


def _stored(store: Store, household_id: str, account: AccountRow) -> AccountRows:
    where = {"account_id": account.account_id}
    frame = store.read("transactions", household_id, where=where, columns=COLUMNS)
    zone = household_zone(store, household_id)
    return AccountRows(account, movements_of(frame, zone).get(account.account_id, ()))


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{name} {number}"
    return free
