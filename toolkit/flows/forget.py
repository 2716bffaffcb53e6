"""Deletion that can be shown: rows, raw records, roll-ups, search words, logs, backups and copies; a hash stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceNeeded, StoreError, ToolkitError, WrongUsage
from toolkit.flows.backup import FOLDER
from toolkit.flows.context import Context, Progress, named_household, nothing_stored, quiet
from toolkit.flows.tombstones import bury, is_forgotten
from toolkit.tables.schema import STORED

if TYPE_CHECKING:
    from toolkit.store import Store

Withdraw = Callable[[str], None]
_CHUNK = 1 << 20


@dataclass(slots=True)
class _Target:
    """What is to go: one consent's records, or (no arrangement) a whole household."""

    household_id: str
    arrangement: str | None = None
    arrangements: list[str] = field(default_factory=list)
    end_users: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


Find = Callable[["Store"], _Target]


def forget(
    ctx: Context,
    *,
    consent: str | None = None,
    household: str | None = None,
    withdraw: Withdraw | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`forget`: delete what came under a consent (consent or arrangement id), or all of a household.

    Withdraws upstream first where `withdraw` is given and the consent is in force; that it failed is told, and does
    not keep the data. Copies and backups in the data folder lose the same rows; files there that still name an id of
    what was deleted are in `left`. One that was cut short is repeated with the same words and ends its work. Raises
    ChoiceNeeded where nothing is called so, StoreBusy where the database is open elsewhere (the rows are deleted then,
    but their bytes may remain until it is repeated).
    """
    from toolkit.store import open_store

    household = household or (None if consent else ctx.household)
    if (consent is None) == (household is None):
        raise WrongUsage("Say what to forget: --consent ID, or --household ID.")
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    wanted, find = _question(consent, household)
    with open_store(ctx.db) as store:
        target = _found_or_forgotten(store, find, wanted)
        upstream = _withdraw(store, target, withdraw)
        progress("deleting")
        deleted = _delete(store, target)
        store.scrub()
    copies = _copies(ctx.db, find, progress)
    words = {name.encode() for name in {*target.names, wanted}}
    return {
        "forgotten": {"consent": target.arrangement or wanted}
        if consent
        else {"household": target.household_id or wanted},
        "deleted": dict(sorted(deleted.items())),
        **upstream,
        "copies": copies,
        "left": [str(path) for path in _naming(ctx.db.parent, words)],
    }


def _question(consent: str | None, household: str | None) -> tuple[str, Find]:
    """What was asked, and how a store is searched for it."""
    wanted = consent or household or ""
    return wanted, lambda store: _consent_target(store, wanted) if consent else _household_target(store, wanted)


def _found_or_forgotten(store: Store, find: Find, wanted: str) -> _Target:
    """An empty target where the rows were deleted earlier: bytes and copies may be left."""
    try:
        return find(store)
    except ChoiceNeeded:
        if is_forgotten(store, "asked", wanted):
            return _Target("")
        raise


def _consent_target(store: Store, wanted: str) -> _Target:
    consents = store.rows("consents")
    found = [row for row in consents if wanted in (row["consent_id"], row["arrangement_id"])]
    if len(found) != 1:
        raise ChoiceNeeded(f"No single consent is called {wanted!r}.", [row["arrangement_id"] for row in consents])
    row = found[0]
    arrangement = row["arrangement_id"]
    names = {arrangement, row["consent_id"] or arrangement}
    return _Target(row["household_id"], arrangement, [arrangement], names=names)


def _household_target(store: Store, wanted: str) -> _Target:
    household_id = named_household(store, store.rows("households"), wanted)["household_id"]
    arrangements = [row["arrangement_id"] for row in store.rows("consents", household_id)]
    people = [row["end_user_id"] for row in store.rows("end_users", household_id)]
    return _Target(household_id, None, arrangements, people, {household_id, *arrangements, *people, wanted})


def _withdraw(store: Store, target: _Target, withdraw: Withdraw | None) -> dict[str, Any]:
    """End the consents that are in force at the service; what could not be ended there is told."""
    where = {"arrangement_id": target.arrangements, "state": "active"}
    active = [row["arrangement_id"] for row in store.rows("consents", target.household_id, where=where)]
    withdrawn, failed = [], []
    for arrangement in active:
        try:
            if withdraw is None:
                raise StoreError("no service is set up here")
            withdraw(arrangement)
            withdrawn.append(arrangement)
        except ToolkitError as error:
            failed.append({"consent": arrangement, "reason": str(error)})
    return {"withdrawn": withdrawn, "not_withdrawn": failed}


def _delete(store: Store, target: _Target) -> Counter[str]:
    """All rows of the target and what was derived from them, with tombstones, in one transaction."""
    if not target.household_id:
        return Counter()  # an empty household id stands for what belongs to nobody, such as published plans
    with store.transaction():
        deleted = _delete_consent(store, target) if target.arrangement else _delete_household(store, target)
        for kind, ids in (
            ("arrangement", target.arrangements),
            ("end_user", target.end_users),
            ("asked", target.names),
        ):
            bury(store, kind, sorted(ids), datetime.now(UTC))
        _recompute(store, target)
    return +deleted


def _delete_household(store: Store, target: _Target) -> Counter[str]:
    where = {"household_id": target.household_id}
    runs = {row[0] for row in store.tuples("receipts", ("run_id",), target.household_id)}
    tables = [table.name for table in STORED if "household_id" in table.names]
    deleted = Counter({name: store.delete(name, where) for name in tables})
    others = {row[0] for row in store.tuples("receipts", ("run_id",))}
    deleted["runs"] = store.delete("runs", {"run_id": sorted(runs - others)})
    _forget_errors(store)
    return deleted


def _delete_consent(store: Store, target: _Target) -> Counter[str]:
    household_id, arrangement = target.household_id, target.arrangement
    where = {"household_id": household_id, "arrangement_id": arrangement}
    accounts = {row[0] for row in store.tuples("accounts", ("account_id",), household_id, where=where)}
    rows = {row[0] for row in store.tuples("transactions", ("id",), household_id, where=where)}
    people = [row[0] for row in store.tuples("consents", ("end_user_id",), where=where)]
    tables = [table.name for table in STORED if "arrangement_id" in table.names]
    deleted = Counter({name: store.delete(name, where) for name in tables})
    deleted["choices"] = _delete_choices(store, household_id, rows)
    # Positions name accounts and service points; without them the next sync reads the person's other consents anew.
    deleted["positions"] = store.delete("positions", {"household_id": household_id, "end_user_id": people})
    for account in accounts:
        links = {"household_id": household_id, "linked_account_id": account}
        store.update("accounts", {"linked_account_id": None}, links)
    _forget_errors(store)
    return deleted


def _delete_choices(store: Store, household_id: str, transactions: set[str]) -> int:
    chosen = store.rows("choices", household_id)
    about = [row["number"] for row in chosen if transactions & {row["subject"], row["value"]}]
    return store.delete("choices", {"household_id": household_id, "number": about}) if about else 0


def _forget_errors(store: Store) -> None:
    """What a failed run said may name an account."""
    store.update("runs", {"error": None}, {})


def _recompute(store: Store, target: _Target) -> None:
    if target.arrangement is not None:
        from toolkit.flows.rollups import mark_all, refresh
        from toolkit.flows.sync_renewals import settle

        settle(store, datetime.now(UTC), after_deletion=True)
        mark_all(store, target.household_id)
        refresh(store, target.household_id)


def _copies(db: Path, find: Find, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, find)})
    for path in sorted(db.parent.rglob(f"{db.stem}*.format*.bak*")):
        path.unlink()
        done.append({"path": str(path), "done": "removed"})
    return done


def _delete_in_backup(path: Path, find: Find) -> str:
    from toolkit.store import open_store

    try:
        with open_store(path, create=False) as copy:
            try:
                _delete(copy, find(copy))
            except ChoiceNeeded:
                return "holds nothing of it"
            finally:
                copy.scrub()  # also where an earlier attempt had deleted the rows only
    except StoreError:
        path.unlink(missing_ok=True)
        return "removed: it could not be opened"
    return "rows deleted"


def _backups(db: Path) -> list[Path]:
    """What `backup` and `restore` have kept of `db` in their usual places."""
    return sorted({*db.parent.glob(f"{db.name}.before-restore-*"), *(db.parent / FOLDER).glob(f"{db.stem}-*.db")})


def _naming(folder: Path, words: set[bytes]) -> list[Path]:
    """Files of the data folder that still hold one of the ids."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and _holds(path, words)]


def _holds(path: Path, words: set[bytes]) -> bool:
    longest = max(map(len, words))
    tail = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                text = tail + chunk
                if any(word in text for word in words):
                    return True
                tail = text[-longest:]
    except OSError:
        return False
    return False
