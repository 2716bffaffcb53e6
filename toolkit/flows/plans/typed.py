"""`plans new`: plans typed from a bill, stored as the household's own, each change of prices as a later version."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path

import msgspec

from toolkit.analytics.energy.plans.typed import as_typed, published_form, refusals
from toolkit.analytics.energy.rates import compile_plan
from toolkit.answers.energy.plans import RateCard
from toolkit.answers.energy.typed_plans import TypedPlan
from toolkit.answers.wording.invalid_values import invalid_value
from toolkit.errors import ImportFailedError, UsageError, refusals_of
from toolkit.flows.household.context import Context, choose_household, household_for_files
from toolkit.flows.household.entered import upsert_typed
from toolkit.flows.plans.choice import open_plans, stored_plan_id
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.typed_days import check_day
from toolkit.flows.wording import refuse_changed
from toolkit.store import Store, open_store
from toolkit.tables.rows.plans import Arrival, JsonObject, plan_row, read_plan, versions_in_order
from toolkit.tables.schema.energy import PlanRow

SOURCE = "typed"
_LARGEST = 200_000
_NUMBER = re.compile(
    r"\$?\s*(?P<number>\d{1,3}(,\d{3})+(\.\d{1,9})?|\d{1,9}(\.\d{0,9})?|\.\d{1,9})\s*(c|%|cents)?", re.IGNORECASE
)


def new_plan(ctx: Context, file: Path, *, from_: date | None = None) -> RateCard:
    """Store the plan in a TOML file (docs/commands.md) as the household's own, and show it.

    from_: first day of these prices; outranks `from` in the file. A plan of that name and retailer that is stored
    already gets a later version, and keeps its earlier prices for earlier bills.

    Raises ImportFailedError, with the place in the file, where it cannot be read or priced whole.
    """
    try:
        plan = _read(file)
        return keep_typed_plan(ctx, msgspec.structs.replace(plan, from_=from_) if from_ else plan)
    except UsageError as error:
        raise ImportFailedError(file.name, str(error)) from error


def _read(file: Path) -> TypedPlan:
    try:
        if file.stat().st_size > _LARGEST:
            raise ImportFailedError(file.name, "is too large for a plan typed by hand.")
        written = tomllib.loads(file.read_text("utf-8-sig"), parse_float=Decimal)
        return msgspec.convert(written, TypedPlan)
    except OSError as error:
        raise ImportFailedError(file.name, f"cannot be opened: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ImportFailedError(file.name, "is not text in UTF-8. Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise ImportFailedError(file.name, f"is not TOML: {error}.") from error
    except msgspec.ValidationError as error:
        place, reason = invalid_value(error)
        reason = f"{reason}. docs/commands.md shows the form of the file."
        raise ImportFailedError(file.name, f"{place}: {reason}" if place else reason) from error


def keep_typed_plan(ctx: Context, plan: TypedPlan, *, shown: TypedPlan | None = None) -> RateCard:
    """Store a typed plan as the household's own, and show it. Where nothing is stored yet, a home is made.

    Without a first day it corrects the newest version stored. shown: its newest version as a form showed it. Raises
    UsageError, with the place, where a price is in another unit, hours or months have no price or two, or the newest
    version is another one by now.
    """
    words = f"{plan.retailer} {plan.name}".casefold()
    plain = re.sub(r"[^a-z0-9]+", "-", words).strip("-") or hashlib.sha256(words.encode()).hexdigest()[:8]
    plan_id = f"my-{plain}-gas" if plan.fuel == "gas" else f"my-{plain}"
    check_day(plan.from_, "from")
    published_form(plan, plan_id)  # raises before a database is made
    with open_store(ctx.db) as store, store.transaction():
        home = (choose_household(store, ctx) if ctx.household else household_for_files(store, None)).household_id
        newest = _newest(store, home, plan_id)
        if shown is not None and newest is not None and (now := as_typed(json.loads(newest.raw))):
            refuse_changed("plan", dict(prices_of(shown)), dict(prices_of(now)))
        if plan.from_ is None:
            day = newest.effective_from if newest else None
            plan = msgspec.structs.replace(plan, from_=date.fromisoformat(day) if day else None)
        read = read_plan(published_form(plan, plan_id), plan_id=plan_id)
        for problem in (
            *read.problems,
            *(problem for fuel in read.fuels for problem in compile_plan(read, fuel).problems),
        ):
            raise UsageError(f"{problem.where}: {problem.reason}.")
        where = {"household_id": home}
        number = 1 + max((number for (number,) in store.tuples("plans", ("sequence",), where=where)), default=0)
        upsert_typed(store, "plans", plan_row(read, source=SOURCE, household_id=home, sequence=number))
        store.update("plans", {"sequence": number}, {**where, "plan_id": plan_id, "version": read.version})
    return plan_show(ctx, plan=plan_id)


def wrong_parts(plan: TypedPlan) -> tuple[UsageError, ...]:
    """Return why a typed plan cannot be kept, one reason for each part that is wrong; their option names it."""
    return (*refusals_of(partial(check_day, plan.from_, "from")), *refusals(plan))


def typed_versions(ctx: Context, plan_id: str) -> tuple[date | None, ...]:
    """Return the first days of the stored prices of a typed plan, oldest first. Raises as `open_plans`."""
    with open_plans(ctx) as (store, home):
        rows = store.load(PlanRow, home, where={"plan_id": plan_id, "source": SOURCE})
    days = {date.fromisoformat(row.effective_from) if row.effective_from else None for row in rows}
    return tuple(sorted(days, key=lambda day: day or date.min))


def remove_typed_prices(ctx: Context, plan: str, first: date) -> RateCard:
    """Delete the prices of a typed plan that begin on a day, and show what is left.

    Raises UsageError where no prices of it begin then, or no others are stored.
    """
    with open_plans(ctx) as (store, home), store.transaction():
        plan_id = stored_plan_id(store, home, plan) or plan
        rows = store.load(PlanRow, home, where={"plan_id": plan_id, "source": SOURCE})
        dated = [row for row in rows if row.effective_from and date.fromisoformat(row.effective_from) == first]
        if not dated:
            raise UsageError(f"No prices typed for {plan!r} begin on {first}.")
        if len(dated) == len(rows):
            raise UsageError(f"These are the only prices of {plan!r}: type the right ones first, from their own day.")
        versions = [row.version for row in dated]
        store.delete("plans", {"household_id": home, "plan_id": plan_id, "version": versions})
    return plan_show(ctx, plan=plan_id)


_PRICES = ("supply", "price", "percent")
"""Fields of a typed plan that change where prices change."""


def prices_of(plan: TypedPlan) -> list[tuple[str, Decimal]]:
    """Return each price of a typed plan with a name of it: `Peak`, `Off-peak, tier 2`, `Controlled load, supply`."""
    return [(name, Decimal(holder[field])) for name, holder, field in _priced(msgspec.to_builtins(plan))]


def with_prices(plan: TypedPlan, prices: Sequence[str], first: date) -> TypedPlan:
    """Return a typed plan with other prices, in the order of `prices_of`, from another first day.

    Raises UsageError for what is not a number; its option is the price's name.
    """
    written = msgspec.to_builtins(plan)
    for (name, holder, field), price in zip(_priced(written), prices, strict=True):
        holder[field] = f"{typed_number(name, price):f}"
    return msgspec.convert(written | {"from": first.isoformat()}, TypedPlan)


def wrong_prices(plan: TypedPlan, prices: Sequence[str], first: date) -> dict[str, UsageError]:
    """Return why prices of `with_prices` are refused, by the name of each: no number, or in another unit."""
    known = prices_of(plan)
    wrong = {}
    for number, (name, _) in enumerate(known):
        alone = [f"{price:f}" for _, price in known]
        alone[number] = prices[number]
        try:
            refused = refusals(with_prices(plan, alone, first))
        except UsageError as error:
            refused = (error,)
        if refused:
            wrong[name] = refused[0]
    return wrong


def _priced(written: JsonObject, name: str = "") -> Iterator[tuple[str, JsonObject, str]]:
    """Yield each price within a typed plan: its name, the object that has it, and the field."""
    for field in written:
        value = written[field]
        if field in _PRICES and not isinstance(value, dict):
            yield (
                name if field == "price" and name else f"{name}, {field}".removeprefix(", ").capitalize(),
                written,
                field,
            )
        entries = value if isinstance(value, (list, tuple)) else [value]
        for number, entry in enumerate(entries, start=1):
            if isinstance(entry, dict):
                kind = f"tier {number}" if field == "tiers" else field.replace("_", " ").capitalize()
                own = str(entry.get("name") or (kind if len(entries) == 1 else f"{kind} {number}"))
                yield from _priced(entry, f"{name}, {kind}" if field == "tiers" else own)


def typed_number(where: str, written: str) -> Decimal:
    """Read a price or another number as typed: `33.5`, `$1.10`, `33.5c`. Raises UsageError where it is none."""
    if not written.strip():
        raise UsageError(f"{where}: type a number as on the bill, for example 33.50.", option=where)
    match = _NUMBER.fullmatch(written.strip())
    if match is None:
        raise UsageError(
            f"{where}: {written!r} is not a number. Write it as on the bill, for example 33.50.", option=where
        )
    return Decimal(match["number"].replace(",", ""))


def typed_plan(ctx: Context, plan_id: str) -> TypedPlan | None:
    """Return the newest version of a plan as it was typed; None for another plan. Raises as `open_plans`."""
    with open_plans(ctx) as (store, home):
        newest = _newest(store, home, stored_plan_id(store, home, plan_id) or plan_id)
    return as_typed(json.loads(newest.raw)) if newest else None


def _newest(store: Store, home: str, plan_id: str) -> PlanRow | None:
    """Return the version of a typed plan that was stored last."""
    rows = store.load(PlanRow, home, where={"plan_id": plan_id, "source": SOURCE})
    rows = versions_in_order(rows, lambda row: Arrival(row.plan_id, row.last_updated, row.sequence, row.source))
    return rows[-1] if rows else None
