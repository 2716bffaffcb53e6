"""The cash flow of a household as an answer: what is left each day, from what its rows, series and bills show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.money.account_evidence import Activity
from toolkit.analytics.money.account_summary import LOCKED, Balance, debts, latest_by_account, name_of
from toolkit.analytics.money.cash.backtest import Check, backtest_of, checks_of, past_days, widths_of
from toolkit.analytics.money.cash.energy_bill import BillsAhead, NextBill, with_energy_bills
from toolkit.analytics.money.cash.energy_paid import is_energy, without_paid_bills
from toolkit.analytics.money.cash.flow import (
    LEAST_WEEKS,
    Projection,
    answer_days,
    due_before,
    expected_payments,
    low_point_of,
    other_weeks,
    project,
    spendable,
    until_pay,
)
from toolkit.analytics.money.cash.own_moves import named_by_partner, on_their_way, own_transfers
from toolkit.analytics.money.cash.reach import Reach
from toolkit.analytics.money.cash.recurring import Series, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import BillCounted
from toolkit.answers.money import AccountCashflow, Cashflow, CashflowBacktest
from toolkit.tables.cadences import in_month
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import OWN_ACCOUNT
from toolkit.tables.schema.banking import AccountRow

_MONTHS_LOOKED_AT = 38


@dataclass(frozen=True, slots=True)
class Money:
    """What a projection is made from. rows: of accounts with money that can be spent, without transfers among them."""

    rows: pl.DataFrame
    every_row: pl.DataFrame
    series: list[Series]
    planned: Sequence[Planned]
    """Payments that the household's banks say will be made."""
    balances: Mapping[str, Balance]
    holidays: Collection[date]
    reach: Reach
    """How far rows and balances reach."""
    cards_elsewhere: tuple[str, ...] = ()
    """Payees of cards that are paid each month and are not among the accounts."""
    debts: Sequence[str] = ()
    """Names of accounts of an unknown kind that owe money, which are left out."""
    without_balance: Mapping[str, str] = field(default_factory=dict)
    """Account id → name of accounts that are left out because their balance is not known, where that of others is."""

    @property
    def once(self) -> list[Planned]:
        """Return the single payments of them; what is due on a card leaves with what was bought with it."""
        return [entry for entry in self.planned if entry.cadence is None and entry.source != "card"]

    @classmethod
    def of(  # noqa: PLR0913  what is known, each by name
        cls,
        rows: pl.DataFrame,
        accounts: Sequence[AccountRow],
        stored: Sequence[Balance],
        series: Sequence[Series],
        planned: Sequence[Planned],
        *,
        holidays: Collection[date],
        reach: Reach,
        locked: Sequence[str],
        unnamed: Sequence[AccountRow],
        cards_elsewhere: Sequence[str] = (),
    ) -> Money:
        """Leave out the accounts with money that cannot be spent, and the transfers among the others.

        rows: classified, with debt payments and moves elsewhere. stored: balances, oldest first. reach: how far the
        rows of the household reach. locked, unnamed: of `locked_accounts`.
        cards_elsewhere: of `debts_elsewhere`.
        """
        balances = {account: each for account, each in latest_by_account(stored).items() if account not in locked}
        pool = list(balances) or sorted({account.account_id for account in accounts} - set(locked))
        every_row = rows.filter(pl.col("account_id").is_in(pool))
        series = [replace(entry, source="transfer") if entry.category == OWN_ACCOUNT else entry for entry in series]
        inside = every_row["id"].implode()
        among = (pl.col("kind") == "transfer") & pl.col("partner").is_in(inside).fill_null(value=False)
        reach = reach.with_balances({account: each.at for account, each in balances.items()})
        return cls(
            rows=every_row.filter(~among),
            every_row=every_row,
            series=[entry.unseen(reach) for entry in series if entry.account_id is None or entry.account_id in pool],
            planned=planned,
            balances=balances,
            holidays=holidays,
            reach=reach,
            debts=[_label(account) for account in unnamed],
            cards_elsewhere=tuple(cards_elsewhere),
            without_balance={
                account.account_id: _label(account)
                for account in accounts
                if account.account_id not in (*pool, *locked) and account.vanished_at is None
            },
        )


def _label(account: AccountRow) -> str:
    return name_of(account) or account.masked_number or account.account_id


def locked_accounts(
    accounts: Sequence[AccountRow],
    stored: Sequence[Balance],
    activity: Mapping[str, Activity],
    main: Mapping[str, str],
) -> tuple[list[str], list[AccountRow]]:
    """Return the ids of accounts with money that cannot be spent, and those of them of an unknown kind that owe money.

    stored: balances, oldest first. activity: each account's own. main: `AccountLinks.main`.
    """
    owed = debts(stored, {main.get(account, account) for account, active in activity.items() if active.in_credit})
    # a loan of a bank's file, until a person sets it: what it owes is no money to spend
    unnamed = [account for account in accounts if account.product_category is None and account.account_id in owed]
    locked = [account.account_id for account in accounts if account.product_category in LOCKED or account in unnamed]
    return locked, unnamed


def cash_flow(known: Money, bills: Sequence[NextBill], *, days: int, unseen: Sequence[Note] = ()) -> Cashflow:
    """Project the balances for `days` days from today, all together and each. bills: energy bills to come.

    unseen: on stored bills that are not counted, since the accounts do not show whether they are paid.

    Where the rows end some days ago, the days since then are projected as well: what no row shows yet may have come.
    """
    today = known.reach.today
    ahead = [today + timedelta(days=number) for number in range(days)]
    projected = [*known.reach.unread(), *ahead]
    payer = _payer(known)
    energy = with_energy_bills(known.series, bills, account_id=payer, first=today, last=ahead[-1])
    series, added = energy.series, energy.expected
    due = expected_payments(series, known.once, projected[0], ahead[-1], bills=added)
    notes = [*_balance_notes(known, today), *_bill_notes(energy, today, ahead[-1]), *unseen]
    counted = _counted(energy, today, ahead[-1])
    if not known.balances:
        shown = answer_days(None, due, ahead)
        return Cashflow(from_=ahead[0], to=ahead[-1], days=shown, low_point=None, bills=counted, notes=tuple(notes))
    rows = without_paid_bills(known.rows, energy)
    start = spendable(known.balances.values(), known.every_row)
    weeks = other_weeks(rows, known.series, before=projected[0])
    checks = _checks(known, start, projected[0], days)
    spent_today = _has_rows(known.rows, projected[0])
    began = start + due_before(series, projected[0])
    transfers = _transfers(known, ahead[0])
    between = tuple(on_their_way(known.every_row, transfers))
    widths = widths_of(checks)
    whole = project(began, due, weeks, projected, moves_between=between, widths=widths, first_day_counted=spent_today)
    projection = whole.since(today)
    tested = backtest_of(checks)
    shown = answer_days(projection, due, ahead)
    notes += [*_week_notes(projection), *_range_notes(projection, tested)]
    return Cashflow(
        from_=ahead[0],
        to=ahead[-1],
        start=amount(start),
        start_day=known.reach.to,
        days=shown,
        low_point=low_point_of(shown),
        accounts=tuple(_each_account(known, [*series, *transfers], energy, ahead, widths)),
        until_pay=until_pay(known.series, began, due, projection),
        backtest=tested,
        without_balance=tuple(sorted(known.without_balance)),
        cards_elsewhere=known.cards_elsewhere,
        bills=counted,
        notes=tuple(notes),
    )


def _checks(known: Money, start: int, first: date, ahead: int) -> list[list[Check]]:
    """Project from days before `first` with what was known then: rows, but no scheduled payments.

    Of these the last `_MONTHS_LOOKED_AT` before each day: enough for a yearly payment to come three times.
    """

    def projected(origin: date, began: int) -> Projection:
        before = known.rows.filter(pl.col("day").is_between(in_month(origin, -_MONTHS_LOOKED_AT), origin, "left"))
        series = find_recurring(before, today=origin, holidays=known.holidays)
        days = [origin + timedelta(days=number) for number in range(ahead)]
        due = expected_payments(series, (), days[0], days[-1])
        return project(began, due, other_weeks(before, series, before=origin), days)

    origins = past_days(known.rows, first, ahead)
    return checks_of(known.rows, origins, projected, start=start, today=first, ahead=ahead)


def _each_account(
    known: Money, series: Sequence[Series], energy: BillsAhead, ahead: Sequence[date], widths: Sequence[float]
) -> Iterator[AccountCashflow]:
    """Yield the projection of each account; transfers among own accounts count here, as series or as other rows."""
    every_row = named_by_partner(known.every_row)
    for account, balance in sorted(known.balances.items()):
        own = every_row.filter(pl.col("account_id") == account)
        mine = [entry for entry in series if entry.account_id == account]
        once = [entry for entry in known.once if entry.account_id == account]
        added = [entry for entry in energy.expected if entry.account_id == account]
        projected = [*known.reach.unread(account), *ahead]
        due = expected_payments(mine, once, projected[0], ahead[-1], bills=added)
        rows = without_paid_bills(own, energy) if added else own
        weeks = other_weeks(rows, mine, before=projected[0])
        start, counted = spendable([balance], own), _has_rows(own, projected[0])
        whole = project(start, due, weeks, projected, widths=widths, first_day_counted=counted)
        projection = whole.since(ahead[0])
        days = answer_days(projection, due, projection.days)
        yield AccountCashflow(
            account_id=account,
            days=days,
            low_point=low_point_of(days),
            start=amount(start),
            start_day=known.reach.of(account),
            until_pay=until_pay(mine, start, due, projection),
        )


def _transfers(known: Money, today: date) -> list[Series]:
    """Return the transfers among own accounts that come again."""
    moved = own_transfers(known.every_row)
    found = find_recurring(moved, today=today, holidays=known.holidays, reach=known.reach)
    return [replace(entry, source="transfer") for entry in found]


def _has_rows(rows: pl.DataFrame, day: date) -> bool:
    return bool((rows["day"] == day).any())


def _payer(known: Money) -> str | None:
    """Return the account that pays energy bills: that of the last one, else the one that most money leaves."""
    paid = known.rows.filter(pl.col("amount_minor") < 0)
    energy = paid.filter(is_energy()).sort("day")
    if not energy.is_empty():
        return str(energy["account_id"][-1])
    sums = paid.group_by("account_id").agg(pl.col("amount_minor").sum()).sort("amount_minor", "account_id")
    return None if sums.is_empty() else str(sums["account_id"][0])


def _bill_notes(energy: BillsAhead, first: date, last: date) -> Iterator[Note]:
    for bill in energy.counted:
        yield from bill.notes(first, last)
    if any(bill.due <= last for bill in energy.spread):
        yield Note("energy_bill_spread")


def _counted(energy: BillsAhead, first: date, last: date) -> tuple[BillCounted, ...]:
    """Return the stored bills that are taken off by `last`, by day."""
    issued = [each.issued for bill in energy.counted for each in bill.each if each.issued and each.due <= last]
    return tuple(bill.as_answer(first) for bill in sorted(issued, key=lambda bill: bill.due))


def _balance_notes(known: Money, today: date) -> Iterator[Note]:
    if known.balances and known.reach.unread():
        yield Note("balances_estimated_since", day=known.reach.to)
    elif known.balances:
        read = min(balance.at for balance in known.balances.values())
        later = read > today
        yield Note("balances_read_later", day=read, today=today) if later else Note("balances_read", day=read)
    else:
        yield Note("no_balance")
    if known.cards_elsewhere:
        yield Note("card_elsewhere", names=" and ".join(known.cards_elsewhere))
    for name in known.debts:
        yield Note("debt_left_out", account=name)
    for name in known.without_balance.values():
        yield Note("balance_missing", account=name)


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
