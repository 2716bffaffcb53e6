"""How the money will last: `cashflow`; and net worth by month: `networth`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.money.account_evidence import COLUMNS, Movement, movements_of
from toolkit.analytics.money.account_summary import (
    LOCKED,
    Balance,
    debts,
    known_balances,
    latest_by_account,
    merged_accounts,
    name_of,
)
from toolkit.analytics.money.accounts import settings_of
from toolkit.analytics.money.cash.backtest import Check, backtest_of, checks_of, past_days, widths_of
from toolkit.analytics.money.cash.energy_bill import NextBill, with_energy_bills
from toolkit.analytics.money.cash.flow import (
    LEAST_WEEKS,
    Expected,
    Projection,
    account_cash_flow,
    answer_days,
    expected_payments,
    low_point_of,
    other_weeks,
    project,
    spendable,
    until_pay,
)
from toolkit.analytics.money.cash.recurring import Series, debt_payments, find_recurring, own_transfers
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.analytics.money.net_worth import courses
from toolkit.analytics.money.net_worth import net_worth as by_month
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import BillAhead
from toolkit.answers.money import AccountCashflow, Cashflow, CashflowBacktest, NetWorth
from toolkit.errors import ToolkitError, UsageError
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.money.recurring import bank_holidays, expected_series
from toolkit.flows.money.spending import accounts_as_set, classified
from toolkit.flows.money.summary import zone_of
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.schema.banking import BalanceRow
from toolkit.tables.schema.identity import HouseholdRow

DAYS, MOST_DAYS = 90, 366
_DUE_AFTER_PERIOD = 21
"""Days from a billing period's end to the bill's due date, where no bill of the household shows it."""


@dataclass(frozen=True, slots=True)
class _Money:
    """What a projection is made from. rows: of accounts with money that can be spent, without transfers among them."""

    rows: pl.DataFrame
    every_row: pl.DataFrame
    series: list[Series]
    once: list[Planned]
    balances: Mapping[str, Balance]
    holidays: frozenset[date]
    debts: Sequence[str] = ()
    """Names of accounts of an unknown kind that owe money, which are left out."""


def cashflow(ctx: Context, *, days: int = DAYS) -> Cashflow:
    """Project the balance of everyday, savings and card accounts, together and each, by day from today.

    Transfers among these cancel out in the balance of all; loan payments leave. The forecast energy bill is added on
    its due date, unless equal payments to the retailer spread it. Amounts in AUD, money out negative. Raises UsageError
    where `days` is not between 1 and 366.
    """
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"{days} days cannot be projected. Choose between 1 and {MOST_DAYS}.")
    with open_home(ctx) as (store, household):
        known = _known(store, household, ctx.today)
        points = [point.id for point in service_points(store, household)]
    ahead = [ctx.today + timedelta(days=number) for number in range(days)]
    bills = list(_next_bills(ctx, points))
    payer = _payer(known)
    series, added = with_energy_bills(known.series, [bill for bill, _ in bills], account_id=payer, last=ahead[-1])
    due = expected_payments(series, known.once, ahead[0], ahead[-1], bills=added)
    notes = [*_balance_notes(known, ctx.today), *_bill_notes(bills, added, ahead[-1])]
    if not known.balances:
        shown = answer_days(None, due, ahead)
        return Cashflow(from_=ahead[0], to=ahead[-1], days=shown, low_point=None, notes=tuple(notes))
    rows = known.rows.filter(_is_not_energy()) if added else known.rows
    start = spendable(known.balances.values(), known.every_row)
    weeks = other_weeks(rows, known.series, before=ctx.today)
    checks = _checks(known, start, ctx.today, days)
    counted = _has_rows(known.rows, ctx.today)
    projection = project(start, due, weeks, ahead, widths=widths_of(checks), first_day_counted=counted)
    tested = backtest_of(checks)
    shown = answer_days(projection, due, ahead)
    notes += [*_week_notes(projection), *_range_notes(projection, tested)]
    return Cashflow(
        from_=ahead[0],
        to=ahead[-1],
        start=amount(start),
        days=shown,
        low_point=low_point_of(shown),
        accounts=tuple(_each_account(known, series, added, ahead, widths_of(checks))),
        until_pay=until_pay(known.series, start, due, projection),
        backtest=tested,
        notes=tuple(notes),
    )


def _known(store: Store, household: HouseholdRow, today: date) -> _Money:
    """Load what is known up to today; rows of accounts with money that cannot be spent are left out."""
    money = classified(store, household)
    main = money.links.main
    accounts = merged_accounts(accounts_as_set(store, household.household_id), main)
    movements = movements_in(store, household)
    stored = balances_of(store, household, main, movements)
    by_main: dict[str, list[Movement]] = {}
    for account, moved in movements.items():
        by_main.setdefault(main.get(account, account), []).extend(moved)
    owed = debts(stored, by_main)
    # a loan of a bank's file, until a person says what it is: what it owes is no money to spend
    unnamed = [account for account in accounts if account.product_category is None and account.account_id in owed]
    locked = [account.account_id for account in accounts if account.product_category in LOCKED or account in unnamed]
    rows = debt_payments(money.rows, locked)
    series, planned = expected_series(store, household, replace(money, rows=rows), today)
    balances = {account: balance for account, balance in latest_by_account(stored).items() if account not in locked}
    pool = list(balances) or sorted({account.account_id for account in accounts} - set(locked))
    every_row = rows.filter(pl.col("account_id").is_in(pool))
    inside = every_row["id"].implode()
    among = (pl.col("kind") == "transfer") & pl.col("partner").is_in(inside).fill_null(value=False)
    return _Money(
        rows=every_row.filter(~among),
        every_row=every_row,
        series=[entry for entry in series if entry.account_id is None or entry.account_id in pool],
        once=[entry for entry in planned if entry.cadence is None and entry.source != "card"],
        balances=balances,
        holidays=bank_holidays(household, today),
        debts=[name_of(account) or account.masked_number or account.account_id for account in unnamed],
    )


def movements_in(store: Store, household: HouseholdRow) -> dict[str, tuple[Movement, ...]]:
    """Return account id → its dated transactions, oldest first."""
    stored = store.read("transactions", household.household_id, where={"vanished_at": None}, columns=COLUMNS)
    return movements_of(stored, zone_of(household))


def balances_of(
    store: Store, household: HouseholdRow, main: Mapping[str, str], movements: Mapping[str, Sequence[Movement]]
) -> list[Balance]:
    """Return the known balances in AUD, oldest first, by the account that counts. main: `AccountLinks.main`."""
    home, zone = household.household_id, zone_of(household)
    settings = settings_of(store.read("choices", home))
    known = known_balances(store.load(BalanceRow, home), settings, movements, zone=zone)
    return [replace(balance, account_id=main.get(balance.account_id, balance.account_id)) for balance in known]


def _checks(known: _Money, start: int, today: date, ahead: int) -> list[list[Check]]:
    """Project from past days with what was known then. Only rows are known of the past, no scheduled payments."""

    def projected(origin: date, began: int) -> Projection:
        before = known.rows.filter(pl.col("day") < origin)
        series = find_recurring(before, today=origin, holidays=known.holidays)
        days = [origin + timedelta(days=number) for number in range(ahead)]
        due = expected_payments(series, (), days[0], days[-1])
        return project(began, due, other_weeks(before, series, before=origin), days)

    origins = past_days(known.rows, today, ahead)
    return checks_of(known.rows, origins, projected, start=start, today=today, ahead=ahead)


def _each_account(
    known: _Money, series: Sequence[Series], bills: Sequence[Expected], ahead: Sequence[date], widths: Sequence[float]
) -> Iterator[AccountCashflow]:
    """Yield the projection of each account; transfers among own accounts count here, as series or as other rows."""
    moved = own_transfers(known.every_row)
    transfers = find_recurring(moved, today=ahead[0], holidays=known.holidays)
    transfers = [replace(entry, source="transfer") for entry in transfers]
    for account, balance in sorted(known.balances.items()):
        own = known.every_row.filter(pl.col("account_id") == account)
        mine = [entry for entry in (*series, *transfers) if entry.account_id == account]
        once = [entry for entry in known.once if entry.account_id == account]
        added = [entry for entry in bills if entry.account_id == account]
        due = expected_payments(mine, once, ahead[0], ahead[-1], bills=added)
        rows = own.filter(_is_not_energy()) if added else own
        weeks = other_weeks(rows, mine, before=ahead[0])
        start, counted = spendable([balance], own), _has_rows(own, ahead[0])
        projection = project(start, due, weeks, ahead, widths=widths, first_day_counted=counted)
        yield account_cash_flow(account, projection, due)


def _has_rows(rows: pl.DataFrame, day: date) -> bool:
    return bool((rows["day"] == day).any())


def _is_not_energy() -> pl.Expr:
    return (pl.col("secondary_category") != ENERGY).fill_null(value=True)


def _payer(known: _Money) -> str | None:
    """Return the account that pays energy bills: that of the last one, else the one that most money leaves."""
    paid = known.rows.filter(pl.col("amount_minor") < 0)
    energy = paid.filter(~_is_not_energy()).sort("day")
    if not energy.is_empty():
        return str(energy["account_id"][-1])
    sums = paid.group_by("account_id").agg(pl.col("amount_minor").sum()).sort("amount_minor", "account_id")
    return None if sums.is_empty() else str(sums["account_id"][0])


def _next_bills(ctx: Context, points: Sequence[str]) -> Iterator[tuple[NextBill, Note]]:
    """Yield the forecast bill of each meter, where there is one that is still to be paid."""
    for point in points:
        try:
            answer = forecast(Context(ctx.db, ctx.today, ctx.household, point))
        except ToolkitError:
            continue
        bills = [bill for each in answer.bills if (bill := _bill_to_pay(each)) and bill.due >= ctx.today]
        if bills:
            code = "energy_bill_added" if answer.due else "energy_bill_due_assumed"
            note = Note(code, bill=amount(bills[0].p50), due=bills[0].due)
            yield replace(bills[0], later=tuple(bills[1:])), note


def _bill_to_pay(ahead: BillAhead) -> NextBill | None:
    """Return a bill as a payment in cents; None where it is a credit."""
    low, middle, high = (None if end is None else int(end * 100) for end in (ahead.p10, ahead.p50, ahead.p90))
    if middle is None or middle <= 0:
        return None
    due = ahead.due or ahead.to + timedelta(days=_DUE_AFTER_PERIOD)
    return NextBill("Energy bill", due, low, middle, high, (ahead.to - ahead.from_).days + 1)


def _bill_notes(bills: Sequence[tuple[NextBill, Note]], added: Sequence[Expected], last: date) -> Iterator[Note]:
    first = {(entry.day, -entry.cents) for entry in added}
    for bill, note in bills:
        if bill.due <= last:
            yield note if (bill.due, bill.p50) in first else Note("energy_bill_spread")


def _balance_notes(known: _Money, today: date) -> Iterator[Note]:
    if known.balances:
        read = min(balance.at for balance in known.balances.values())
        later = read > today
        yield Note("balances_read_later", day=read, today=today) if later else Note("balances_read", day=read)
    else:
        yield Note("no_balance")
    for name in known.debts:
        yield Note("debt_left_out", account=name)


def _week_notes(projection: Projection) -> Iterator[Note]:
    if projection.has_range:
        yield Note("weeks_of_spending", weeks=projection.weeks)
    else:
        yield Note("few_weeks_of_spending", needed=LEAST_WEEKS)


def _range_notes(projection: Projection, tested: CashflowBacktest | None) -> Iterator[Note]:
    if tested is not None:
        yield Note("range_checked", origins=tested.origins, share=tested.coverage)
    elif projection.has_range:
        yield Note("range_not_checked")


def net_worth(ctx: Context, *, from_: date | None = None, to: date | None = None) -> NetWorth:
    """Answer what the household has less what it owes, at each month's end and today; amounts in AUD.

    Balances come from the service, from files (running or ledger balances) and from what people typed.
    """
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        stored = balances_of(store, household, money.links.main, movements_in(store, household))
        known = [balance for balance in stored if balance.at <= ctx.today]
        accounts = accounts_as_set(store, household.household_id)
    counting = {money.links.main.get(row.account_id, row.account_id) for row in accounts if row.vanished_at is None}
    without = sorted(counting - {balance.account_id for balance in known})
    return by_month(courses(known, money.rows), without, from_=from_, to=to, today=ctx.today)
