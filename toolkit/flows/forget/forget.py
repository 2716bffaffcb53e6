"""`forget`: delete rows, raw records, roll-ups, search words, logs, backups and copies; only a hash stays."""

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
from toolkit.flows.forget.tombstones import tombstone_of_name, way_back
from toolkit.flows.household.context import Context, Progress, named_household, nothing_stored, quiet
from toolkit.flows.wording import counted
from toolkit.store import Store, open_store
from toolkit.tables.schema import table
from toolkit.tables.schema.identity import HouseholdRow

Withdraw = Callable[[str], None]
Confirm = Callable[[str], None]
"""Called with a question that names what would be deleted; raises an error if the answer is no."""


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

    Also one import (file: its name or hash), one account or one service point (id, name, NMI). With one of these,
    `household` (or `ctx`) limits search and deletion to that household. A row that another file also gave stays as
    that file's; transactions and plans that another file gave with other values go, and `lost_with_it` lists these
    files. A sync does not fetch deleted data again until `allow_again`. If `withdraw` is given and the consent is
    active, it is withdrawn at the service first; a failure is reported and the data is deleted anyway. Copies and
    backups in the data folder lose the same rows; `left` lists other files there that name it, `remains` the names
    in them. record, reference: an HTML page to write that shows what was deleted.

    Repeat an interrupted call with the same arguments to finish it. Raises ChoiceRequiredError if none or several
    match, UsageError if `record` exists, StoreBusyError if the database is open elsewhere (rows are deleted then, but
    their bytes may remain until the call is repeated).
    """
    parts: dict[Kind, str | None] = {"consent": consent, "file": file, "account": account}
    kind, wanted, within = _question(
        {**parts, "service_point": service_point}, ctx.household if household is None else household
    )
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        target = _find_or_deleted(store, kind, wanted, _household_id(store, within))
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
        "left": [str(remainder.path) for remainder in left],
        "remains": [
            {"path": str(remainder.path), "kind": remainder.kind, "names": list(remainder.names)} for remainder in left
        ],
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
    """Ask whether to delete the target, with the row counts of its largest tables."""
    column = COLUMN[target.kind]
    where = {"household_id": target.household_id, column: target.id}
    tables = [(name, word) for name, word in _SHOWN.items() if column in table(name).names]
    counts = [(store.count(name, where=where), word) for name, word in tables] if target.id else []
    rows = ", ".join(counted(count, word) for count, word in counts if count)
    return (
        f"Delete the {target.kind.replace('_', ' ')} {wanted!r} for good{f' ({rows})' if rows else ''}, in backups too?"
    )


def _question(parts: dict[Kind, str | None], household: str | None) -> tuple[Kind, str, str | None]:
    """Return the kind to delete, its name as given, and the household to search.

    Raises UsageError unless exactly one thing is named.
    """
    asked = [(kind, wanted) for kind, wanted in parts.items() if wanted is not None]
    if len(asked) == 1:
        return (*asked[0], household)
    if asked or household is None:
        raise UsageError(
            "Name one thing to delete: --household, or one of --consent, --file, --account and --service-point (with "
            "--household if several households have it)."
        )
    return "household", household, None


def _household_id(store: Store, wanted: str | None) -> str | None:
    return None if wanted is None else named_household(store, store.load(HouseholdRow), wanted).household_id


def _find_or_deleted(store: Store, kind: Kind, wanted: str, household_id: str | None) -> Target:
    """Find the target; without an id if its rows were deleted earlier, as bytes and copies may remain."""
    try:
        return find(store, kind, wanted, household_id)
    except ChoiceRequiredError:
        if tombstone := tombstone_of_name(store, kind, wanted):
            return Target(kind, household_id or "", "", tombstone, names={wanted})
        raise


def _withdraw(store: Store, target: Target, withdraw: Withdraw | None) -> dict[str, Any]:
    """Withdraw consents at the service, except those that ended or that another household has; report failures."""
    consents = store.rows("consents", target.household_id, where={"arrangement_id": target.arrangements})
    over = {row["arrangement_id"] for row in consents if row["state"] != "active"}
    shared = arrangements_of_others(store, target.household_id)
    withdrawn, failed = [], []
    for arrangement in [it for it in target.arrangements if it not in over]:
        try:
            if arrangement in shared:
                raise StoreError("another household has this consent too")
            if withdraw is None:
                raise StoreError("no service is configured")
            withdraw(arrangement)
            withdrawn.append(arrangement)
        except ToolkitError as error:
            failed.append({"consent": arrangement, "reason": str(error)})
    return {"withdrawn": withdrawn, "not_withdrawn": failed}


def _lost_with(store: Store, target: Target) -> list[dict[str, Any]]:
    """Count, by file, the rows of other files that are deleted with this one; importing those files restores them."""
    if target.kind != "file" or not target.id:
        return []
    shared = Shared(store, target.household_id, target.id)
    return by_name(store, target.household_id, shared.lost())
