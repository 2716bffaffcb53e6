"""Read files, folders or a database as frames and plans, for notebooks.

Frames have the columns of `tables.schema`. What of the files could not be read is warned about (`InputWarning`).
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import polars as pl

from toolkit.errors import InputWarning
from toolkit.flows.data.output_files import is_database
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context, choose_household
from toolkit.flows.household.service_points import all_reads, service_points
from toolkit.flows.imports.load import load
from toolkit.flows.money.cashflow import activity_in, balances_of
from toolkit.flows.plans.choice import latest, plans_at, stored_plans
from toolkit.problems import Problem
from toolkit.store import Store, open_store
from toolkit.tables.money import amount
from toolkit.tables.rows.plans import Plan
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ReadRow


def demo_database(folder: str | Path | None = None, *, today: date, seed: int = 1) -> Path:
    """Make a database with an invented family, pulled from the embedded service, and return its path.

    The service listens on this machine only. It takes about a quarter of a minute.

    Args:
        folder: Where to make it. Default: a temporary folder.
        today: The last day of the family's data.
        seed: The same seed makes the same family.

    Returns:
        Path of the database, for `toolkit.read_usage`, `toolkit.read_transactions`, `toolkit.open_store` and others.

    Examples:
        >>> db = toolkit.demo_database("demo", today=date(2026, 6, 30))
        >>> rows, owned = toolkit.read_transactions(db)
        >>> rows.height, owned.height
        (2102, 4)
        >>> toolkit.usage(toolkit.read_usage(db)).coverage
        0.998004
    """
    home = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="toolkit-"))
    return Path(demo(Context(home / "demo.db", today), seed=seed).db)


def read_transactions(
    *sources: str | Path, account: str | None = None, household: str | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    r"""Read tables `transactions` and `accounts` of one household from bank files or one database.

    Args:
        sources: Bank exports (CSV, OFX, QIF), folders of them, or a database.
        account: Name of the account, for bank files that name none.
        household: Id or name of the household, where a database holds several.

    Returns:
        Table `transactions`, amounts in cents (`amount_minor`), money out negative, and table `accounts`.

    Raises:
        ToolkitError: A file cannot be read, or several households could be meant.

    Warns:
        InputWarning: A line of a file was left out, or taken with a doubt.

    Examples:
        >>> from pathlib import Path
        >>> lines = ['01/06/2026,"-45.60","SHOP","+1954.40"', '03/06/2026,"-4.40","CAFE","+1950.00"']
        >>> _ = Path("bank.csv").write_text("\n".join(lines))
        >>> rows, owned = toolkit.read_transactions("bank.csv", account="Everyday")
        >>> rows.select("description", "amount_minor").rows()
        [('CAFE', -440), ('SHOP', -4560)]
        >>> toolkit.spending(rows, owned).spent
        Decimal('50.00')
    """
    with _opened(sources, household, account=account) as (store, home):
        return store.read("transactions", home.household_id), store.read("accounts", home.household_id)


def read_balances(*sources: str | Path, account: str | None = None, household: str | None = None) -> pl.DataFrame:
    r"""Read known balances of one household from bank files or one database, oldest first.

    They come from the service, from running and ledger balances of files, and from what people typed.

    Args:
        sources: Bank exports (CSV, OFX, QIF), folders of them, or a database.
        account: Name of the account, for bank files that name none.
        household: Id or name of the household, where a database holds several.

    Returns:
        A row for each balance that is known.

    Columns:
        account_id (String): Account, as in table `accounts`.
        date (Date): Local day.
        balance (Decimal): AUD at the end of that day; owed is negative.

    Raises:
        ToolkitError: A file cannot be read, or several households could be meant.

    Warns:
        InputWarning: A line of a file was left out, or taken with a doubt.

    Examples:
        >>> from pathlib import Path
        >>> lines = ['01/06/2026,"-45.60","SHOP","+1954.40"', '03/06/2026,"-4.40","CAFE","+1950.00"']
        >>> _ = Path("bank.csv").write_text("\n".join(lines))
        >>> balances = toolkit.read_balances("bank.csv", account="Everyday")
        >>> balances.select("date", "balance")
        shape: (1, 2)
        ┌────────────┬───────────────┐
        │ date       ┆ balance       │
        │ ---        ┆ ---           │
        │ date       ┆ decimal[38,2] │
        ╞════════════╪═══════════════╡
        │ 2026-06-03 ┆ 1950.00       │
        └────────────┴───────────────┘
    """
    with _opened(sources, household, account=account) as (store, home):
        known = balances_of(store, home, {}, activity_in(store, home))
    rows = [(balance.account_id, balance.at, amount(balance.minor)) for balance in known]
    schema = {"account_id": pl.String(), "date": pl.Date(), "balance": pl.Decimal(38, 2)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def read_usage(
    *sources: str | Path,
    service_point: str | None = None,
    household: str | None = None,
    zone: str | None = None,
    controlled_load: Sequence[str] = (),
    timezone: str | None = None,
) -> pl.DataFrame:
    r"""Read interval reads from meter files or one database.

    Args:
        sources: Meter files (NEM12, NEM13, usage tables of the portals, Green Button), folders of them, or a database.
        service_point: Id or meter number of the service point. Default: all of them.
        household: Id or name of the household, where a database holds several.
        zone: IANA time zone of the home, for tables with local times. Default: that of the place, where the file or the
            database knows it.
        controlled_load: Register suffixes that are controlled load, for example E2 (meter files do not say).
        timezone: Former name of `zone`, with a warning until the next release.

    Returns:
        Frame `reads`: a row for each interval and register.

    Raises:
        ToolkitError: A file cannot be read, or several households or service points could be meant.

    Warns:
        InputWarning: A line of a file was left out, or taken with a doubt.

    Examples:
        >>> from pathlib import Path
        >>> lines = [
        ...     "100,NEM12,202604020000,MDP,RETAILER",
        ...     "200,4103000001,E1,E1,E1,,METER1,KWH,30,",
        ...     "300,20260401," + "0.25," * 48 + "A,,,20260402000000,",  # a day of half-hours of 0.25 kWh
        ...     "900",
        ... ]
        >>> _ = Path("meter.csv").write_text("\n".join(lines))
        >>> own = toolkit.read_usage("meter.csv")
        >>> own.height, own["energy_nano"].sum() / 10**9  # 48 half-hours, 12 kWh
        (48, 12.0)
        >>> own["starts_at"][0].isoformat()  # meter days start at midnight AEST
        '2026-03-31T14:00:00+00:00'
    """
    if timezone is not None:
        warnings.warn("timezone= of read_usage is now zone=", DeprecationWarning, stacklevel=2)
    with _opened(sources, household, timezone=zone or timezone, controlled_load=controlled_load) as (store, home):
        points = service_points(store, home, service_point)
        frames = [all_reads(store, home.household_id, point)[0] for point in points]
    return pl.concat(frames) if frames else pl.DataFrame(schema=list(ReadRow.table.names))


def read_plans(*sources: str | Path, household: str | None = None) -> list[Plan]:
    """Read energy plans, of each id the latest version.

    Args:
        sources: A database, or JSON files as the public plan register gives them (also NDJSON, gzipped, and folders).
        household: Id or name of the household, where a database holds several.

    Returns:
        The plans, for `toolkit.price` and others.

    Raises:
        ToolkitError: A file cannot be read, or several households could be meant.

    Warns:
        InputWarning: A plan was left out, or read in part.

    Examples:
        >>> import json
        >>> from pathlib import Path
        >>> _ = Path("plan.json").write_text(json.dumps(plan.given))
        >>> (own,) = toolkit.read_plans("plan.json")
        >>> own.name, own.retailer, own.fuel_type, own.distributors
        ('Lyrebird Saver', 'Lyrebird Energy', 'ELECTRICITY', ('Ausgrid',))
    """
    if len(sources) == 1 and is_database(Path(sources[0])):
        with _opened(sources, household) as (store, home):
            return list({plan.plan_id: plan for plan in stored_plans(store, home.household_id)}.values())
    read = [plans_at(Path(source)) for source in sources]
    _warn([problem for _, problems in read for problem in problems])
    return latest([plan for plans, _ in read for plan in plans])


@contextmanager
def _opened(
    sources: Sequence[str | Path],
    household: str | None,
    *,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
) -> Iterator[tuple[Store, HouseholdRow]]:
    """Open the store that the sources are, or a temporary one made of them."""
    paths = [Path(source) for source in sources]
    if len(paths) == 1 and is_database(paths[0]):
        with open_store(paths[0], create=False) as store:
            yield store, choose_household(store, Context(paths[0], date.min, household))
        return
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "files.db", date.max)  # no clock here: no read is of a day to come
        loaded = load(ctx, paths, account=account, timezone=timezone, controlled_load=controlled_load)
        _warn([problem for file in loaded.files for problem in file.problems])
        with open_store(ctx.db, create=False) as store:
            yield store, choose_household(store, ctx)


_SHOWN = 10
"""Warnings shown one by one; a file of another kind has a problem in every line."""


def _warn(problems: Sequence[Problem]) -> None:
    """Warn of the first problems one by one, then of how many more there are; that warning carries all of them."""
    for problem in problems[:_SHOWN]:
        warning = InputWarning(f"{problem.where}: {problem.reason} ({problem.severity})", (problem,))
        warnings.warn(warning, stacklevel=4)
    if len(problems) > _SHOWN:
        rest = f"{len(problems) - _SHOWN:,} more problems (all of them are in `problems` of this warning)"
        warnings.warn(InputWarning(rest, tuple(problems)), stacklevel=4)
