"""The statement: lines from transactions and from what the person stated, their sums, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import floor
from types import MappingProxyType

import polars as pl

from toolkit.analytics.money.accounts import LOANS
from toolkit.analytics.money.statement.cycles import days_covered
from toolkit.analytics.money.statement.sections import with_sections
from toolkit.answers.base import Note, Period
from toolkit.answers.report.income_expenses import (
    EXPENSE_SECTIONS,
    INCOME_SECTIONS,
    AsToldLine,
    IncomeExpenses,
    Section,
    SpendingDifference,
    StatedPer,
    StatementLine,
    StatementPer,
)
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import CASH, INTEREST_CHARGE
from toolkit.units import HOME_CURRENCY

DAYS: Mapping[StatedPer, Fraction] = {
    "week": Fraction(7),
    "fortnight": Fraction(14),
    "month": Fraction(365, 12),
    "quarter": Fraction(365, 4),
    "year": Fraction(365),
}
FEW_DAYS = 56
MOST_DAYS = 364
"""A year of whole weeks and fortnights, so that no pay day more or less falls into it."""
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


def statement_days(rows: pl.DataFrame, from_: date | None, to: date | None, today: date) -> Period | None:
    """Return the days of a statement: those asked for as far as there are transactions, else up to 364 until the last.

    None without a posted transaction in AUD up to today.
    """
    days = _counted(rows).filter(pl.col("day") <= today)["day"]
    first, last = days.min(), days.max()
    if not isinstance(first, date) or not isinstance(last, date):
        return None
    end = min(to, today) if to else last
    start = from_ or max(first, date.fromordinal(end.toordinal() - MOST_DAYS + 1))
    start = max(start, first)
    return Period(start, end) if start <= end else None


def income_and_expenses(  # noqa: PLR0913  # what the statement is made from, each by name
    rows: pl.DataFrame,
    debts: Mapping[str, OwnDebt],
    stated: Sequence[AsToldLine],
    even: EvenPayment | None,
    *,
    period: Period | None,
    per: StatementPer,
    names: Mapping[str, str] = MappingProxyType({}),
) -> IncomeExpenses:
    """Work out the statement of classified rows. debts: own loans and cards by account id.

    names: category code → the household's own name for it.

    Money in without a category is income, unless something was bought from who paid it: then it is a refund.
    A repayment of an own loan or card counts whole; what is bought with that card, and the interest and fees of that
    account, then do not count again: it is listed apart.
    Averages are over the days of `period`, of regular payments over whole cycles.
    """
    posted = _counted(rows)
    inside = posted.filter(pl.col("day").is_between(period.first, period.last)) if period else posted.clear()
    repaid = inside.filter(pl.col("kind") == "transfer", pl.col("repays").is_in(list(debts)))
    counted_whole = pl.col("account_id").is_in(repaid["repays"].unique().to_list())
    spending = inside.filter(pl.col("kind") == "expense")
    unnamed = _unnamed_income(spending, debts)
    spent = spending.join(unnamed, on="id", how="anti")
    on_debts = spent.filter(counted_whole)
    income_rows = [inside.filter(pl.col("kind") == "income"), unnamed.with_columns(kind=pl.lit("income"))]
    moving = pl.concat([*income_rows, spent.filter(~counted_whole)])
    days = period.days if period else 1
    lines = [*_lines(with_sections(moving, names), per, days), *_repayment_lines(repaid, debts, per, days)]
    lines += [_stated_line(line, per) for line in stated if line.kind != "people"]
    order = {section: place for place, section in enumerate((*INCOME_SECTIONS, *EXPENSE_SECTIONS))}
    lines.sort(key=lambda line: (order[line.section], line.is_stated, -line.amount, line.name))
    income = _sum(line.amount for line in lines if line.section in INCOME_SECTIONS)
    expenses = _sum(line.amount for line in lines if line.section in EXPENSE_SECTIONS)
    energy = _sum(line.amount for line in lines if line.section == "energy")
    is_interest = (pl.col("secondary_category") == INTEREST_CHARGE).fill_null(value=False)
    bought, interest = on_debts.filter(~is_interest), on_debts.filter(is_interest)
    grown = _grown(on_debts, repaid, days)
    on_cards = with_sections(bought, names)
    by_card = sorted(_lines(on_cards, per, days), key=lambda line: (order[line.section], -line.amount, line.name))
    repaid_energy = on_cards.filter(pl.col("section") == "energy", ~pl.col("account_id").is_in(list(grown)))
    energy += _sum(line.amount for line in _lines(repaid_energy, per, days))
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
        difference=_difference(spending, unnamed, repaid, bought, interest),
        people=tuple(line.name for line in stated if line.kind == "people"),
        notes=(
            *_notes(moving, stated, period),
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


def _each(cents: int, days: Fraction, per: StatementPer) -> Decimal:
    """Return the part of a sum over some days that falls to a week, fortnight, month or year."""
    exact = abs(cents) * DAYS[per] / days
    rounded = floor(exact + Fraction(1, 2))  # half a cent away from zero
    return amount(rounded if cents >= 0 else -rounded)


def _lines(rows: pl.DataFrame, per: StatementPer, days: int) -> Iterator[StatementLine]:
    """Yield the averages of rows with `section` and `name`."""
    incoming = pl.col("section").is_in(INCOME_SECTIONS)
    signed = pl.when(incoming).then("amount_minor").otherwise(-pl.col("amount_minor"))
    sums = rows.group_by("section", "name").agg(
        signed.sum().alias("cents"), (signed > 0).sum().alias("payments"), _paid_on(signed > 0)
    )
    for section, name, cents, payments, paid_on in sums.iter_rows():
        covered = days_covered(paid_on, days, is_regular_income=section in REGULAR_INCOME)
        yield _line(section, name, cents, payments, per, covered)


def _paid_on(is_payment: pl.Expr) -> pl.Expr:
    return pl.col("day").filter(is_payment).unique().sort().alias("paid_on")


def _repayment_lines(
    repaid: pl.DataFrame, debts: Mapping[str, OwnDebt], per: StatementPer, days: int
) -> Iterator[StatementLine]:
    paid = -pl.col("amount_minor")
    for account, cents, payments, paid_on in (
        repaid.group_by("repays").agg(paid.sum().alias("cents"), pl.len(), _paid_on(paid > 0)).iter_rows()
    ):
        debt = debts[account]
        section: Section = "housing" if debt.product == _MORTGAGE else "debts"
        what = "loan" if debt.product in LOANS else "card"
        covered = days_covered(paid_on, days)
        yield _line(section, f"{debt.name} ({what} repayments)", cents, payments, per, covered)


def _line(section: Section, name: str, cents: int, payments: int, per: StatementPer, days: Fraction) -> StatementLine:
    return StatementLine(
        section=section,
        name=name,
        amount=_each(cents, days, per),
        total=amount(cents),
        payments=payments,
        is_stated=False,
    )


def _stated_line(line: AsToldLine, per: StatementPer) -> StatementLine:
    sections: Mapping[str, Section] = {"income": "other_income", "debt": "debts"}
    cents = int((line.amount or Decimal(0)) * 100)
    return StatementLine(
        section=sections.get(line.kind) or line.section or "other",
        name=line.name,
        amount=_each(cents, DAYS[line.per or per], per),
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


def _difference(
    spent: pl.DataFrame, unnamed: pl.DataFrame, repaid: pl.DataFrame, bought: pl.DataFrame, interest: pl.DataFrame
) -> SpendingDifference:
    spending, came_in, added, purchases, charged = (
        -int(rows["amount_minor"].sum()) for rows in (spent, unnamed, repaid, bought, interest)
    )
    return SpendingDifference(
        expenses=amount(spending - came_in + added - purchases - charged),
        spending=amount(spending),
        repayments=amount(added),
        card_purchases=amount(-purchases),
        interest=amount(-charged),
        uncategorised_income=amount(-came_in),
    )


def _grown(on_debts: pl.DataFrame, repaid: pl.DataFrame, days: int) -> dict[str, dict[str, Decimal]]:
    """Return what was charged to each own debt that grew, and by how much it grew: more than is charged in a month.

    Who pays all of a card each month is behind by up to a month's purchases, which is no debt that grows.
    """
    paid_off = dict(repaid.group_by("repays").agg(-pl.col("amount_minor").sum()).iter_rows())
    charged = on_debts.group_by("account_id").agg(-pl.col("amount_minor").sum()).sort("account_id")
    return {
        account: {"charged": amount(cents), "growth": amount(growth)}
        for account, cents in charged.iter_rows()
        if (growth := cents - paid_off[account]) * days > cents * DAYS["month"]
    }


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
