"""What recurs, what is coming up and how the money will last, from transactions and accounts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from toolkit.analytics.energy.intervals.prepare import public_holidays
from toolkit.analytics.money.account_evidence import COLUMNS, activity_of
from toolkit.analytics.money.account_summary import Balance, known_balances, merged_accounts
from toolkit.analytics.money.accounts import account_rows, settings_of, with_settings
from toolkit.analytics.money.cash.cashflow import Money, cash_flow, locked_accounts
from toolkit.analytics.money.cash.coming_up import recurring_answer, with_account_names
from toolkit.analytics.money.cash.energy_bill import NextBill, bill_to_come
from toolkit.analytics.money.cash.own_moves import DEBTS, debt_payments, moves_elsewhere
from toolkit.analytics.money.cash.reach import Reach
from toolkit.analytics.money.cash.recurring import Series, find_recurring
from toolkit.analytics.money.classify import Classified, classify
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.money import Cashflow, Recurring
from toolkit.errors import FrameError
from toolkit.frames.checks import FrameLike, checked, checked_table, column, polars_frame, refuse_where
from toolkit.frames.holidays import checked_state
from toolkit.frames.money import cents_of
from toolkit.tables.schema.banking import AccountRow, TransactionRow
from toolkit.units import DEFAULT_ZONE

_MOST_DAYS = 366


@checked
def recurring(  # noqa: PLR0913 - the household's decisions
    transactions: FrameLike,
    accounts: FrameLike,
    *,
    today: date,
    bills: Sequence[Forecast] = (),
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
) -> Recurring:
    """List payments and income that recur, dearest first, and what comes up in the next 90 days.

    As the command `toolkit recurring`, without what only the bank knows: scheduled payments and direct debit
    authorities.

    Args:
        transactions: Table `transactions` of one household, from `toolkit.transactions` or `toolkit.read_transactions`.
        accounts: Table `accounts`, from the same call.
        today: The day after which payments are expected.
        bills: Forecasts of the home's meters, from `toolkit.forecast`; the next bill of each comes up in place of what
            is usually paid to its retailer.
        zone: IANA time zone of the household, for local days.
        state: State of the banks' public holidays: ACT, NSW, NT, QLD, SA, TAS, VIC or WA. Default: the national ones.
        overrides: Table `choices` of a database: the household's own decisions.
        people: Names of the household's own people.

    Returns:
        What recurs, what has ended and what comes up; AUD, money out negative. `toolkit.table(answer, "upcoming")` is a
        frame, likewise `recurring` and `ended`.

    Raises:
        FrameError: A table is not one or has a row twice, or the state is not known.

    Examples:
        >>> answer = toolkit.recurring(transactions, accounts, today=date(2026, 6, 30))
        >>> toolkit.table(answer, "recurring").select("name", "cadence", "amount_usual", "next").head(3)
        shape: (3, 4)
        ┌───────────────────────┬─────────┬───────────────┬────────────┐
        │ name                  ┆ cadence ┆ amount_usual  ┆ next       │
        │ ---                   ┆ ---     ┆ ---           ┆ ---        │
        │ str                   ┆ str     ┆ decimal[38,2] ┆ date       │
        ╞═══════════════════════╪═════════╪═══════════════╪════════════╡
        │ Interest Charged      ┆ monthly ┆ -2229.78      ┆ 2026-07-31 │
        │ Gumnut Early Learning ┆ weekly  ┆ -144.00       ┆ 2026-07-06 │
        │ Platypus Health Fund  ┆ monthly ┆ -364.40       ┆ 2026-07-13 │
        └───────────────────────┴─────────┴───────────────┴────────────┘
        >>> toolkit.table(answer, "upcoming").select("date", "name", "amount").head(3)
        shape: (3, 3)
        ┌────────────┬───────────────────────┬───────────────┐
        │ date       ┆ name                  ┆ amount        │
        │ ---        ┆ ---                   ┆ ---           │
        │ date       ┆ str                   ┆ decimal[38,2] │
        ╞════════════╪═══════════════════════╪═══════════════╡
        │ 2026-07-02 ┆ Wombat Fitness        ┆ -64.80        │
        │ 2026-07-02 ┆ Koala Logistics       ┆ 4252.66       │
        │ 2026-07-06 ┆ Gumnut Early Learning ┆ -144.00       │
        └────────────┴───────────────────────┴───────────────┘
    """
    known = _classified(transactions, accounts, zone=zone, overrides=overrides, people=people)
    series = _series(known, today, _holidays(state, today))
    return recurring_answer(series, (), today, bills=_next_bills(bills, today))


@checked
def cashflow(  # noqa: PLR0913 - the household's decisions
    transactions: FrameLike,
    accounts: FrameLike,
    balances: FrameLike | None = None,
    *,
    today: date,
    days: int = 90,
    bills: Sequence[Forecast] = (),
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
) -> Cashflow:
    """Project the balance of everyday, savings and card accounts by day, as the command `toolkit cashflow` does.

    Args:
        transactions: Table `transactions` of one household, from `toolkit.transactions` or `toolkit.read_transactions`.
        accounts: Table `accounts`, from the same call.
        balances: Known balances: a frame with columns `account_id`, `date` and `balance` (AUD at the end of that day,
            owed is negative), such as `toolkit.read_balances` gives. Running balances of the transactions and those of
            the decisions count as well.
        today: The first day of the projection.
        days: How many days, 1 to 366.
        bills: Forecasts of the home's meters, from `toolkit.forecast`; each bill is added on its due date unless equal
            payments to the retailer spread it.
        zone: IANA time zone of the household, for local days.
        state: State of the banks' public holidays: ACT, NSW, NT, QLD, SA, TAS, VIC or WA. Default: the national ones.
        overrides: Table `choices` of a database: the household's own decisions.
        people: Names of the household's own people.

    Returns:
        The balance of each day, of all accounts together and of each, AUD: below `p10` one time in ten, above `p90` one
        time in ten. Without any balance only what is due is known. `toolkit.table(answer, "days")` is a frame.

    Raises:
        FrameError: `days` is out of range, or a table or the frame of balances is not one.

    Examples:
        >>> balances = pl.DataFrame({"account_id": ["Everyday xx5025"], "date": [last], "balance": [4000.00]})
        >>> answer = toolkit.cashflow(transactions, accounts, balances, today=last, days=14)
        >>> toolkit.table(answer, "days").head(3)
        shape: (3, 4)
        ┌────────────┬───────────────┬───────────────┬───────────────┐
        │ date       ┆ p10           ┆ p50           ┆ p90           │
        │ ---        ┆ ---           ┆ ---           ┆ ---           │
        │ date       ┆ decimal[38,2] ┆ decimal[38,2] ┆ decimal[38,2] │
        ╞════════════╪═══════════════╪═══════════════╪═══════════════╡
        │ 2026-06-30 ┆ 4000.00       ┆ 4000.00       ┆ 4000.00       │
        │ 2026-07-01 ┆ 1941.87       ┆ 4000.00       ┆ 4000.00       │
        │ 2026-07-02 ┆ 5683.09       ┆ 8187.86       ┆ 8187.86       │
        └────────────┴───────────────┴───────────────┴───────────────┘

        4000.00 and the payments of 2 July:

        >>> [(item.name, str(item.amount)) for item in answer.days[2].items]
        [('Wombat Fitness', '-64.80'), ('Koala Logistics', '4252.66')]
    """
    if not 1 <= days <= _MOST_DAYS:
        raise FrameError(f"days={days} is not between 1 and {_MOST_DAYS}.")
    transactions = checked_table(transactions, TransactionRow.table)
    known = _classified(transactions, accounts, zone=zone, overrides=overrides, people=people)
    main = known.money.links.main
    rows = transactions.filter(pl.col("vanished_at").is_null()).select(COLUMNS)
    activity = activity_of(rows, zone)
    stored = sorted(
        [*_balances(balances), *known_balances([], settings_of(overrides), activity, zone=zone)],
        key=lambda balance: balance.at,
    )
    stored = [replace(balance, account_id=main.get(balance.account_id, balance.account_id)) for balance in stored]
    locked, unnamed = locked_accounts(known.accounts, stored, activity, main)
    paid = replace(known, money=replace(known.money, rows=moves_elsewhere(debt_payments(known.money.rows, locked))))
    holidays = _holidays(state, today)
    money = Money.of(
        paid.money.rows,
        known.accounts,
        stored,
        _series(paid, today, holidays),
        (),
        holidays=holidays,
        reach=Reach.of_rows(known.money.rows, today),
        locked=locked,
        unnamed=unnamed,
    )
    return cash_flow(money, _next_bills(bills, today), days=days)


def _next_bills(forecasts: Sequence[Forecast], today: date) -> list[NextBill]:
    return [bill for answer in forecasts if (bill := bill_to_come(answer, today))]


@dataclass(frozen=True, slots=True)
class _Household:
    money: Classified
    accounts: list[AccountRow]
    """Those that count, linked ones as one."""


def _classified(
    transactions: FrameLike,
    accounts: FrameLike,
    *,
    zone: str,
    overrides: pl.DataFrame | None,
    people: Sequence[str],
) -> _Household:
    transactions = checked_table(transactions, TransactionRow.table)
    accounts = checked_table(accounts, AccountRow.table)
    money = classify(transactions, accounts, zone=zone, overrides=overrides, people=people)
    return _Household(money, merged_accounts(account_rows(with_settings(accounts, overrides)), money.links.main))


def _series(known: _Household, today: date, holidays: Collection[date]) -> list[Series]:
    debts = sorted(account.account_id for account in known.accounts if account.product_category in DEBTS)
    rows = debt_payments(known.money.rows, debts)
    return with_account_names(find_recurring(rows, today=today, holidays=holidays), known.accounts)


def _holidays(state: str | None, today: date) -> frozenset[date]:
    return public_holidays(checked_state(state), range(today.year - 3, today.year + 2))


def _balances(balances: FrameLike | None) -> list[Balance]:
    if balances is None:
        return []
    frame = polars_frame(balances)
    days = column(frame, "date", "balances")
    refuse_where(days.is_null(), days, "where a date is needed")
    if days.dtype != pl.Date:
        raise FrameError(f"Column 'date' of balances holds {days.dtype}, and dates are needed.")
    cents = cents_of(column(frame, "balance", "balances"))
    accounts = column(frame, "account_id", "balances").cast(pl.String)
    return [Balance(account, minor, day) for account, minor, day in zip(accounts, cents, days, strict=True)]
