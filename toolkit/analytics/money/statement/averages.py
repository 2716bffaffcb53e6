"""The statement: lines from transactions and from what the person stated, their sums, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import floor

import polars as pl

from toolkit.analytics.money.accounts import LOANS
from toolkit.analytics.money.categorise import BY_PERSON
from toolkit.analytics.money.parties import Person, is_own_name, words_of
from toolkit.analytics.money.statement.coverage import Known, known_days
from toolkit.analytics.money.statement.cycles import days_covered
from toolkit.analytics.money.statement.sections import gas_alone, with_sections
from toolkit.answers.base import Note, Period
from toolkit.answers.report.income_expenses import (
    EXPENSE_SECTIONS,
    GAS_PAID,
    INCOME_SECTIONS,
    AsToldLine,
    IncomeExpenses,
    MonthOfSection,
    Section,
    SpendingDifference,
    StatedPer,
    StatementLine,
    StatementPer,
    WithoutCategory,
)
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import CASH, INTEREST_CHARGE, TRANSFERS
from toolkit.units import HOME_CURRENCY

DAYS: Mapping[StatedPer, Fraction] = {
    "week": Fraction(7),
    "fortnight": Fraction(14),
    "month": Fraction(365, 12),
    "quarter": Fraction(365, 4),
    "year": Fraction(365),
}
FEW_DAYS = 56
MOST_DAYS = 365
"""The last twelve months, as the page Spending counts them."""
REGULAR_INCOME = ("pay", "centrelink")
"""Sections whose payments come on fixed days."""
_MORTGAGE = "RESIDENTIAL_MORTGAGES"


@dataclass(frozen=True, slots=True)
class OwnDebt:
    """A loan or card of the household with a stored account. product: of the service's list."""

    name: str
    product: str | None


@dataclass(frozen=True, slots=True)
class EvenPayment:
    """What covers the year's energy, for each `per` of the statement [AUD]."""

    p50: Decimal
    p90: Decimal


@dataclass(frozen=True, slots=True)
class Owned:
    """What is the household's own. debts: loans and cards by account id. accounts: account id → its name.

    names: category code → the household's own name for it. people: of the household, by name.
    """

    debts: Mapping[str, OwnDebt] = field(default_factory=dict)
    accounts: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    people: Sequence[Person] = ()


def statement_days(stored: Period | None, from_: date | None, to: date | None, today: date) -> Period | None:
    """Return the days of a statement: those asked for as far as there are transactions, else up to 365 until the last.

    stored: days of the first and the last transaction, as of the page Spending. None without any up to today.
    """
    if stored is None:
        return None
    end = min(stored.last, today, to or stored.last)
    start = max(stored.first, from_ or date.fromordinal(max(end.toordinal() - MOST_DAYS + 1, 1)))
    return Period(start, end) if start <= end else None


def income_and_expenses(
    rows: pl.DataFrame,
    owned: Owned,
    stated: Sequence[AsToldLine],
    even: EvenPayment | None,
    *,
    period: Period | None,
    per: StatementPer,
) -> IncomeExpenses:
    """Work out the statement of classified rows.

    Money in without a category is income, unless something was bought from who paid it: then it is a refund. Money to
    and from accounts elsewhere in a name of the household's people is neither.
    A repayment of an own loan or card counts whole; what is bought with that card, and the interest and fees of that
    account, then do not count again: it is listed apart.
    Averages are over the days of `period` that the paying account is known for, of regular payments over whole cycles.
    """
    debts = owned.debts
    posted = _counted(rows)
    known = known_days(posted, period, debts.keys()) if period else {}
    days = {account: each.days for account, each in known.items()}
    inside = posted.filter(pl.col("day").is_between(period.first, period.last)) if period else posted.clear()
    inside = inside.with_columns(days=pl.col("account_id").replace_strict(days, default=1, return_dtype=pl.Int64))
    repaid = inside.filter(pl.col("kind") == "transfer", pl.col("repays").is_in(list(debts)))
    counted_whole = pl.col("account_id").is_in(repaid["repays"].unique().to_list())
    spending = inside.filter(pl.col("kind") == "expense")
    moved = _own_moves(spending, owned.people)
    with_others = spending.join(moved, on="id", how="anti")
    unnamed = _unnamed_income(with_others, debts)
    spent = with_others.join(unnamed, on="id", how="anti")
    on_debts = spent.filter(counted_whole)
    income_rows = [inside.filter(pl.col("kind") == "income"), unnamed.with_columns(kind=pl.lit("income"))]
    moving = pl.concat([*income_rows, spent.filter(~counted_whole)])
    sectioned = _sectioned(moving, owned)
    lines = [*_lines(sectioned, per), *_repayment_lines(repaid, debts, per)]
    lines += [_stated_line(line, per) for line in stated if line.kind != "people"]
    order = {section: place for place, section in enumerate((*INCOME_SECTIONS, *EXPENSE_SECTIONS))}
    lines.sort(key=lambda line: (order[line.section], line.is_stated, -line.amount, line.name))
    income = _sum(line.amount for line in lines if line.section in INCOME_SECTIONS)
    expenses = _sum(line.amount for line in lines if line.section in EXPENSE_SECTIONS)
    energy = _sum(line.amount for line in lines if line.section == "energy")
    is_interest = (pl.col("secondary_category") == INTEREST_CHARGE).fill_null(value=False)
    bought, interest = on_debts.filter(~is_interest), on_debts.filter(is_interest)
    grown = _grown(on_debts, repaid, known)
    on_cards = _sectioned(bought, owned)
    by_card = sorted(_lines(on_cards, per), key=lambda line: (order[line.section], -line.amount, line.name))
    repaid_energy = on_cards.filter(pl.col("section") == "energy", ~pl.col("account_id").is_in(list(grown)))
    energy += _sum(line.amount for line in _lines(repaid_energy, per))
    return IncomeExpenses(
        from_=period.first if period else None,
        to=period.last if period else None,
        per=per,
        lines=tuple(lines),
        by_card=tuple(by_card),
        income=income,
        expenses=expenses,
        left=income - expenses,
        largest_payment=max(income - expenses + energy, Decimal("0.00")),
        even_payment=even.p50 if even else None,
        even_payment_p90=even.p90 if even else None,
        difference=_difference(spending, unnamed, repaid, bought, interest, moved),
        people=tuple(line.name for line in stated if line.kind == "people"),
        without_category=_without_category(with_others),
        by_month=tuple(_by_month(_sectioned(with_others, owned))),
        notes=(
            *_notes(moving, stated, period),
            *_notes_on_days(known, period, owned.accounts),
            *_notes_on_own_moves(moved),
            *_notes_on_gas(pl.concat([sectioned, on_cards], how="diagonal"), per),
            *(
                Note("debt_grew", name=debts[account].name, charged=sums["charged"], growth=sums["growth"])
                for account, sums in grown.items()
            ),
        ),
    )


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("currency") == HOME_CURRENCY, pl.col("status") != "PENDING", pl.col("day").is_not_null())


def _sum(amounts: Iterator[Decimal]) -> Decimal:
    return sum(amounts, Decimal("0.00"))


def _each(cents: int, days: Fraction, per: StatementPer) -> Fraction:
    """Return the part of a sum over some days that falls to a week, fortnight, month or year, not rounded [cents]."""
    return cents * DAYS[per] / days


def _rounded(cents: Fraction) -> Decimal:
    rounded = floor(abs(cents) + Fraction(1, 2))  # half a cent away from zero
    return amount(rounded if cents >= 0 else -rounded)


def _lines(rows: pl.DataFrame, per: StatementPer) -> Iterator[StatementLine]:
    """Yield the averages of rows with `section`, `name` and `days` that their account is averaged over."""
    incoming = pl.col("section").is_in(INCOME_SECTIONS)
    signed = pl.when(incoming).then("amount_minor").otherwise(-pl.col("amount_minor"))
    yield from _averages(rows.with_columns(signed=signed), per)


def _averages(rows: pl.DataFrame, per: StatementPer) -> Iterator[StatementLine]:
    """Yield a line for each section and name. rows: also with `signed` cents.

    What was paid from accounts that are known for fewer days is averaged over these, and added.
    """
    is_payment = pl.col("signed") > 0
    sums = rows.group_by("section", "name", "days").agg(
        pl.col("signed").sum(), is_payment.sum().alias("payments"), pl.col("day").filter(is_payment).unique().sort()
    )
    exact: dict[tuple[Section, str], Fraction] = {}
    for section, name, days, cents, _, paid_on in sums.iter_rows():
        covered = days_covered(paid_on, days, is_regular_income=section in REGULAR_INCOME)
        exact[section, name] = exact.get((section, name), Fraction(0)) + _each(cents, covered, per)
    whole = sums.group_by("section", "name").agg(pl.col("signed", "payments").sum(), pl.col("days").max())
    for section, name, cents, payments, days in whole.iter_rows():
        yield StatementLine(
            section=section,
            name=name,
            amount=_rounded(exact[section, name]),
            total=amount(cents),
            payments=payments,
            is_stated=False,
            days=days,
        )


def _repayment_lines(repaid: pl.DataFrame, debts: Mapping[str, OwnDebt], per: StatementPer) -> Iterator[StatementLine]:
    named = {
        account: (
            "housing" if debt.product == _MORTGAGE else "debts",
            f"{debt.name} ({'loan' if debt.product in LOANS else 'card'} repayments)",
        )
        for account, debt in debts.items()
    }
    for account, (section, name) in named.items():
        own = repaid.filter(pl.col("repays") == account)
        signed = -pl.col("amount_minor")
        yield from _averages(own.with_columns(section=pl.lit(section), name=pl.lit(name), signed=signed), per)


def _stated_line(line: AsToldLine, per: StatementPer) -> StatementLine:
    sections: Mapping[str, Section] = {"income": "other_income", "debt": "debts"}
    cents = int((line.amount or Decimal(0)) * 100)
    return StatementLine(
        section=sections.get(line.kind) or line.section or "other",
        name=line.name,
        amount=_rounded(_each(cents, DAYS[line.per or per], per)),
        total=None,
        payments=None,
        is_stated=True,
        balance=line.balance,
        arrears=line.arrears,
    )


def _unnamed_income(spent: pl.DataFrame, debts: Mapping[str, OwnDebt]) -> pl.DataFrame:
    """Return money in without a category, of payers of whom nothing was bought, on accounts that are no own debts."""
    shops = spent.filter(pl.col("amount_minor") < 0)["merchant"].drop_nulls().unique().to_list()
    return spent.filter(
        pl.col("amount_minor") > 0,
        pl.col("primary_category").is_null(),
        ~pl.col("account_id").is_in(list(debts)),
        ~pl.col("merchant").is_in(shops).fill_null(value=False),
    )


def _sectioned(rows: pl.DataFrame, owned: Owned) -> pl.DataFrame:
    """Add `section` and `name`; what a home loan costs is housing, as its repayments are."""
    mortgages = [account for account, debt in owned.debts.items() if debt.product == _MORTGAGE]
    is_interest = (pl.col("section") == "debts") & pl.col("account_id").is_in(mortgages)
    section = pl.when(is_interest).then(pl.lit("housing")).otherwise("section")
    return with_sections(rows, owned.names).with_columns(section=section)


def _own_moves(spent: pl.DataFrame, people: Sequence[Person]) -> pl.DataFrame:
    """Return money to and from accounts elsewhere in the name of one of the people; nobody chose a category for it."""
    named = [name for name in spent["merchant"].drop_nulls().unique() if is_own_name(words_of(name), people)]
    by_person = pl.col("category_source").is_in(BY_PERSON).fill_null(value=False)
    is_open = pl.col("primary_category").is_null() | pl.col("primary_category").is_in(TRANSFERS)
    is_cash = pl.col("secondary_category").is_in(CASH).fill_null(value=False)
    return spent.filter(pl.col("merchant").is_in(named), ~by_person, is_open, ~is_cash)


def _difference(
    spent: pl.DataFrame,
    unnamed: pl.DataFrame,
    repaid: pl.DataFrame,
    bought: pl.DataFrame,
    interest: pl.DataFrame,
    moved: pl.DataFrame,
) -> SpendingDifference:
    spending, came_in, added, purchases, charged, own = (
        -int(rows["amount_minor"].sum()) for rows in (spent, unnamed, repaid, bought, interest, moved)
    )
    return SpendingDifference(
        expenses=amount(spending - came_in + added - purchases - charged - own),
        spending=amount(spending),
        repayments=amount(added),
        card_purchases=amount(-purchases),
        interest=amount(-charged),
        uncategorised_income=amount(-came_in),
        own_moves=amount(-own),
    )


def _without_category(rows: pl.DataFrame) -> WithoutCategory:
    cents = rows.filter(pl.col("primary_category").is_null())["amount_minor"]
    out, came = cents.filter(cents < 0), cents.filter(cents > 0)
    return WithoutCategory(
        spent=amount(-int(out.sum())), payments=len(out), received=amount(int(came.sum())), deposits=len(came)
    )


def _by_month(rows: pl.DataFrame) -> Iterator[MonthOfSection]:
    spent = -pl.col("amount_minor").sum()
    sums = rows.group_by("month", "section").agg(spent.alias("cents")).sort("month", "section")
    for month, section, cents in sums.iter_rows():
        yield MonthOfSection(month, section, amount(cents))


def _grown(on_debts: pl.DataFrame, repaid: pl.DataFrame, known: Mapping[str, Known]) -> dict[str, dict[str, Decimal]]:
    """Return what was charged to each own debt that grew, and by how much it grew: more than is charged in a month.

    Who pays all of a card each month is behind by up to a month's purchases, which is no debt that grows. Only days are
    compared for which both are known, the card and an account that pays it.
    """
    grown = {}
    for account in sorted(on_debts["account_id"].unique()):
        payments = repaid.filter(pl.col("repays") == account)
        spans = [known[payer].period for payer in payments["account_id"].unique()]
        first = max(known[account].period.first, min(span.first for span in spans))
        last = min(known[account].period.last, max(span.last for span in spans))
        both = pl.col("day").is_between(first, last)
        charged = -int(on_debts.filter(pl.col("account_id") == account, both)["amount_minor"].sum())
        growth = charged + int(payments.filter(both)["amount_minor"].sum())
        if growth * ((last - first).days + 1) > charged * DAYS["month"]:
            grown[account] = {"charged": amount(charged), "growth": amount(growth)}
    return grown


def _notes_on_days(known: Mapping[str, Known], period: Period | None, accounts: Mapping[str, str]) -> Iterator[Note]:
    """Yield for each account that is not known for all of the days which ones it is averaged over."""
    for account, each in known.items():
        if period is not None and each.days < period.days:
            name = accounts.get(account, "An account")
            yield Note(
                "account_part_known", account=name, first=each.period.first, last=each.period.last, days=each.days
            )


def _notes_on_own_moves(moved: pl.DataFrame) -> Iterator[Note]:
    signed = pl.col("amount_minor")
    sums = moved.group_by("merchant").agg(signed.filter(signed > 0).sum().alias("in"), signed.filter(signed < 0).sum())
    for name, came, went in sums.sort("merchant").iter_rows():
        yield Note("own_name_not_counted", name=name, came=amount(came), went=amount(-went))


def _notes_on_gas(rows: pl.DataFrame, per: StatementPer) -> Iterator[Note]:
    lines = sorted(_lines(gas_alone(rows), per), key=lambda line: line.name)
    if (paid := _sum(line.amount for line in lines)) > 0:
        yield Note(GAS_PAID, amount=paid, per=per, payees=" and ".join(line.name for line in lines))


def _notes(moving: pl.DataFrame, stated: Sequence[AsToldLine], period: Period | None) -> Iterator[Note]:
    if period is None:
        yield Note("statement_without_transactions")
        return
    if period.days < MOST_DAYS:
        yield Note("statement_whole_cycles")
    if period.days < FEW_DAYS:
        yield Note("statement_of_few_days", days=period.days)
    cash = -int(moving.filter(pl.col("secondary_category").is_in(list(CASH)))["amount_minor"].sum())
    if cash > 0 and any(line.kind in ("expense", "debt") and line.amount for line in stated):
        yield Note("cash_may_count_twice", cash=amount(cash))
