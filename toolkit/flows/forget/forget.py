"""`forget`: delete rows, raw records, roll-ups, search words, logs, backups and copies; only a hash stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from shlex import quote
from zoneinfo import ZoneInfo

from toolkit.answers.forget import AllowedAgain, Forgotten, LostRows, WithdrawalFailure
from toolkit.errors import ChoiceRequiredError, NothingStoredError, StoreError, ToolkitError, UsageError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.forget.copies import forget_copies, remains
from toolkit.flows.forget.rows import Shared, by_name, delete
from toolkit.flows.forget.target import COLUMN, Kind, Target, find, shared_arrangements
from toolkit.flows.household.context import Context, Progress, named_household, nothing_stored, quiet
from toolkit.flows.household.service_points import typed_invoices
from toolkit.flows.money.summary import household_zone
from toolkit.flows.wording import counted
from toolkit.remedies import Message, Remedy
from toolkit.report import Section, Table, render
from toolkit.store import Store, open_store
from toolkit.store.connection import private_file, replace_private
from toolkit.store.sync_state import ASKED, TOMBSTONE_KIND, remove_tombstones, tombstone_of_name, tombstones_anywhere
from toolkit.tables.schema import table
from toolkit.tables.schema.identity import ConsentRow, HouseholdRow

Withdraw = Callable[[str], None]
Confirm = Callable[[str], None]
"""Called with a question that names what would be deleted; raises an error if the person declines."""


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
) -> Forgotten:
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
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        household_id = within and named_household(store, store.load(HouseholdRow), within).household_id
        target = _find_or_deleted(store, kind, wanted, household_id)
        if confirm is not None:
            confirm(_what_goes(store, target, wanted))
        if record is not None:
            prepare(record, ctx.db)
        shared = shared_arrangements(store, target)
        withdrawn, not_withdrawn = _withdraw(store, target, shared, withdraw)
        lost = _lost_with(store, target)
        zone = ZoneInfo(household_zone(store, target.household_id))
        progress("deleting")
        bills = _bills(store, target.household_id)
        deleted = delete(store, target, shared)
        removed, earlier = _not_in_force(bills, _bills(store, target.household_id))
        progress("rewriting the database, so that nothing remains in it")
        store.scrub()
    copies = forget_copies(ctx.db, [target], progress)
    left = remains(ctx.db, target, [Path(copy.path) for copy in copies])
    answer = Forgotten(
        forgotten={kind: target.id or wanted},
        way_back=way_back(kind, target.id or wanted),
        deleted=dict(sorted(deleted.items())),
        withdrawn=tuple(withdrawn),
        not_withdrawn=tuple(not_withdrawn),
        lost_with_it=tuple(lost),
        copies=tuple(copies),
        left=tuple(file.path for file in left),
        remains=tuple(left),
        record=None if record is None else str(record),
        removed_bills=removed,
        earlier_bills=earlier,
    )
    if record is not None:
        write_record(record, kind, answer, reference, zone)
    return answer


_Bill = tuple[str, str]
"""Id and version of a bill that was entered."""


def _bills(store: Store, home: str) -> tuple[set[_Bill], set[_Bill]]:
    """Return the bills that were entered, in every version, and those of them that count."""
    stored = {(bill, version) for bill, version in store.tuples("typed_invoices", ("id", "version"), home)}
    return stored, {(bill.id, bill.version) for bill in typed_invoices(store, home)}


def _not_in_force(before: tuple[set[_Bill], set[_Bill]], after: tuple[set[_Bill], set[_Bill]]) -> tuple[int, int]:
    """Return how many of the deleted rows were of bills that had been removed, and of versions before the last."""
    (stored, counted_before), (left, _) = before, after
    gone = stored - left
    counting = {bill for bill, _ in counted_before}
    removed = sum(bill not in counting for bill, _ in gone)
    return removed, len(gone - counted_before) - removed


def forget_everything(ctx: Context, *, withdraw: Withdraw | None = None) -> tuple[WithdrawalFailure, ...]:
    """Delete every household, as `forget` does one, but rewrite the database and each backup once for all of them.

    Returns the consents that could not be ended at the service. Backups come first: a household that is still stored
    is found in them when an interrupted call is repeated.
    """
    not_withdrawn: list[WithdrawalFailure] = []
    with open_store(ctx.db) as store:
        targets = [find(store, "household", home.household_id) for home in store.load(HouseholdRow)]
        forget_copies(ctx.db, targets, quiet)
        for target in targets:
            shared = shared_arrangements(store, target)
            not_withdrawn += _withdraw(store, target, shared, withdraw)[1]
            delete(store, target, shared)
        store.scrub()
    return tuple(not_withdrawn)


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


def _find_or_deleted(store: Store, kind: Kind, wanted: str, household_id: str | None) -> Target:
    """Find the target; without an id if its rows were deleted earlier, as bytes and copies may remain."""
    try:
        return find(store, kind, wanted, household_id)
    except ChoiceRequiredError:
        if tombstone := tombstone_of_name(store, kind, wanted):
            return Target(kind, household_id or "", "", tombstone, names={wanted})
        raise


def _withdraw(
    store: Store, target: Target, shared: set[str], withdraw: Withdraw | None
) -> tuple[list[str], list[WithdrawalFailure]]:
    """Withdraw consents at the service, except those that ended or that another household has; report failures.

    shared: the arrangements that other households have too.
    """
    consents = store.load(ConsentRow, target.household_id, where={"arrangement_id": target.arrangements})
    over = {row.arrangement_id for row in consents if row.state != "active"}
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
            failed.append(WithdrawalFailure(arrangement, Message(error)))
    return withdrawn, failed


def _lost_with(store: Store, target: Target) -> list[LostRows]:
    """Count, by file, the rows of other files that are deleted with this one; importing those files restores them."""
    if target.kind != "file" or not target.id:
        return []
    shared = Shared(store, target.household_id, target.id)
    return by_name(store, target.household_id, shared.lost())


TITLE = "Record of deletion"
_ABOUT_RECORD = (
    "This page does not say whose data was deleted. Keep it in that person's file.",
    "Reports downloaded before, and files of banks and meters and bills elsewhere on the computer, are still there.",
    "Delete them yourself if they must go too.",
)
_DERIVED = ("claims", "rollups", "spending_months")
_KINDS = {
    "as_told": "Lines stated for the report",
    "choices": "Categories and other decisions",
    "end_users": "People",
    "register_days": "Days of meter reads",
    "registers": "Meter registers",
    "service_points": "Meters",
    "typed_concessions": "Concessions that were entered",
    "typed_invoices": "Energy bills that were entered",
}
"""Table → what it holds, where its own name does not say that to a client."""
_REMOVED_BILLS = "Energy bills that had been removed before"
_OWN_RECORDS = "Worked-out figures and the program's own records"
"""In the record of a deletion, the sum of the tables that mean nothing to a person."""


def prepare(path: Path, db: Path) -> None:
    """Create the empty file first, so that nothing is deleted if the record cannot be written.

    Raises UsageError if the file exists, StoreError or OSError if it cannot be created.
    """
    refuse_to_replace(path, db, earlier="an empty file", is_earlier=lambda _path: False, option="--record")
    try:
        private_file(path)
    except OSError as error:
        why = f"{path} cannot be written ({error.strerror or error}): "
        raise UsageError(Message(why, Remedy.OTHER_RECORD, ".")) from error


def write_record(path: Path, kind: str, answer: Forgotten, reference: str | None, zone: ZoneInfo) -> None:
    """Write the page, readable by its owner only.

    kind: what was deleted. answer: the answer of `forget`. zone: of the household, whose local time is stated.
    """
    at = datetime.now(zone)
    counts = [
        ("Backups and copies cleaned", len(answer.copies)),
        ("Consents ended at the service", len(answer.withdrawn)),
        ("Consents not ended at the service", len(answer.not_withdrawn)),
        ("Other files to check", len(answer.left)),
    ]
    facts = [
        ("Deleted", kind.replace("_", " ").capitalize()),
        *([("Reference", reference)] if reference else []),
        *((label, str(number)) for label, number in counts if number),
        *([] if answer.copies else [("Backups and copies", "There were none")]),
    ]
    summary = Section("Summary", text=_ABOUT_RECORD, facts=facts)
    page = render(TITLE, f"{at:%d %B %Y, %H:%M %Z}", [summary, _rows(answer)])
    replace_private(path, lambda unfinished: unfinished.write_text(page, encoding="utf-8"))


def _rows(answer: Forgotten) -> Section:
    if not answer.deleted:
        return Section("What was deleted", notes=["Nothing was left to delete: it was deleted before."])
    counts: Counter[str] = Counter()
    for name, count in answer.deleted.items():
        is_derived = table(name).internal or name in _DERIVED
        counts[_OWN_RECORDS if is_derived else _KINDS.get(name) or name.replace("_", " ").capitalize()] += count
    entered = _KINDS["typed_invoices"]
    for kind, count in ((_REMOVED_BILLS, answer.removed_bills), (_OWN_RECORDS, answer.earlier_bills)):
        counts.subtract({entered: count})
        counts[kind] += count
    counts = +counts
    ordered = sorted(counts.items(), key=lambda entry: (entry[0] == _OWN_RECORDS, entry[0]))
    rows = [[kind, f"{count:,}"] for kind, count in ordered]
    return Section("What was deleted", parts=[Table("Deleted for good", ["What", "How many"], rows, frozenset({1}))])


def allow_again(ctx: Context, wanted: str) -> AllowedAgain:
    """`forget --allow-again`: let the next sync fetch a deleted account, service point or consent again.

    wanted: the id in the answer of `forget`. Raises ChoiceRequiredError if nothing with that id was deleted.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store, store.transaction():
        hashes = {kind: tombstones_anywhere(store, buried, wanted) for kind, buried in TOMBSTONE_KIND.items()}
        kinds = [kind for kind, hash_ in hashes.items() if store.count("tombstones", where={"hash": hash_})]
        for kind in kinds:
            remove_tombstones(store, TOMBSTONE_KIND[kind], wanted)
        remove_tombstones(store, ASKED, wanted)
    if not kinds:
        raise ChoiceRequiredError(
            f"No account, service point or consent with the id {wanted!r} was deleted here. Use the id from the answer "
            "of `toolkit forget`. To bring back a household, run `toolkit connect`.",
            [],
        )
    return AllowedAgain(allowed_again=dict.fromkeys(kinds, wanted), next="toolkit sync")


def way_back(kind: str, identity: str) -> str:
    """Describe how to bring back what was deleted."""
    if kind == "file":
        return "import the file again"
    if kind == "household":
        return "toolkit connect, or import its files again"
    again = f"toolkit forget --allow-again {quote(identity)}, then toolkit sync"
    return (
        f"{again}, or toolkit connect for a new consent" if kind == "consent" else f"{again}, or import its files again"
    )
