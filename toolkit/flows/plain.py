"""Plain calls on frames, for notebooks: no database needed, none in the way.

Each `read_*` takes files, folders, or one of our databases, and gives frames in the shapes of `tables.schema`.
What of the files could not be taken is warned about (`InputProblem`), never dropped in silence.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, Period, prepare
from toolkit.analytics.energy.bills import price as priced
from toolkit.analytics.energy.forecast import CALENDAR_MONTH, Pricing, forecast, history_of
from toolkit.analytics.energy.plans.offered import priced_for
from toolkit.analytics.energy.rates import compile_plan
from toolkit.answers.forecast import Forecast
from toolkit.flows.data.output_files import is_database
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context, choose_household
from toolkit.flows.household.service_points import all_reads, service_points
from toolkit.flows.imports.load import load
from toolkit.flows.plans.stored import latest, plans_at, stored_plans
from toolkit.store import Store, open_store
from toolkit.tables.plans import Fuel, Plan
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import READS
from toolkit.units import DEFAULT_ZONE


class InputProblem(UserWarning):
    """A line of a file that was left out, or taken with a doubt."""


def demo_database(folder: str | Path | None = None, *, today: date, seed: int = 1) -> Path:
    """A database with an invented family, pulled from the embedded service. Its path; a temporary one by default."""
    home = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="toolkit-"))
    return Path(demo(Context(home / "demo.db", today), seed=seed).db)


def read_transactions(
    *sources: str | Path, account: str | None = None, household: str | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables `transactions` and `accounts` of one household. account: for bank files that name none."""
    with _opened(sources, household, account=account) as (store, home):
        return store.read("transactions", home.household_id), store.read("accounts", home.household_id)


def read_usage(
    *sources: str | Path,
    service_point: str | None = None,
    household: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
) -> pl.DataFrame:
    """Frame `reads`: one row per interval and register, of all service points or the one named.

    controlled_load: register suffixes that are controlled load (meter files do not say).
    """
    with _opened(sources, household, timezone=timezone, controlled_load=controlled_load) as (store, home):
        points = service_points(store, home, service_point)
        frames = [all_reads(store, home.household_id, point)[0] for point in points]
    return pl.concat(frames) if frames else pl.DataFrame(schema=list(READS.names))


def read_plans(*sources: str | Path, household: str | None = None) -> list[Plan]:
    """Energy plans out of a database, JSON files, folders or NDJSON (also gzipped); for each id the latest version."""
    if len(sources) == 1 and is_database(Path(sources[0])):
        with _opened(sources, household) as (store, home):
            return latest(stored_plans(store, home.household_id))
    found = [plans_at(Path(source)) for source in sources]
    _warn([problem.as_json() for _, problems in found for problem in problems])
    return latest([plan for plans, _ in found for plan in plans])


def price(  # noqa: PLR0913 - the command's options
    reads: pl.DataFrame,
    plan: Plan,
    from_: date,
    to: date,
    *,
    fuel: str = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    on: date | None = None,
    own: bool = False,
    **options: Any,
) -> Bill:
    """The bill for the reads on a plan, days inclusive on the plan's clock, as one period.

    `bill.frame()` holds the lines (frame `bill_lines`); notes and problems stand beside them. `options` are those of
    `analytics.energy.bills.Options`. on: the day the plan is priced for (pricing rule 8); default `to`. own: it is
    the household's own plan, so its dated parts apply from first to last date. Rules: docs/pricing-rules.md.
    """
    kind: Fuel = "GAS" if fuel == "GAS" else "ELECTRICITY"
    rates = compile_plan(plan, kind, on=None if own else priced_for(plan.effective_to, on or to))
    return priced(reads, rates, [Period(from_, to)], zone=zone, options=Options(**options))


def next_bill(
    reads: pl.DataFrame,
    plan: Plan,
    *,
    today: date,
    zone: str = DEFAULT_ZONE,
    seed: int = 0,
) -> Forecast:
    """The bill of the calendar month that holds the first unmetered day, its range and how such forecasts fared.

    The answer is that of `forecast`; amounts in AUD, null where the reads end more than 45 days before `today`.
    Reads after `today` are not looked at.
    """
    rates = compile_plan(plan, "ELECTRICITY")
    options = Options()
    history = history_of(prepare(reads, zone=zone), rates, today, options.holidays)
    through = history.metered_through
    period = CALENDAR_MONTH.period_with(today if through is None else through + timedelta(1))
    past = CALENDAR_MONTH.past_periods(period, history.first)
    return forecast(history, period, past, Pricing(rates, options, seed=seed), today=today)


@contextmanager
def _opened(sources: Sequence[str | Path], household: str | None, **how: Any) -> Iterator[tuple[Store, HouseholdRow]]:
    """The store that the sources are, or one made of them for the moment."""
    paths = [Path(source) for source in sources]
    if len(paths) == 1 and is_database(paths[0]):
        with open_store(paths[0], create=False) as store:
            yield store, choose_household(store, Context(paths[0], date.min, household))
        return
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "files.db", date.min)
        _load(ctx, paths, how)
        with open_store(ctx.db, create=False) as store:
            yield store, choose_household(store, ctx)


def _load(ctx: Context, paths: Sequence[Path], how: dict[str, Any]) -> None:
    answer = load(ctx, paths, **how)
    _warn([problem for file in answer["files"] for problem in file["problems"]])


def _warn(problems: Sequence[dict[str, str]]) -> None:
    for problem in problems:
        warnings.warn(f"{problem['where']}: {problem['reason']} ({problem['severity']})", InputProblem, stacklevel=4)
