"""Which section of the statement a transaction belongs to, and under which name it is listed there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import polars as pl

from toolkit.answers.report.income_expenses import Section
from toolkit.tables.reference.categories import ENERGY, INTEREST_CHARGE, LOANS, code_named, names_of
from toolkit.tables.reference.statement_words import statement_words

HOME_LOAN = f"{LOANS}_MORTGAGE_PAYMENT"
_PAY = ("INCOME_SALARY", "INCOME_WAGES")
_CENTRELINK = "INCOME_UNEMPLOYMENT"
_UNNAMED_CENTRELINK = "Centrelink"
_CHILD_SUPPORT = "Child support"

_BY_PRIMARY: Mapping[str, Section] = {
    "FOOD_AND_DRINK": "food",
    "TRANSPORTATION": "transport",
    "RENT_AND_UTILITIES": "bills",
    "BANK_FEES": "bills",
    LOANS: "debts",
    "HOME_IMPROVEMENT": "housing",
}
_BY_CODE: Mapping[str, Section] = {
    "RENT_AND_UTILITIES_RENT": "housing",
    HOME_LOAN: "housing",
    ENERGY: "energy",
    INTEREST_CHARGE: "debts",
    "GENERAL_MERCHANDISE_SUPERMARKETS": "food",
    "GENERAL_MERCHANDISE_CONVENIENCE_STORES": "food",
    "ENTERTAINMENT_CASINOS_AND_GAMBLING": "gambling",
    "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES": "bills",
    "SERVICES_AUTOMOTIVE": "transport",
    "SERVICES_INSURANCE": "bills",
    "SERVICES_CHILDCARE": "bills",
    "SERVICES_EDUCATION": "bills",
    "GENERAL_SERVICES_AUTOMOTIVE": "transport",
    "GENERAL_SERVICES_INSURANCE": "bills",
    "GENERAL_SERVICES_CHILDCARE": "bills",
    "GENERAL_SERVICES_EDUCATION": "bills",
}
"""Section of each secondary category that is not that of its primary one; what is in neither table is `other`."""
_BY_PAYEE: tuple[Section, ...] = ("energy", "debts")
"""Sections listed by payee; others by category."""


def with_sections(rows: pl.DataFrame, names: Mapping[str, str] = MappingProxyType({})) -> pl.DataFrame:
    """Add `section` and `name` to classified rows of income and expenses.

    names: category code → the household's own name for it.
    """
    income = pl.col("kind") == "income"
    words = pl.concat_str("description", "payer", "reference", separator=" ", ignore_nulls=True).str.to_lowercase()
    merchant = pl.col("merchant").str.to_lowercase().fill_null("")
    code = pl.coalesce("secondary_category", "primary_category")
    lender = [*statement_words().buy_now_pay_later, *statement_words().lenders]
    is_lender = ~income & merchant.str.contains(rf"^(?:{'|'.join(lender)})\b")
    paid_by_centrelink = words.str.contains(_whole_words(statement_words().centrelink_payer))
    child_support = income & words.str.contains(_whole_words(statement_words().child_support)).fill_null(value=False)
    centrelink = income & ~child_support & (paid_by_centrelink | (code == _CENTRELINK)).fill_null(value=False)
    pay = income & ~child_support & code.is_in(_PAY).fill_null(value=False)
    by_code = code.replace_strict(_BY_CODE, default=None, return_dtype=pl.String)
    by_primary = pl.col("primary_category").replace_strict(_BY_PRIMARY, default="other", return_dtype=pl.String)
    section = (
        pl.when(centrelink)
        .then(pl.lit("centrelink"))
        .when(pay)
        .then(pl.lit("pay"))
        .when(income)
        .then(pl.lit("other_income"))
        .when(is_lender)
        .then(pl.lit("debts"))
        .otherwise(pl.coalesce(by_code, by_primary, pl.lit("other")))
    )
    shown = names_of(rows.select(code).to_series(), names)
    category = pl.lit(shown.fill_null("No category"))
    named = pl.col("merchant").fill_null(category)
    # "Transport" of TRANSPORT NSW PAY reads as the category of that name.
    like_categories = [name for name in rows["merchant"].drop_nulls().unique() if code_named(name)]
    payer = pl.when(pl.col("merchant").is_in(like_categories)).then(pl.format("Pay from “{}”", "merchant"))
    payment = pl.coalesce(
        *(
            pl.when(words.str.contains(_whole_words(patterns))).then(pl.lit(name))
            for name, patterns in statement_words().centrelink.items()
        ),
        pl.lit(_UNNAMED_CENTRELINK),
    )
    return rows.with_columns(section=section).with_columns(
        name=pl.when(centrelink)
        .then(payment)
        .when(child_support)
        .then(pl.lit(_CHILD_SUPPORT))
        .when(pl.col("section") == "pay")
        .then(payer.otherwise(named))
        .when(pl.col("section").is_in(_BY_PAYEE))
        .then(named)
        .when(pl.col("section") == "other_income")
        .then(pl.concat_str(category, pl.lit(": "), named))
        .otherwise(category)
    )


def gas_alone(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows for energy whose words name gas and not electricity. rows: with `section`."""
    named = pl.concat_str("merchant", "description", "payer", "reference", separator=" ", ignore_nulls=True)
    gas, power = (
        named.str.to_lowercase().str.contains(_whole_words(words))
        for words in (statement_words().gas, statement_words().power)
    )
    return rows.filter(pl.col("section") == "energy", gas, ~power)


def _whole_words(patterns: tuple[str, ...]) -> str:
    return rf"\b(?:{'|'.join(patterns)})\b"
