"""How near the answers about money come to the truth: `python -m tests.truth.score_money [--tuning] [--write]`.

Households of `tests.truth.money`, half of them from files of one or two banks and half as the service gives them, asked
through the public flows. Each figure is printed with its counts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import toolkit
from tests.truth.money import JUDGING, TUNING, Account, Household, csv, household
from toolkit.answers.money import RecurringPayment
from toolkit.flows.household.context import Context, add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import recurring
from toolkit.flows.money.spending import mark_all, refresh
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store

TODAY = date(2025, 12, 31)
CASH_DAYS = (date(2025, 7, 9), date(2025, 10, 1), TODAY)
AHEAD = (7, 14, 30, 60, 89)
PAGE = Path(toolkit.__file__).parent / "docs" / "reliability.md"
MARKED = re.compile(r"<!-- money -->.*?<!-- /money -->", re.DOTALL)
PRODUCTS = {"card": "CRED_AND_CHRG_CARDS", "loan": "RESIDENTIAL_MORTGAGES"}


class Tally:
    """Counts of right answers."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.all: Counter[str] = Counter()
        self.wrong: dict[str, list[str]] = defaultdict(list)

    def add(self, name: str, right: int, total: int, wrong: str = "") -> None:
        self.right[name] += right
        self.all[name] += total
        if wrong:
            self.wrong[name].append(wrong)

    def table(self) -> Iterator[str]:
        """Yield the lines of a table in Markdown."""
        yield "| answer | right | of | share |"
        yield "|---|---:|---:|---:|"
        for name, total in self.all.items():
            yield f"| {name} | {self.right[name]:,} | {total:,} | {self.right[name] / total:.2%} |"

    def lines(self) -> Iterator[str]:
        for name, total in self.all.items():
            yield f"{name}: {self.right[name]} of {total} ({self.right[name] / total:.2%})"


@contextmanager
def stored(home: Household, today: date) -> Iterator[Context]:
    """Store what is known of a household up to a day."""
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "household.db", today)
        add_home(ctx, "Home", state="NSW")
        set_home(ctx, persons=list(home.people))
        if home.service:
            _as_service(ctx, home, today)
        else:
            _as_files(ctx, home, today, Path(folder))
        yield ctx


def _as_files(ctx: Context, home: Household, today: date, folder: Path) -> None:
    for account in home.accounts.values():
        (folder / f"{account.name}.csv").write_text(csv(home, account, today))
        load(ctx, [folder / f"{account.name}.csv"])
    for account_id, account in _accounts(ctx, home).items():
        set_account(ctx, account_id, name=account.name, kind=account.kind)


def _accounts(ctx: Context, home: Household) -> dict[str, Account]:
    """Return account id → account: files without a number are named after the file, others after its end."""
    with open_store(ctx.db) as store:
        stored = store.tuples("accounts", ("account_id", "account_number"))
    by_number = {account.number: account for account in home.accounts.values()}
    return {id_: by_number[number] if number else home.accounts[id_] for id_, number in stored}


def _as_service(ctx: Context, home: Household, today: date) -> None:
    with open_store(ctx.db) as store:
        ((household_id,),) = store.tuples("households", ("household_id",))
        common = {"household_id": household_id, "source": "service"}
        accounts = [
            {
                **common,
                "id": account.name,
                "account_id": account.name,
                "account_number": account.number,
                "display_name": account.name,
                "product_category": PRODUCTS.get(account.kind, "TRANS_AND_SAVINGS_ACCOUNTS"),
            }
            for account in home.accounts.values()
        ]
        store.upsert("accounts", accounts)
        rows = [row for row in home.movements if row.day <= today]
        store.upsert(
            "transactions",
            [
                {
                    **common,
                    "id": f"t{number}",
                    "account_id": row.account.name,
                    "status": "POSTED",
                    "amount": f"{Decimal(row.cents) / 100:.2f}",
                    "amount_minor": row.cents,
                    "currency": "AUD",
                    "description": row.text,
                    "posting_date_time": f"{row.day}T00:00:00Z",
                }
                for number, row in enumerate(rows)
            ],
        )
        balances = [
            {
                "household_id": household_id,
                "id": account.name,
                "account_id": account.name,
                "currency": "AUD",
                "current_balance_minor": home.balance(account, today),
                "as_of": f"{today}T12:00:00Z",
            }
            for account in home.accounts.values()
        ]
        store.upsert("balances", balances)
        mark_all(store, household_id)
        refresh(store, household_id)


def score_rows(ctx: Context, home: Household, tally: Tally) -> None:
    """Score transfers, payees and totals."""
    rows = [row for row in home.movements if row.day <= TODAY]
    names = {id_: account.name for id_, account in _accounts(ctx, home).items()}
    answered = transactions(ctx).transactions
    pool = defaultdict(list)
    for row in rows:
        pool[row.account.name, row.day, row.cents, _unmasked(row.text)].append(row)
    keys = ((names[a.account_id], a.date, int(a.amount * 100), _unmasked(a.description or "")) for a in answered)
    matched = [(pool[key].pop(), a) for key, a in zip(keys, answered, strict=True)]
    tally.add("rows read", len(matched), len(rows))
    legs = [(row, a) for row, a in matched if row.pair is not None]
    found = [(row, a) for row, a in matched if a.kind == "transfer"]
    right = sum(a.kind == "transfer" for _, a in legs)
    missed = Counter(row.text.split(" TO ")[0][:40] for row, a in legs if a.kind != "transfer")
    tally.add("transfer recall (legs)", right, len(legs), str(dict(missed)) if missed else "")
    false = Counter(row.text[:40] for row, _ in found if row.pair is None)
    tally.add("transfer precision (legs)", len(found) - false.total(), len(found), str(dict(false)) if false else "")
    paid = [(row.payee, a.merchant) for row, a in matched if row.payee is not None]
    by_payee: dict[str, Counter[str | None]] = defaultdict(Counter)
    by_name: dict[str | None, Counter[str]] = defaultdict(Counter)
    for payee, name in paid:
        by_payee[payee][name] += 1
        by_name[name][payee] += 1
    usual = {payee: counts.most_common(1)[0][0] for payee, counts in by_payee.items()}
    good = sum(name == usual[payee] and by_name[name].most_common(1)[0][0] == payee for payee, name in paid)
    split = {payee: [n for n, _ in counts.most_common(4)] for payee, counts in by_payee.items() if len(counts) > 1}
    tally.add("payees grouped right (rows)", good, len(paid), str(split) if split else "")
    answer = spending(ctx)
    other = -sum(row.cents for row in rows if row.pair is None)
    whole = round(100 * (answer.spent - answer.income)) == other
    tally.add("totals to the cent", whole, 1, "" if whole else f"{answer.spent - answer.income} for {other / 100}")


def _unmasked(text: str) -> str:
    """Return the words of a description without numbers, of which answers show the end only."""
    return " ".join(re.sub(r"[0-9x…,]+", " ", text.lower()).split())


def score_recurring(ctx: Context, home: Household, tally: Tally) -> None:
    """Score recurring series by payee, cadence, account's amount and last day."""
    found = list(recurring(ctx).recurring)
    truth = home.series(TODAY)
    known = home.series(TODAY, going_on=False)
    missed, left = [], list(found)
    for series in truth:
        match = next((entry for entry in left if _same(entry, series.cadence, series.days[-1], series.cents[-1])), None)
        if match is None:
            missed.append(f"{series.payee} {series.cadence} {series.days[-1]} {series.cents[-1]}")
        else:
            left.remove(match)
    # what ended since, or is nearly unseen, is no false find
    false = [e for e in left if not any(_same(e, s.cadence, s.days[-1], s.cents[-1]) for s in known)]
    tally.add("recurring recall (series)", len(truth) - len(missed), len(truth), str(missed) if missed else "")
    wrong = [f"{entry.name} {entry.cadence} {entry.amount.usual} {entry.last}" for entry in false]
    tally.add("recurring precision (series)", len(found) - len(false), len(found), str(wrong) if wrong else "")


def _same(entry: RecurringPayment, cadence: str, last: date, cents: int) -> bool:
    near = abs(float(entry.amount.usual) * 100 - cents) <= 0.5 * abs(cents)
    return entry.cadence == cadence and entry.last == last and near


def score_cash(home: Household, today: date, tally: Tally) -> None:
    """Score whether the balance of everyday, savings and card accounts later was between p10 and p90."""
    with stored(home, today) as ctx:
        answer = cashflow(ctx, days=90)
    spent = [account for account in home.accounts.values() if account.kind != "loan"]
    if answer.days[0].p10 is None or answer.days[0].p90 is None:
        return
    for ahead in AHEAD:
        day = answer.days[ahead]
        real = Decimal(sum(home.balance(account, today + timedelta(days=ahead)) for account in spent)) / 100
        assert day.p10 is not None
        assert day.p90 is not None
        tally.add("cash flow in range (days)", day.p10 <= real <= day.p90, 1)
        tally.add(f"cash flow in range {ahead} days ahead", day.p10 <= real <= day.p90, 1)


def score(seeds: list[int], *, cash: bool = True) -> Tally:
    """Score the households of these seeds."""
    tally = Tally()
    for seed in seeds:
        home = household(seed)
        with stored(home, TODAY) as ctx:
            score_rows(ctx, home, tally)
            score_recurring(ctx, home, tally)
        for day in CASH_DAYS if cash else ():
            score_cash(home, day, tally)
    return tally


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m tests.truth.score_money", description=__doc__)
    reader.add_argument("--tuning", action="store_true", help="households for trying things out, and what was wrong")
    reader.add_argument("--count", type=int, default=99, metavar="N", help="households")
    reader.add_argument("--no-cash", action="store_true", help="leave the cash flow out")
    reader.add_argument("--write", action="store_true", help="put the figures into the reference")
    asked = reader.parse_args()
    tally = score(list(TUNING if asked.tuning else JUDGING)[: asked.count], cash=not asked.no_cash)
    print(*tally.lines(), sep="\n")
    if asked.write and not asked.tuning:
        body = "\n".join(["<!-- money -->", *tally.table(), "<!-- /money -->"])
        PAGE.write_text(MARKED.sub(lambda _: body, PAGE.read_text()))
    if asked.tuning:
        for name, wrong in tally.wrong.items():
            print(f"\n{name}", *wrong, sep="\n  ")


if __name__ == "__main__":
    main()
