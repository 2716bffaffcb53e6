"""Deletion that can be shown: rows, raw records, roll-ups, search words, logs, backups and copies; a hash stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolkit.errors import ChoiceRequiredError, StoreError, ToolkitError, UsageError
from toolkit.flows.forget.copies import forget_copies
from toolkit.flows.forget.files import Shared, by_name
from toolkit.flows.forget.record import prepare, write_record
from toolkit.flows.forget.remaining_files import remains
from toolkit.flows.forget.rows import delete
from toolkit.flows.forget.target import COLUMN, Kind, Target, arrangements_of_others, find
from toolkit.flows.forget.tombstones import asked_for, way_back
from toolkit.flows.household.context import Context, Progress, named_household, nothing_stored, quiet
from toolkit.flows.wording import counted
from toolkit.store import Store, open_store
from toolkit.tables.schema import table

Withdraw = Callable[[str], None]
Confirm = Callable[[str], None]
"""Asks whether to delete, with a sentence that says what; raises an error where the answer is no."""


def forget(  # noqa: PLR0913  what may be forgotten, each by its name
    ctx: Context,
    *,
    consent: str | None = None,
    household: str | None = None,
    file: str | None = None,
    account: str | None = None,
    service_point: str | None = None,
    withdraw: Withdraw | None = None,
    confirm: Confirm | None = None,
    record: Path | None = None,
    reference: str | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`forget`: delete what came under a consent (consent or arrangement id), or all of a household.

    Also one import alone (file: its name or hash), one account or one service point (id, name, NMI). A household that
    is given beside one of these, or by `ctx`, says in which it is looked for, and in which alone it goes: rows of other
    households stay as they are. A row that another file gave, too, stays as that file's; transactions and plans that
    others gave otherwise go, and these files are in `lost_with_it`. What was forgotten is pulled no more, until
    `allow_again`. Withdraws upstream first where `withdraw` is given and the consent is in force; that it failed is
    told, and does not keep the data. Copies and backups in the data folder lose the same rows; other files there that
    name it are in `left`, with the names in `remains`. record, reference: an HTML page to write that shows what went.

    One that was cut short is repeated with the same words and ends its work. Raises ChoiceRequiredError where nothing
    is called so or more than one thing is, UsageError where `record` is there already, StoreBusyError where the
    database is open elsewhere (the rows are deleted then, but their bytes may remain until it is repeated).
    """
    parts: dict[Kind, str | None] = {"consent": consent, "file": file, "account": account}
    kind, wanted, within = _question(
        {**parts, "service_point": service_point}, ctx.household if household is None else household
    )
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        target = _found_or_forgotten(store, kind, wanted, _home(store, within))
        if confirm is not None:
            confirm(_what_goes(store, target, wanted))
        if record is not None:
            prepare(record, ctx.db)
        upstream = _withdraw(store, target, withdraw)
        lost = _lost_with(store, target)
        progress("deleting")
        deleted = delete(store, target)
        store.scrub()
    copies = forget_copies(ctx.db, target, progress)
    left = remains(ctx.db, target, [Path(copy["path"]) for copy in copies])
    answer: dict[str, Any] = {
        "forgotten": {kind: target.id or wanted},
        "way_back": way_back(kind, target.id or wanted),
        "deleted": dict(sorted(deleted.items())),
        **upstream,
        "lost_with_it": lost,
        "copies": copies,
        "left": [str(found.path) for found in left],
        "remains": [{"path": str(found.path), "kind": found.kind, "names": list(found.names)} for found in left],
        "record": None if record is None else str(record),
    }
    if record is not None:
        write_record(record, kind, answer, reference)
    return answer


_SHOWN = {
    "accounts": "account",
    "transactions": "transaction",
    "register_days": "meter day",
    "meter_reads": "meter read",
    "plans": "plan",
}


def _what_goes(store: Store, target: Target, wanted: str) -> str:
    """What would be deleted, with the largest tables counted."""
    column = COLUMN[target.kind]
    where = {"household_id": target.household_id, column: target.id}
    tables = [(name, word) for name, word in _SHOWN.items() if column in table(name).names]
    counts = [(store.count(name, where=where), word) for name, word in tables] if target.id else []
    rows = ", ".join(counted(count, word) for count, word in counts if count)
    return (
        f"Delete the {target.kind.replace('_', ' ')} {wanted!r} for good{f' ({rows})' if rows else ''}, in backups too?"
    )


def _question(parts: dict[Kind, str | None], household: str | None) -> tuple[Kind, str, str | None]:
    """What to forget, how it was called, and in which household alone."""
    asked = [(kind, wanted) for kind, wanted in parts.items() if wanted is not None]
    if len(asked) == 1:
        return (*asked[0], household)
    if asked or household is None:
        raise UsageError(
            "Say what to forget: --household, or one of --consent, --file, --account and --service-point, with "
            "--household where several have it."
        )
    return "household", household, None


def _home(store: Store, wanted: str | None) -> str | None:
    return None if wanted is None else str(named_household(store, store.rows("households"), wanted)["household_id"])


def _found_or_forgotten(store: Store, kind: Kind, wanted: str, household_id: str | None) -> Target:
    """A target without id where the rows were deleted earlier: bytes and copies may be left."""
    try:
        return find(store, kind, wanted, household_id)
    except ChoiceRequiredError:
        if buried := asked_for(store, kind, wanted):
            return Target(kind, household_id or "", "", buried, names={wanted})
        raise


def _withdraw(store: Store, target: Target, withdraw: Withdraw | None) -> dict[str, Any]:
    """End at the service what is not known to have ended and no other household has; the rest is told."""
    consents = store.rows("consents", target.household_id, where={"arrangement_id": target.arrangements})
    over = {row["arrangement_id"] for row in consents if row["state"] != "active"}
    shared = arrangements_of_others(store, target.household_id)
    withdrawn, failed = [], []
    for arrangement in [found for found in target.arrangements if found not in over]:
        try:
            if arrangement in shared:
                raise StoreError("another household has it, too")
            if withdraw is None:
                raise StoreError("no service is set up here")
            withdraw(arrangement)
            withdrawn.append(arrangement)
        except ToolkitError as error:
            failed.append({"consent": arrangement, "reason": str(error)})
    return {"withdrawn": withdrawn, "not_withdrawn": failed}


def _lost_with(store: Store, target: Target) -> list[dict[str, Any]]:
    """Rows that other files gave too, in part or otherwise, and that go with a file: import those files again."""
    if target.kind != "file" or not target.id:
        return []
    shared = Shared(store, target.household_id, target.id)
    return by_name(store, target.household_id, shared.lost())
