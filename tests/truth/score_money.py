"""How near the answers about money come to the truth: `python -m tests.truth.score_money [--tuning] [--write]`.

Households of `tests.truth.money`, half of them from bank files and half with tables as the service fills them, asked
through the public functions. Each figure is printed with its counts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl

import toolkit
from tests.truth.money import JUDGING, TUNING, Household, Series, csv, household

TODAY = date(2025, 12, 31)
CASH_DAYS = (date(2025, 7, 9), date(2025, 10, 1), TODAY)
AHEAD = (7, 14, 30, 60, 89)
PAGE = Path(__file__).parents[2] / "toolkit" / "docs" / "reliability.md"
MARKED = re.compile(r"<!-- money -->.*?<!-- /money -->", re.DOTALL)
STATE = "NSW"
SERVICE_PRODUCTS = {"card": "CRED_AND_CHRG_CARDS", "loan": "RESIDENTIAL_MORTGAGES"}
OWN_PRODUCTS = {"card": "CRED_AND_CHRG_CARDS", "loan": "PERS_LOANS"}
"""Product categories of cards and loans, as the service says and as a person sets them; others are for everyday use."""


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


@dataclass(frozen=True)
class Tables:
    """What is known of a household up to a day: tables `transactions` and `accounts`, and its balances."""

    transactions: pl.DataFrame
    accounts: pl.DataFrame
    balances: pl.DataFrame


def tables(home: Household, today: date) -> Tables:
    """Return what is known of a household up to a day."""
    return _of_service(home, today) if home.service else _of_files(home, today)


def _of_files(home: Household, today: date) -> Tables:
    """Read bank files; a person has said which accounts are cards and loans."""
    with tempfile.TemporaryDirectory() as folder:
        for account in home.accounts.values():
            (Path(folder) / f"{account.name}.csv").write_text(csv(home, account, today))
        rows, accounts = toolkit.read_transactions(folder)
        balances = toolkit.read_balances(folder)
    return Tables(rows, _as_set(home, accounts, OWN_PRODUCTS), balances)


def _of_service(home: Household, today: date) -> Tables:
    rows = [row for row in home.movements if row.day <= today]
    frame = pl.DataFrame(
        {
            "day": [row.day for row in rows],
            "amount": [row.cents / 100 for row in rows],
            "words": [row.text for row in rows],
            "account": [row.account.name for row in rows],
        }
    )
    made = toolkit.transactions(frame, date="day", amount="amount", description="words", account="account")
    transactions, accounts = (table.with_columns(source=pl.lit("service")) for table in made)
    numbers = {account.name: account.number for account in home.accounts.values()}
    accounts = accounts.with_columns(account_number=pl.col("account_id").replace_strict(numbers))
    balances = {
        "account_id": list(home.accounts),
        "date": [today] * len(home.accounts),
        "balance": [home.balance(account, today) / 100 for account in home.accounts.values()],
    }
    return Tables(transactions, _as_set(home, accounts, SERVICE_PRODUCTS), pl.DataFrame(balances))


def _as_set(home: Household, accounts: pl.DataFrame, products: dict[str, str]) -> pl.DataFrame:
    """Return the accounts with their names and products."""
    names = _names(home, accounts)
    kinds = {id_: products.get(home.accounts[name].kind, "TRANS_AND_SAVINGS_ACCOUNTS") for id_, name in names.items()}
    account = pl.col("account_id")
    return accounts.with_columns(nickname=account.replace_strict(names), product_category=account.replace_strict(kinds))


def _names(home: Household, accounts: pl.DataFrame) -> dict[str, str]:
    """Return account id → name: files without a number are named after the file, others after its end."""
    by_number = {account.number: account.name for account in home.accounts.values()}
    ids = accounts.select("account_id", "account_number").iter_rows()
    return {id_: by_number[number] if number else id_ for id_, number in ids}


def score_rows(known: Tables, home: Household, tally: Tally) -> None:
    """Score transfers, income, payees and totals."""
    rows = [row for row in home.movements if row.day <= TODAY]
    names = _names(home, known.accounts)
    answered = toolkit.classify(known.transactions, known.accounts, people=home.people).rows
    pool = defaultdict(list)
    for row in rows:
        pool[row.account.name, row.day, row.cents, _words(row.text)].append(row)
    matched = [
        (pool[names[account], day, cents, _words(text)].pop(), Answered(kind, merchant))
        for account, day, cents, text, kind, merchant in answered.select(
            "account_id", "day", "amount_minor", "description", "kind", "merchant"
        ).iter_rows()
    ]
    tally.add("rows read", len(matched), len(rows))
    legs = [(row, a) for row, a in matched if row.pair is not None]
    found = [(row, a) for row, a in matched if a.kind == "transfer"]
    right = sum(a.kind == "transfer" for _, a in legs)
    missed = Counter(row.text.split(" TO ")[0][:40] for row, a in legs if a.kind != "transfer")
    tally.add("transfer recall (legs)", right, len(legs), str(dict(missed)) if missed else "")
    false = Counter(row.text[:40] for row, _ in found if row.pair is None)
    tally.add("transfer precision (legs)", len(found) - false.total(), len(found), str(dict(false)) if false else "")
    pay = [(row, a) for row, a in matched if row.series is not None and row.cents > 0]
    earned = [(row, a) for row, a in matched if a.kind == "income"]
    unseen = Counter(row.text[:40] for row, a in pay if a.kind != "income")
    tally.add("income recall (rows)", len(pay) - unseen.total(), len(pay), str(dict(unseen) or ""))
    mistaken = Counter(row.text[:40] for row, _ in earned if row.series is None or row.cents < 0)
    tally.add("income precision (rows)", len(earned) - mistaken.total(), len(earned), str(dict(mistaken) or ""))
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
    answer = toolkit.spending(known.transactions, known.accounts, people=home.people)
    other = -sum(row.cents for row in rows if row.pair is None)
    whole = round(100 * (answer.spent - answer.income)) == other
    tally.add("totals to the cent", whole, 1, "" if whole else f"{answer.spent - answer.income} for {other / 100}")


@dataclass(frozen=True)
class Answered:
    """What is said of a row."""

    kind: str
    merchant: str | None


def _words(text: str) -> str:
    """Return a description as a file can hold it: without commas, its spaces one each."""
    return " ".join(text.replace(",", " ").split())


def score_recurring(known: Tables, home: Household, tally: Tally) -> None:
    """Score recurring series by payee, cadence, account's amount and last day."""
    answer = toolkit.recurring(known.transactions, known.accounts, today=TODAY, state=STATE, people=home.people)
    found = toolkit.table(answer, "recurring").to_dicts()
    truth = home.series(TODAY)
    ended = home.series(TODAY, going_on=False)
    missed, left = [], list(found)
    for series in truth:
        match = next((entry for entry in left if _same(entry, series)), None)
        if match is None:
            missed.append(f"{series.payee} {series.cadence} {series.days[-1]} {series.cents[-1]}")
        else:
            left.remove(match)
    # what ended since, or is nearly unseen, is no false find
    false = [e for e in left if not any(_same(e, series) for series in ended)]
    tally.add("recurring recall (series)", len(truth) - len(missed), len(truth), str(missed) if missed else "")
    wrong = [f"{entry['name']} {entry['cadence']} {entry['amount_usual']} {entry['last']}" for entry in false]
    tally.add("recurring precision (series)", len(found) - len(false), len(found), str(wrong) if wrong else "")


def _same(entry: dict[str, object], series: Series) -> bool:
    last = series.cents[-1]
    near = abs(float(entry["amount_usual"]) * 100 - last) <= 0.5 * abs(last)
    return entry["cadence"] == series.cadence and entry["last"] == series.days[-1] and near


def score_cash(home: Household, today: date, tally: Tally) -> None:
    """Score whether the balance of everyday, savings and card accounts later was between p10 and p90."""
    known = tables(home, today)
    answer = toolkit.cashflow(
        known.transactions, known.accounts, known.balances, today=today, days=90, state=STATE, people=home.people
    )
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
        known = tables(home, TODAY)
        score_rows(known, home, tally)
        score_recurring(known, home, tally)
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
