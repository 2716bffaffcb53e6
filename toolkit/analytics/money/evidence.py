"""Evidence that a transaction is, or is not, one leg of a transfer between the household's own accounts.

names             strong: the row names another own account by its number
is_transfer_hint  weak: its type, category or words name a transfer, or it is money into an own card or loan account
mentions          its texts contain a word of an own person's name: worth a closer look (see `counterparties`)
is_spending_hint  a person, a rule, the service or a merchant code classifies it as spending or income
never_transfer    a person or a person's rule classifies it as spending or income
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from toolkit.analytics.money.categorise import SAYS
from toolkit.analytics.money.people import Person
from toolkit.tables.reference.categories import CARD_PAYMENT, CASH, LOANS, PRIMARIES, TRANSFERS
from toolkit.tables.reference.keywords import TRANSFER_TYPES, TRANSFER_WORDS

EVIDENCE = ("names", "other_end", "account_end", "is_transfer_hint", "mentions", "is_spending_hint", "never_transfer")
"""The columns that `with_evidence` adds."""

_PERSON = ("manual", "rule")
_TRUSTED = (*_PERSON, "provider", "bank", "mcc")
_DEBTS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "OVERDRAFTS")
_CARDS = ("CRED_AND_CHRG_CARDS", "TRAVEL_CARDS", "BUY_NOW_PAY_LATER")
_REPAID = r"\b(?:payment|repayment|repaid|paid|thank you|credit|deposit)\b"


def with_evidence(rows: pl.LazyFrame, accounts: pl.DataFrame, people: Sequence[Person] = ()) -> pl.LazyFrame:
    """Add the columns of `EVIDENCE` to the rows.

    names         the other own account that the row names by its number, or null
    other_end     the last four digits of the account that its text gives as payee or payer, or null
    account_end   the last four digits of its own account, or null
    is_transfer_hint, mentions, is_spending_hint, never_transfer   true or false, as above

    rows: categories decided, `account` the account under its main id. accounts: table `accounts` with `account`.
    people: of the household.
    """
    texts = [pl.col(name) for name in (*SAYS, "extended_description")]
    texted = rows.with_columns(_text=pl.concat_str(texts, separator=" ", ignore_nulls=True).str.to_lowercase())
    texted = texted.with_columns(
        names=_named_account(accounts),
        other_end=_other_end(),
        account_end=_account_end(accounts),
        is_transfer_hint=_is_transfer_hint(accounts),
        mentions=_mentions(people),
        is_spending_hint=_is_spending_hint(),
    )
    return texted.with_columns(
        never_transfer=pl.col("is_spending_hint") & pl.col("category_source").is_in(_PERSON)
    ).drop("_text")


def _named_account(accounts: pl.DataFrame) -> pl.Expr:
    """The other account whose number, or masked end of a number, is in the row's texts."""
    text, own = pl.col("_text"), pl.col("account")
    found = [
        pl.when(text.str.contains(pattern) & (own != account)).then(pl.lit(account))
        for account, pattern in _patterns(accounts)
    ]
    return pl.coalesce(found) if found else pl.lit(None, pl.String)


def _other_end() -> pl.Expr:
    text = pl.col("_text")
    number = r"(?:account |acct |acc |a/c )?[x*•]+[ -]?(\d{4})\b"
    sent_to, came_from = (text.str.extract(rf"\b{word} {number}") for word in ("to", "from"))
    return pl.when(pl.col("amount_minor") < 0).then(sent_to).otherwise(came_from)


def _account_end(accounts: pl.DataFrame) -> pl.Expr:
    """Null where the account's number is not known, or two accounts that are one have different numbers."""
    known: dict[str, set[str]] = {}
    for account, number, masked in accounts.select("account", "account_number", "masked_number").iter_rows():
        if len(digits := _digits(number) or _digits(masked)) >= 4:
            known.setdefault(account, set()).add(digits[-4:])
    ends = {account: min(found) for account, found in known.items() if len(found) == 1}
    return pl.col("account").replace_strict(ends, default=None, return_dtype=pl.String)


def _mentions(people: Sequence[Person]) -> pl.Expr:
    """Whether a surname begins anywhere in the texts, also one that is cut short; accents and apostrophes apart."""
    beginnings = {(person.surname or person.given[0])[:3] for person in people}
    plain = pl.col("_text").str.normalize("NFKD").str.replace_all(r"[^a-z0-9 ]", "")
    return plain.str.contains("|".join(sorted(beginnings))) if beginnings else pl.lit(value=False)


def _patterns(accounts: pl.DataFrame) -> list[tuple[str, str]]:
    numbers = accounts.select("account", "account_number", "masked_number").unique(maintain_order=True).sort("account")
    ends = [(account, _digits(number) or _digits(masked)) for account, number, masked in numbers.iter_rows()]
    tails = [digits[-4:] for _, digits in ends]
    return [
        (account, _pattern(digits, alone=tails.count(digits[-4:]) == 1)) for account, digits in ends if len(digits) >= 4
    ]


def _digits(number: str | None) -> str:
    return re.sub(r"\D", "", re.split(r"[xX*•]", number or "")[-1])


def _pattern(digits: str, *, alone: bool) -> str:
    """A whole number of six digits or more, spaced as people do; or its masked end, where no other account has it."""
    whole = rf"(?:^|\D){r'[ -]?'.join(digits)}(?:\D|$)" if len(digits) >= 6 else None
    masked = rf"(?:[x*•]+[ -]?|ending (?:in )?|a/c |acct |account ){digits[-4:]}(?:\D|$)" if alone else None
    return "|".join(pattern for pattern in (whole, masked) if pattern) or r"[^\s\S]"


def _is_transfer_hint(accounts: pl.DataFrame) -> pl.Expr:
    """Whether there is weak evidence of a transfer. Cash and new debt give none."""
    primary, secondary, text = pl.col("primary_category"), pl.col("secondary_category"), pl.col("_text")
    by_type = pl.col("type").str.to_uppercase().str.contains(TRANSFER_TYPES)
    by_category = primary.is_in(TRANSFERS) | (secondary == CARD_PAYMENT)
    owed = _accounts_of(accounts, (*_DEBTS, *_CARDS))
    repaid = (pl.col("amount_minor") > 0) & pl.col("account").is_in(owed)
    by_account = repaid & ((primary == LOANS) | text.str.contains(_REPAID))
    by_loan = (pl.col("amount_minor") < 0) & (primary == LOANS) & pl.lit(bool(owed))
    hints = [by_type, by_category, text.str.contains(TRANSFER_WORDS), by_account, by_loan]
    return pl.any_horizontal([part.fill_null(False) for part in hints]) & ~secondary.is_in(CASH).fill_null(False)


def _accounts_of(accounts: pl.DataFrame, products: tuple[str, ...]) -> list[str]:
    return accounts.filter(pl.col("product_category").is_in(products))["account"].to_list()


def _is_spending_hint() -> pl.Expr:
    """Whether a trusted source names a purpose other than a transfer. The category of a repayment does not count."""
    primary = pl.col("primary_category")
    moving = primary.is_in([*TRANSFERS, LOANS]) & ~pl.col("secondary_category").is_in(CASH).fill_null(False)
    named = primary.is_in(PRIMARIES) & pl.col("category_source").is_in(_TRUSTED)
    return (named & ~moving).fill_null(False)
