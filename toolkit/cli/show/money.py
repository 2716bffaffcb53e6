"""Money as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

from msgspec import UNSET

from toolkit.answers.money import (
    Accounts,
    Budgets,
    By,
    Cashflow,
    Fees,
    NetWorth,
    Recurring,
    RecurringPayment,
    Review,
    Spending,
    SpendingRow,
    Transactions,
)
from toolkit.answers.wording.ranges import likely_between
from toolkit.cli.output import aud, day, printable, show_notes, show_problems, table
from toolkit.flows.wording import category_name, counted, local_month, rows_by_name
from toolkit.units import HOME_CURRENCY

PLAIN_MOST = 40
STATES = {"ok": "on track", "fast": "faster than planned", "over": "over budget"}
SHOWN_OF_ID = 8
"""As much of the end of an id as `toolkit rules` needs."""


def spending(answer: Spending) -> Iterator[str]:
    """Yield the totals, and a table of what was spent."""
    yield f"Spent {aud(answer.spent)} from {day(answer.from_)} to {day(answer.to)}."
    moved = f"between your accounts {aud(answer.transfers)}"
    yield f"Income {aud(answer.income)}; {moved}; pending {aud(answer.pending)}."
    if answer.excluded:
        yield f"Excluded by you: {aud(answer.excluded)}."
    yield from _spending_against(answer)
    names = answer.category_names
    rows = rows_by_name(answer.rows, names) if answer.by == "category" else list(answer.rows)
    months = "month" in answer.rows.columns
    head = (*(("month",) if months else ()), answer.by, "spent", "rows")
    cells = [_spending_cells(row, answer.by, names) for row in rows[:PLAIN_MOST]]
    yield from table(head, cells, right=(len(head) - 2, len(head) - 1))
    if len(rows) > PLAIN_MOST:
        yield f"… and {counted(len(rows) - PLAIN_MOST, 'more row')} (all of them with --json)"
    for other in answer.other_currencies:
        yield f"Not counted (another currency): {other.spent:,} {printable(other.currency)}"
    yield from show_notes(answer)
    yield from show_problems(answer)


def _spending_against(answer: Spending) -> Iterator[str]:
    """Yield how spending and income differ from those of the period compared with."""
    other = answer.before
    if other is not None:
        more = f" ({aud(answer.spent - other.spent)} more)" if answer.wholly_known_before else ""
        yield (
            f"Against {day(other.from_)} to {day(other.to)}: spent {aud(other.spent)}{more}, "
            f"income {aud(other.income)}."
        )


def budgets(answer: Budgets) -> Iterator[str]:
    """Yield a table of budgets, and what is unusual."""
    rows = [
        (words(row.category), row.per, aud(row.budget), aud(row.spent), aud(row.left), STATES[row.state])
        for row in answer.budgets
    ]
    yield from table(("category", "per", "budget", "spent", "left", "pace"), rows, right=(2, 3, 4))
    yield f"As of {day(answer.as_of)}." if rows else "No budgets yet."
    for row in answer.unusual:
        most = f", most of it at {printable(row.merchant)} ({aud(row.merchant_more)} more)" if row.merchant else ""
        spent = f"{words(row.category)} {aud(row.spent)}, usually {aud(row.usual)}"
        yield f"Unusual in the 30 days to {day(answer.as_of)}: {spent}{most}."


def review(answer: Review) -> Iterator[str]:
    """Yield the year's spending against the year before, who paid, and the largest expenses."""
    yield from spending(answer.spending)
    yield from table(
        ("income from", "amount"), [(row.name or "not named", aud(row.amount)) for row in answer.income], right=(1,)
    )
    rows = [(day(row.date), aud(-row.amount), row.merchant or row.description or "") for row in answer.largest]
    yield from table(("largest expenses", "amount", "who"), rows, right=(1,))


def fees(answer: Fees) -> Iterator[str]:
    """Yield a table of fees and interest."""
    rows = [
        (
            f"{row.year - 1}-{row.year % 100:02}",
            row.account_name or row.account_id,
            aud(row.fees),
            aud(row.interest_charged),
            aud(row.interest_earned),
            _rate(row.own_rate),
            _rate(row.published_rate),
        )
        for row in answer.accounts
    ]
    head = ("year", "account", "fees", "interest charged", "interest earned", "own rate", "published from")
    yield from table(head, rows, right=(2, 3, 4, 5, 6))
    if not rows:
        yield "No fees or interest."


def _rate(share: float | None) -> str:
    return "–" if share is None else f"{share:.2%}"


def _spending_cells(row: SpendingRow, by: By, names: Mapping[str, str]) -> tuple[object, ...]:
    if by == "category":
        name = words(row.secondary_category or row.primary_category or None, names)
    else:
        named = {"merchant": row.merchant, "account": row.account_id, "tag": row.tag, "person": row.person}[by]
        name = named or ("no tag" if by == "tag" else "not named")
    cells = (name, aud(row.spent), row.count)
    return cells if row.month is UNSET else (local_month(row.month) if row.month else "no date", *cells)


def words(category: str | None, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the shown name of a category's code, `no category` for None. names: the household's own."""
    return names.get(category) or category_name(category) if category else "no category"


def transactions(answer: Transactions) -> Iterator[str]:
    """Yield a table of transactions, newest first."""
    rows = [
        (
            row.id[-SHOWN_OF_ID:],
            day(row.date),
            aud(row.amount) if row.currency == HOME_CURRENCY else f"{row.amount:,} {row.currency}",
            row.merchant or row.description or "",
            words(row.secondary_category or row.primary_category, answer.category_names),
            row.status.lower() if row.kind != "excluded" else "excluded",
        )
        for row in answer.transactions
    ]
    found = answer.found
    if rows:
        yield f"{counted(found.count, 'transaction')}: spent {aud(found.spent)}, income {aud(found.income)}."
    else:
        yield "No transactions match."
    yield from table(("id", "date", "amount", "who", "category", "status"), rows, right=(2,))
    yield from (printable(line) for line in show_problems(answer))


def recurring(answer: Recurring) -> Iterator[str]:
    """Yield a table of payments that recur, dearest first."""
    rows = [
        (entry.name, entry.cadence, aud(entry.amount.usual), day(_next(entry)), aud(entry.yearly), _risen(entry))
        for entry in answer.recurring
    ]
    yield from table(("what", "how often", "usually", "next", "a year", "price"), rows, right=(2, 4))
    if not rows:
        yield "No recurring payments were found."
        return
    yield f"Regular payments of {aud(answer.yearly_out)} and income of {aud(answer.yearly_in)} a year."
    for entry in answer.ended:
        yield f"Ended: {printable(entry.name)}, {entry.cadence}, last on {day(entry.last)}."
    yield from show_notes(answer)


def _next(entry: RecurringPayment) -> date | None:
    """Return the day of the next payment, or of the energy bill in its place."""
    return entry.next_bill.date if entry.next_bill else entry.next


def _risen(entry: RecurringPayment) -> str:
    """Word the last change of price."""
    if not entry.changes:
        return ""
    last = entry.changes[-1]
    way = "up" if abs(last.after) > abs(last.before) else "down"
    paid = f" ({day(last.paid_before)})" if entry.cadence == "yearly" else ""
    return f"{way} from {aud(abs(last.before))}{paid} on {day(last.date)}"


def cashflow(answer: Cashflow) -> Iterator[str]:
    """Yield the lowest balance, and the days with expected payments."""
    low = answer.low_point
    if low is None or low.p50 is None:
        yield "Not enough data for a cash flow: no account balance is stored."
    else:
        between = "" if low.p10 is None else f", {likely_between(aud(low.p10), aud(low.p90))}"
        after = ", ".join(f"{printable(item.title)} {aud(item.amount)}" for item in low.cause)
        yield f"Lowest balance on {day(low.date)}: about {aud(low.p50)}{f', after {after}' if after else ''}{between}."
    if (pay := answer.until_pay) is not None:
        usual = f"about {aud(pay.p50)} after usual spending"
        yield f"Left until {printable(pay.name)} on {day(pay.date)}: {aud(pay.left)} after known payments, {usual}."
    rows = [
        (day(entry.date), aud(entry.p50), ", ".join(item.title for item in entry.items))
        for entry in answer.days
        if entry.items
    ]
    yield from table(("date", "balance", "expected"), rows, right=(1,))
    yield from show_notes(answer)
    yield from show_problems(answer)


def accounts(answer: Accounts) -> Iterator[str]:
    """Yield a table of accounts."""
    rows = [
        (
            account.id,
            account.name or "",
            account.kind or "–",
            account.source,
            aud(account.balance),
            "–" if account.from_ is None else f"{day(account.from_)} to {day(account.to)}",
            account.transactions,
            ", ".join(account.linked_to),
        )
        for account in answer.accounts
    ]
    yield from table(("id", "name", "kind", "source", "balance", "days", "rows", "linked to"), rows, right=(4, 6))
    if not rows:
        yield "No accounts are stored yet. Run `toolkit import FILE` or `toolkit sync`."
    yield from show_problems(answer)


def net_worth(answer: NetWorth) -> Iterator[str]:
    """Yield a table of assets, debts and net worth by month."""
    rows = [(local_month(month.month), aud(month.assets), aud(month.debts), aud(month.net)) for month in answer.months]
    yield from table(("month", "have", "owe", "net worth"), rows, right=(1, 2, 3))
    if not rows:
        yield "No account balance is known yet."
    yield from show_notes(answer)
