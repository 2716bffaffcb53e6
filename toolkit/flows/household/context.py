"""Households: which one a question is about, on which day; to create, find and list them; and the plans named for one.

The household's `plan_id` and `plan_since` are the plan of today, electricity's where it has both fuels; its column
`other_plans` has the rest: one for each fuel, and those before it, each with the day since when.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from toolkit.analytics.money.basis import classification_version
from toolkit.answers.named_plan import NamedPlan
from toolkit.errors import ChoiceRequiredError, NothingStoredError, SimilarNameError, StoreBusyError, UsageError
from toolkit.remedies import Message, Remedy, worded
from toolkit.settings import data_dir
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.tables.compiler import COMPILED_LAYOUT, COMPILER_VERSION
from toolkit.tables.schema import Row
from toolkit.tables.schema.energy import PUBLISHED
from toolkit.tables.schema.identity import EndUserRow, HouseholdRow
from toolkit.tables.words import closest, not_one

UNNAMED = "Home"
"""Name of the first household where nobody gave one."""

if TYPE_CHECKING:
    from toolkit.flows.household.facts import Fact

Fuels = Callable[[str], Collection[str]]
"""Returns the fuels of a stored plan; none where it is not stored."""


def named_plans(household: HouseholdRow) -> tuple[NamedPlan, ...]:
    """Return the plans named for a home, that of `plan_id` first."""
    others = msgspec.json.decode(household.other_plans or "[]", type=tuple[NamedPlan, ...])
    main = (NamedPlan(household.plan_id, household.plan_since),) if household.plan_id else ()
    return main + others


def in_order(plans: Iterable[NamedPlan]) -> list[NamedPlan]:
    """Return plans in the order in which the home was on them; one without a day is the earliest."""
    return sorted(plans, key=lambda plan: plan.since or date.min)


def with_plan(household: HouseholdRow, plan_id: str, since: date | None, fuels: Fuels) -> Row:
    """Return the columns of a home that is on a plan since a day; None keeps the day that is stored for it.

    The plan before it stays as such where it began earlier; one without a day, or with a later one, was a mistake.
    Plans of the other fuel stay.
    """
    own = set(fuels(plan_id))
    same = in_order(plan for plan in named_plans(household) if own & set(fuels(plan.plan_id)))
    before, current = same[:-1], same[-1:]
    if since is None and (not household.plan_id or (current and current[0].plan_id == plan_id)):
        since = current[0].since if current else household.plan_since
    if current and current[0].since is not None and since is not None and current[0].plan_id != plan_id:
        before += current
    earlier = [plan for plan in before if since is not None and (plan.since or date.min) < since]
    rest = [plan for plan in named_plans(household) if not own & set(fuels(plan.plan_id))]
    return _columns([*rest, *earlier, NamedPlan(plan_id, since)], fuels)


def with_earlier_plan(household: HouseholdRow, plan_id: str, fuels: Fuels, fuel: str | None = None) -> Row:
    """Return the columns of a home that was on a plan before today's plan of that fuel; an empty id takes it away.

    fuel: that of the earlier plan which an empty id takes away; without it, the main plan's. Raises UsageError where
    today's plan, or the day since when, is not known.
    """
    named = named_plans(household)
    own = set(fuels(plan_id)) if plan_id else {fuel} if fuel else set(fuels(household.plan_id or ""))
    same = in_order(plan for plan in named if own & set(fuels(plan.plan_id)))
    if not same or same[-1].since is None:
        raise UsageError("Enter the plan you are on now first, with the day since when.")
    rest = [plan for plan in named if plan not in same]
    earlier = [NamedPlan(plan_id, None)] if plan_id and plan_id != same[-1].plan_id else []
    return _columns([*rest, *earlier, same[-1]], fuels)


def without_plan(household: HouseholdRow, plan_id: str) -> Row:
    """Return the columns of a home, without a plan that is not stored any more."""
    main, *others = named_plans(household) if household.plan_id else (None, *named_plans(household))
    kept = [plan for plan in others if plan and plan.plan_id != plan_id]
    return _row(main if main and main.plan_id != plan_id else None, kept)


def _columns(plans: Iterable[NamedPlan], fuels: Fuels) -> Row:
    """Return the columns; today's plan of electricity, else of gas, is the main one."""
    ordered = in_order(plans)
    electric = [plan for plan in ordered if "ELECTRICITY" in fuels(plan.plan_id)]
    main = (electric or ordered)[-1]
    return _row(main, [plan for plan in ordered if plan is not main])


def _row(main: NamedPlan | None, others: list[NamedPlan]) -> Row:
    return {
        "plan_id": main.plan_id if main else None,
        "plan_since": main.since if main else None,
        "other_plans": json.dumps(msgspec.to_builtins(others)) if others else None,
    }


def periods_of(plans: Iterable[NamedPlan], span: tuple[date, date]) -> list[tuple[NamedPlan, tuple[date, date]]]:
    """Return each plan with its days of the span: from its own first day, the earliest one from the span's."""
    ordered = in_order(plans)
    if not ordered:
        return []
    starts = [date.min, *(plan.since or date.min for plan in ordered[1:]), date.max]
    days = [
        (plan, (max(first, span[0]), min(after - timedelta(1), span[1])))
        for plan, (first, after) in zip(ordered, pairwise(starts), strict=True)
        if first < after
    ]
    return [(plan, part) for plan, part in days if part[0] <= part[1]]


Progress = Callable[[str], None]


def quiet(_message: str) -> None:
    """Progress that nobody listens to."""


class Context(msgspec.Struct, frozen=True):
    """db: the database. today: the day that "next" and "so far" are counted from; no analysis uses another.

    household: id, name, end user id or email, as given. service_point: id, as given.
    new_household: create a household of that name even if another one has a similar name.
    progress: is called with what takes long when the database is opened.
    """

    db: Path
    today: date
    household: str | None = None
    service_point: str | None = None
    new_household: bool = False
    progress: Progress = quiet

    def now(self) -> datetime:
        """Return the time by which links and messages are judged: the machine's; of another day than its own the end.

        Another day is that of `--today`, or of a sandbox.
        """
        is_today = abs(self.today - datetime.now(UTC).date()) <= timedelta(days=1)  # the same day, in another zone
        return datetime.now(UTC) if is_today else datetime.combine(self.today, time.max, UTC)


@contextmanager
def open_home(ctx: Context) -> Iterator[tuple[Store, HouseholdRow]]:
    """Open the store and load the row of the household in question.

    Raises StoreError where nothing is stored yet, ChoiceRequiredError where several households are and none was named.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        _after_upgrade(store, ctx.progress)
        yield store, choose_household(store, ctx)


def prepare(ctx: Context) -> None:
    """Open the store, where there is one, so that no question waits for what an upgrade of the program makes again."""
    if ctx.db.exists():
        with open_store(ctx.db) as store:
            _after_upgrade(store, ctx.progress)


def _after_upgrade(store: Store, progress: Progress) -> None:
    _compile_after_upgrade(store, progress)
    _classify_after_upgrade(store)


def _compile_after_upgrade(store: Store, progress: Progress) -> None:
    """Compile the stored plans where this version of the program has compiled none yet."""
    folder = Path(data_dir()) / "cache"
    if next(folder.glob(f"plans-*-{COMPILER_VERSION}.{COMPILED_LAYOUT}-*"), None) or not os.access(data_dir(), os.W_OK):
        return
    if store.count("plans", where={"household_id": PUBLISHED}):
        from toolkit.flows.plans.catalogue import keep_compiled

        keep_compiled(store, progress)


def _classify_after_upgrade(store: Store) -> None:
    """Classify the transactions of households again that were classified by other rules than this program's."""
    made = store.tuples("rollups", ("household_id", "version"))
    outdated = [household_id for household_id, by in made if by != classification_version()]
    if not outdated or not os.access(store.path, os.W_OK):
        return
    from toolkit.flows.money.spending import refresh

    for household_id in outdated:
        with suppress(StoreBusyError):  # another program is at it; until then questions classify
            refresh(store, household_id)


def nothing_stored(db: Path) -> Message:
    """Return a message on how to begin. Raises StoreError where data was stored, and the database is missing."""
    is_stored(db)
    return Message(worded(f"{db}: nothing is stored yet. ", "Nothing is stored yet. "), Remedy.BEGIN, ".")


def choose_household(store: Store, ctx: Context) -> HouseholdRow:
    """Return the household named by `ctx`, or the only one. Raises StoreError or ChoiceRequiredError."""
    households = store.load(HouseholdRow)
    if not households:
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    if ctx.household is not None:
        return named_household(store, households, ctx.household)
    if len(households) > 1:
        raise ChoiceRequiredError(
            Message("Several households are stored: ", Remedy.CHOOSE_HOUSEHOLD, "."), _names(households)
        )
    return households[0]


def named_household(store: Store, households: list[HouseholdRow], wanted: str) -> HouseholdRow:
    """Return the household with this id or name, or with this end user (id or email).

    Raises ChoiceRequiredError unless exactly one matches.
    """
    owners = {user.household_id for user in store.load(EndUserRow) if wanted in (user.end_user_id, user.email)}
    matches = [home for home in households if wanted in (home.household_id, home.name) or home.household_id in owners]
    if len(matches) == 1:
        return matches[0]
    raise ChoiceRequiredError(not_one("household", wanted, len(matches)), _names(households))


def _names(households: list[HouseholdRow]) -> list[str]:
    return sorted(household.name for household in households)


def create_household(store: Store, name: str, **facts: Fact) -> HouseholdRow:
    """Create a household and return its row. Its id is derived from its name, so that runs are repeatable."""
    from toolkit.flows.household.facts import checked_facts

    name = free_name(store, name, None)
    taken = {household.household_id for household in store.load(HouseholdRow)}
    number = 0
    while (household_id := _id_of(name, number)) in taken:
        number += 1
    store.upsert("households", [{"household_id": household_id, "name": name, **checked_facts(facts)}])
    return store.load(HouseholdRow, household_id)[0]


def refuse_slip(store: Store, ctx: Context) -> None:
    """Raise SimilarNameError if `ctx` names an unknown household and a stored one has a similar name (a typing error?).

    Names that differ in their numbers (Client 1, Client 2) are not similar.
    """
    wanted, households = ctx.household, store.load(HouseholdRow)
    if wanted is None or ctx.new_household or _is_known(store, households, wanted):
        return
    alike = closest(wanted, (household.name for household in households))
    if close := [name for name in alike if re.findall(r"\d+", name) == re.findall(r"\d+", wanted)]:
        raise SimilarNameError(Message(f"No household is called {wanted!r}.", Remedy.NEW_HOUSEHOLD), close)


def find_household(store: Store, wanted: str) -> HouseholdRow:
    """Find a household by id, name, end user id or email. Raises ChoiceRequiredError unless exactly one fits."""
    return named_household(store, store.load(HouseholdRow), wanted)


def household_for_files(store: Store, wanted: str | None) -> HouseholdRow:
    """Return the household for files: the one named (created if new), else the only one, else a new one, "Home".

    Raises ChoiceRequiredError if several are stored and none is named.
    """
    households = store.load(HouseholdRow)
    if wanted is not None and not _is_known(store, households, wanted):
        return create_household(store, wanted)
    if not households:
        return create_household(store, UNNAMED)
    return choose_household(store, Context(store.path, date.min, wanted))


def free_name(store: Store, name: str, own_id: str | None) -> str:
    """Return the name without outer spaces. Raises UsageError where it is empty, or another household has it."""
    name = name.strip()
    if not name:
        raise UsageError("A household needs a name.", option="Name")
    others = store.load(HouseholdRow, where={"name": name})
    if any(household.household_id != own_id for household in others):
        raise UsageError(f"There is a household called {name!r} already: choose another name.", option="Name")
    return name


def refuse_other_spelling(store: Store, name: str, own_id: str | None) -> None:
    """Raise UsageError where the name of another household differs in capitals or spaces only."""
    for home_id, known in store.tuples("households", ("household_id", "name")):
        if home_id != own_id and " ".join(str(known).split()).casefold() == " ".join(name.split()).casefold():
            raise UsageError(f"There is a household called {known!r} already: choose another name.", option="Name")


def _is_known(store: Store, households: list[HouseholdRow], wanted: str) -> bool:
    if any(wanted in (household.household_id, household.name) for household in households):
        return True
    return any(wanted in (user.end_user_id, user.email) for user in store.load(EndUserRow))


def _id_of(name: str, number: int) -> str:
    from hashlib import sha256  # 2 ms of a short command, which makes no household

    return "home_" + sha256(f"{name}\n{number}".encode()).hexdigest()[:12]
