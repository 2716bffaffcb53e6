"""Move an account of files that went into the wrong household to another one; can be undone until the next sync."""

from __future__ import annotations

from toolkit.analytics.money.account_summary import accounts_called, name_of
from toolkit.analytics.money.overrides import ids_in
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import find_household
from toolkit.flows.household.merge import COPIED, Move, begin, is_file_used, move_decisions, move_rows, note, recompute
from toolkit.flows.money.spending import accounts_as_set
from toolkit.store import Condition, Store
from toolkit.store.provenance import written_key
from toolkit.store.statements import batches
from toolkit.tables.schema import banking, table
from toolkit.tables.schema.banking import AccountRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.tables.words import not_one


def move_account(store: Store, wanted: str, household: str) -> str:
    """Move the account of that id or name, with all that files gave of it, to another household; returns its id.

    Raises ChoiceRequiredError where no single other household has such an account, UsageError where it comes from the
    service or is linked to another account.
    """
    target = find_household(store, household).household_id
    account = _account(store, wanted, target)
    if account.source != "file":
        raise UsageError(
            f"Account {wanted!r} comes from the service under a consent of its household. "
            "Merge the households instead: `toolkit household merge`."
        )
    id_, source = account.account_id, account.household_id
    if account.linked_account_id or store.count("accounts", source, where={"linked_account_id": id_}):
        raise UsageError(f"Account {wanted!r} is linked to another one. Run `toolkit accounts unlink` on it first.")
    with store.transaction():
        _move(store, begin(store, source, target), id_)
    return id_


def _account(store: Store, wanted: str, target: str) -> AccountRow:
    """Return the only account of a household other than `target` with that id or name."""
    households = {row.household_id: row.name for row in store.load(HouseholdRow)}
    others = [row for home in households if home != target for row in accounts_as_set(store, home)]
    called = [row for row in others if accounts_called([row], wanted)]
    if len(called) != 1:
        known = [f"{name_of(row) or row.account_id} of {households[row.household_id]}" for row in called or others]
        kinds = "account of another household", "accounts of other households"
        raise ChoiceRequiredError(not_one(kinds[0], wanted, len(called), kinds[1]), sorted(known))
    return called[0]


def _move(store: Store, move: Move, account: str) -> None:
    of_account: dict[str, Condition] = {"account_id": account}
    transactions = {id_ for (id_,) in store.tuples("transactions", ("id",), move.source, where=of_account)}
    files = {file for (file,) in store.tuples("transactions", ("file_id",), move.source, where=of_account) if file}
    known = {id_ for (id_,) in store.tuples("transactions", ("id",), move.source)}
    known |= {id_ for (id_,) in store.tuples("accounts", ("account_id",), move.source)}
    names = [stored.name for stored in banking.TABLES if {"account_id", "household_id"} <= set(stored.names)]
    keys = {}
    for name in names:  # as table `claims` stores them
        keys[name] = sorted(map(written_key, store.tuples(name, table(name).own_key, move.source, where=of_account)))
    for name in names:
        move_rows(store, move, name, of_account)
    for name, written in keys.items():
        for some in batches(written):
            where: dict[str, Condition] = {"table_name": name, "row_key": some}
            files |= {file for (file,) in store.tuples("claims", ("file_id",), move.source, where=where)}
            move_rows(store, move, "claims", where)
    for file in sorted(files):
        _move_file(store, move, file)
    moved = transactions | {account}
    overrides = store.load(OverrideRow, move.source)
    about = [row for row in overrides if (ids := ids_in(row) & known) and ids <= moved]
    move_decisions(store, move, about)
    for household in (move.source, move.target):
        recompute(store, household)


def _move_file(store: Store, move: Move, file: str) -> None:
    """Move a file's entry; copy it if other rows of the file stay in the old household."""
    where: dict[str, Condition] = {"file_id": file}
    if not is_file_used(store, move.source, file):
        move_rows(store, move, "files", where)
    elif not store.count("files", move.target, where=where):
        [row] = store.rows("files", move.source, where=where)
        store.upsert("files", [{**row, "household_id": move.target}])
        note(store, move, "files", (file,), None, moved_to=COPIED)
