"""Select classified transactions by account, category and words, and list them: `transactions`, `rules list|test`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import polars as pl

from toolkit.analytics.money.account_summary import name_of
from toolkit.analytics.money.categorise import is_about, matches, newest_rules, searchable
from toolkit.analytics.money.classify import Classified
from toolkit.analytics.money.overrides import category_code
from toolkit.analytics.money.transfers import PAIRS
from toolkit.answers.decisions import RuleMatch, TransferSuggestion
from toolkit.answers.money import Transaction
from toolkit.errors import ChoiceRequiredError
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import category_name, category_names, code_named
from toolkit.tables.schema.banking import AccountRow

NO_CATEGORY = "NO_CATEGORY"
CATEGORIES = ("primary_category", "secondary_category")
_SHOWN = (
    *("id", "day", "account_id", "amount_minor", "currency", "status", "description", "merchant", *CATEGORIES),
    *("category_source", "kind", "category_confidence", "partner", "tag", "note"),
)


SEARCHED = "text"
"""The column with all texts of a row, lower case, that words are searched in."""
LISTED = (*_SHOWN, SEARCHED)
"""The columns by which transactions are selected, and those that are listed."""


def of_account(money: Classified, accounts: Sequence[AccountRow], wanted: str) -> pl.Expr:
    """Select the rows of the account with that id or name; of a linked account those of all that count as one with it.

    Raises ChoiceRequiredError where there is no such account.
    """
    called = {row.account_id for row in accounts if wanted in (row.id, row.account_id, row.display_name, row.nickname)}
    ids = {money.links.main.get(account, account) for account in (wanted, *called)}
    selected = with_text(money.rows, "account_id", pl.col("account_id").cast(pl.String).is_in(sorted(ids)))
    if not called and money.rows.filter(selected).is_empty():
        names = {row.account_id: name for row in accounts if (name := name_of(row))}
        known = {names.get(account, account) for account in (*names, *money.rows["account_id"].drop_nulls().unique())}
        raise ChoiceRequiredError(f"No account is called {wanted!r}.", sorted(known))
    return selected


def of_category(rows: pl.DataFrame, wanted: str, names: Mapping[str, str] = MappingProxyType({})) -> pl.Expr:
    """Select the rows of a primary or secondary category, as a code or in words; `no category` for rows without.

    names: category code → the household's own name for it. Raises ChoiceRequiredError for a category that neither the
    toolkit nor a row knows.
    """
    folded = " ".join(wanted.split()).casefold()
    own = {name.casefold(): code for code, name in names.items()}
    wanted = own.get(folded, wanted)
    code = category_code(wanted)
    stored = {value for name in CATEGORIES for value in _values(rows[name]) if value and value.strip()}
    shown = category_name(code_named(wanted) or code)
    meant = [value for value in stored if category_code(value) == code or category_name(value) == shown]
    if code == NO_CATEGORY:
        return pl.all_horizontal(pl.col(name).is_null() for name in CATEGORIES)
    if meant or code in category_names() or code_named(wanted):
        found = (with_text(rows, name, pl.col(name).cast(pl.String).is_in(meant)) for name in CATEGORIES)
        return pl.any_horizontal(each.fill_null(False) for each in found)
    raise ChoiceRequiredError(f"No category is called {wanted!r}.", sorted(stored))


def _values(column: pl.Series) -> pl.Series:
    return column.dtype.categories if isinstance(column.dtype, pl.Enum) else column.unique()


def with_words(rows: pl.DataFrame, search: str) -> pl.Expr:
    """Select the rows with every word in their texts; of texts that repeat each is looked at once."""
    words = search.lower().split()
    if not words:
        return pl.lit(value=True)
    texts = pl.col(SEARCHED).cast(pl.String)
    return with_text(rows, SEARCHED, pl.all_horizontal(texts.str.contains(word, literal=True) for word in words))


def with_text(rows: pl.DataFrame, column: str, test: pl.Expr) -> pl.Expr:
    """Select the rows where a test of the text in a column holds; of an Enum, each of its values is tested once."""
    texts = rows.schema[column]
    if not isinstance(texts, pl.Enum):
        return test
    places = texts.categories.rename(column).to_frame().with_row_index("place").filter(test)["place"]
    return pl.col(column).to_physical().cast(pl.UInt32).is_in(places.implode())


def matching_rule(rows: pl.DataFrame, pattern: str, *, payee: bool = False) -> pl.DataFrame:
    """Select the rows that a rule would change; those with a category chosen by hand keep it.

    payee: the pattern is the name of a payee.
    """
    by_hand = (pl.col("category_source") == "manual").fill_null(False)
    name = " ".join(pattern.lower().split())
    meant = pl.col("merchant").str.to_lowercase() == name if payee else matches(searchable(), pattern)
    return rows.filter(meant & ~by_hand)


def with_masked_numbers(rows: pl.DataFrame, account_numbers: Collection[str]) -> pl.DataFrame:
    """Mask the household's own account numbers in `description` and `merchant`, all but the last three digits."""
    numbers = sorted((number for number in account_numbers if len(number) >= 6), key=len, reverse=True)
    if not numbers:
        return rows
    masked = [f"{'x' * (len(number) - 3)}{number[-3:]}" for number in numbers]
    return rows.with_columns(pl.col("description", "merchant").str.replace_many(numbers, masked))


def transactions_of(
    rows: pl.DataFrame, suggestions: pl.DataFrame, overrides: pl.DataFrame | None = None
) -> tuple[Transaction, ...]:
    """Return classified rows as answers give them.

    suggestions: pairs that may be transfers (`Classified`). overrides: table `choices`, with the rules to name.
    """
    numbers = _rule_numbers(rows, overrides)
    partners: dict[str, list[str]] = {}
    for out_id, in_id in suggestions.select("out_id", "in_id").iter_rows():
        partners.setdefault(out_id, []).append(in_id)
        partners.setdefault(in_id, []).append(out_id)
    return tuple(
        Transaction(
            id=row["id"],
            date=row["day"],
            account_id=row["account_id"],
            amount=amount(row["amount_minor"], row["currency"]),
            currency=row["currency"],
            status=row["status"],
            description=row["description"],
            merchant=row["merchant"],
            primary_category=row["primary_category"],
            secondary_category=row["secondary_category"],
            category_source=row["category_source"],
            kind=row["kind"],
            category_confidence=row["category_confidence"] if row["category_source"] == "provider" else None,
            transfer_partner=row["partner"],
            possible_partners=tuple(partners.get(row["id"], ())),
            tag=row["tag"],
            note=row["note"],
            rule=numbers.get(row["id"]),
        )
        for row in rows.select(_SHOWN).iter_rows(named=True)
    )


def _rule_numbers(rows: pl.DataFrame, overrides: pl.DataFrame | None) -> dict[str, int]:
    """Return the id of each row that has its category from a rule → the number of that rule."""
    by_rule = rows.filter(pl.col("category_source") == "rule").rename({SEARCHED: "_text"})
    numbers: dict[str, int] = {}
    for rule in newest_rules(overrides) if by_rule.height else ():
        matched = by_rule.filter(is_about(rule))["id"]
        numbers |= {id_: rule.number for id_ in matched if id_ not in numbers}
    return numbers


def matches_of(rows: pl.DataFrame) -> tuple[RuleMatch, ...]:
    """Return classified rows as `rules test` gives them."""
    shown = ("id", "description", "merchant", *CATEGORIES, "category_source")
    return tuple(
        RuleMatch(day, amount(minor, currency), *values)
        for day, minor, currency, *values in rows.select("day", "amount_minor", "currency", *shown).iter_rows()
    )


def suggestions_of(pairs: pl.DataFrame) -> tuple[TransferSuggestion, ...]:
    """Return pairs that may be transfers as `rules list` gives them. pairs: columns `transfers.PAIRS`."""
    return tuple(
        TransferSuggestion(out_id, in_id, day, amount(minor, currency), currency)
        for out_id, in_id, day, minor, currency in pairs.select(*PAIRS).iter_rows()
    )
