"""Deletion that can be shown: rows, raw records, roll-ups, search words, logs, backups and copies; a hash stays."""

from __future__ import annotations

from collections.abc import Callable
from glob import escape
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceNeeded, StoreError, ToolkitError, WrongUsage
from toolkit.flows.context import Context, Progress, nothing_stored, quiet
from toolkit.flows.forget_files import Shared, by_name
from toolkit.flows.forget_rows import Kind, Target, delete, find
from toolkit.flows.tombstones import is_forgotten, unbury

if TYPE_CHECKING:
    from toolkit.store import Store

Withdraw = Callable[[str], None]
_BURIED_AS: dict[Kind, str] = {"account": "account", "service_point": "service_point", "consent": "arrangement"}
"""What may be allowed again by its id → the kind of its tombstone."""
_CHUNK = 1 << 20


def forget(  # noqa: PLR0913  what may be forgotten, each by its name
    ctx: Context,
    *,
    consent: str | None = None,
    household: str | None = None,
    file: str | None = None,
    account: str | None = None,
    service_point: str | None = None,
    withdraw: Withdraw | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`forget`: delete what came under a consent (consent or arrangement id), or all of a household.

    Also one import alone (file: its name or hash), one account or one service point (id, name, NMI). A row that
    another file gave, too, stays as that file's; one that others gave in part or with other values goes, and these
    files are in `lost_with_it`. What was forgotten is pulled no more, until `allow_again`. Withdraws upstream first
    where `withdraw` is given and the consent is in force; that it failed is told, and does not keep the data. Copies
    and backups in the data folder lose the same rows; files there that still name an id of what was deleted are in
    `left`. One that was cut short is repeated with the same words and ends its work. Raises ChoiceNeeded where nothing
    is called so, StoreBusy where the database is open elsewhere (the rows are deleted then, but their bytes may remain
    until it is repeated).
    """
    from toolkit.store import open_store

    named: dict[Kind, str | None] = {"consent": consent, "household": household, "file": file, "account": account}
    kind, wanted = _question({**named, "service_point": service_point}, ctx)
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        target = _found_or_forgotten(store, kind, wanted)
        upstream = _withdraw(store, target, withdraw)
        lost = _lost_with(store, target)
        progress("deleting")
        deleted = delete(store, target)
        store.scrub()
    copies = _copies(ctx.db, kind, wanted, progress)
    return {
        "forgotten": {kind: target.id or wanted},
        "way_back": _way_back(kind, target.id or wanted),
        "deleted": dict(sorted(deleted.items())),
        **upstream,
        "lost_with_it": lost,
        "copies": copies,
        "left": [str(path) for path in _left(ctx.db, target, wanted)],
    }


def allow_again(ctx: Context, wanted: str) -> dict[str, Any]:
    """`forget --allow-again`: let the next sync bring an account, a service point or a consent that was forgotten.

    wanted: the id that `forget` answered; of names nothing was kept. Raises ChoiceNeeded where nothing called so was
    forgotten.
    """
    from toolkit.store import open_store

    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store, store.transaction():
        found: list[Kind] = [kind for kind, buried in _BURIED_AS.items() if is_forgotten(store, buried, wanted)]
        for kind in found:
            unbury(store, _BURIED_AS[kind], wanted)
        unbury(store, "asked", wanted)
    if not found:
        raise ChoiceNeeded(
            f"No account, service point or consent with the id {wanted!r} was forgotten here: say the id that "
            "`toolkit forget` answered. A household comes back with `toolkit connect`.",
            [],
        )
    return {"allowed_again": dict.fromkeys(found, wanted), "next": "toolkit sync"}


def _way_back(kind: Kind, identity: str) -> str:
    """How it would be had again."""
    if kind == "file":
        return "import the file again"
    if kind in ("consent", "household"):
        return "toolkit connect, or import its files again"
    return f"toolkit forget --allow-again {quote(identity)}, then toolkit sync, or import its files again"


def _question(named: dict[Kind, str | None], ctx: Context) -> tuple[Kind, str]:
    asked = [(kind, wanted) for kind, wanted in named.items() if wanted is not None]
    if not asked and ctx.household:
        asked = [("household", ctx.household)]
    if len(asked) != 1:
        raise WrongUsage("Say what to forget: one of --consent, --household, --file, --account and --service-point.")
    return asked[0]


def _found_or_forgotten(store: Store, kind: Kind, wanted: str) -> Target:
    """An empty target where the rows were deleted earlier: bytes and copies may be left."""
    try:
        return find(store, kind, wanted)
    except ChoiceNeeded:
        if is_forgotten(store, "asked", wanted):
            return Target(kind, "", names={wanted})
        raise


def _withdraw(store: Store, target: Target, withdraw: Withdraw | None) -> dict[str, Any]:
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


def _lost_with(store: Store, target: Target) -> list[dict[str, Any]]:
    """Rows that other files gave too, in part or otherwise, and that go with a file: import those files again."""
    if target.kind != "file":
        return []
    shared = Shared(store, target.household_id, target.id)
    return by_name(store, target.household_id, shared.lost())


def _copies(db: Path, kind: Kind, wanted: str, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    from toolkit.store.kept import logs_of

    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, kind, wanted)})
    for path in sorted({*db.parent.rglob(f"{db.stem}*.format*.bak*"), *_unfinished(db), *logs_of(db)}):
        path.unlink()
        done.append({"path": str(path), "done": "removed"})
    return done


def _delete_in_backup(path: Path, kind: Kind, wanted: str) -> str:
    from toolkit.store import open_store

    try:
        with open_store(path, create=False) as copy:
            try:
                delete(copy, find(copy, kind, wanted))
            except ChoiceNeeded:
                return "holds nothing of it"
            finally:
                copy.scrub()  # also where an earlier attempt had deleted the rows only
    except StoreError:
        path.unlink(missing_ok=True)
        return "removed: it could not be opened"
    return "rows deleted"


def _unfinished(db: Path) -> list[Path]:
    """What a backup or a restore that was cut short has left."""
    endings = (".part", ".unverified", ".restoring")
    return [path for path in db.parent.rglob(f"{db.stem}*.db.*") if path.name.endswith(endings)]


def _backups(db: Path) -> list[Path]:
    """What `backup` and `restore` have kept of `db` in their usual places."""
    from toolkit.store.kept import backups_of

    return sorted({*db.parent.glob(f"{escape(db.name)}.before-restore-*"), *backups_of(db)})


def _left(db: Path, target: Target, wanted: str) -> list[Path]:
    """Files of the data folder that still hold one of the ids.

    The rest of a household may go on naming an account, a service point or a file: then the database is no such file.
    """
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file()]
    if target.kind not in ("consent", "household"):
        own = {db, *(db.with_name(db.name + suffix) for suffix in ("-wal", "-shm")), *_backups(db)}
        files = [path for path in files if path not in own]
    words = {name.encode() for name in {*target.names, wanted}}
    return [path for path in files if _holds(path, words)]


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
