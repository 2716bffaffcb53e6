"""Transactions from a frame of one's own, and spending from transactions and accounts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.money.accounts import AccountLinks, owners_of
from toolkit.analytics.money.classify import Classified
from toolkit.analytics.money.classify import classify as classify_tables
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import spending_of_rows, with_person
from toolkit.answers.money import By, Spending
from toolkit.errors import FrameError
from toolkit.frames.checks import (
    FrameLike,
    check_period,
    checked,
    checked_table,
    column,
    polars_frame,
    refuse_where,
    texts,
)
from toolkit.tables.data_types import frame_schema
from toolkit.tables.schema import Table
from toolkit.tables.schema.banking import AccountRow, TransactionRow
from toolkit.units import DEFAULT_ZONE

__all__ = ["classify", "spending", "transactions"]


@checked
def classify(
    transactions: FrameLike,
    accounts: FrameLike,
    *,
    zone: str = DEFAULT_ZONE,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
    links: AccountLinks | None = None,
) -> Classified:
    """Classify transactions: day, merchant and category, and whether each is spending, income or a transfer.

    An income category makes income, whatever the sign. Money from a company or an office is pay where its text says so,
    or where it comes each week, fortnight or month (`category_source` is then `employer`); money from a shop is where
    that is $400 a week or more. A transfer needs evidence in both rows, or a person who decides that the other side of
    a row is an account of the household's own: the category `OWN_ACCOUNT`. Without that, a row of the category transfer
    that has no partner among the own accounts is money from, or to, somebody else: it stays in its category and counts
    as spending (or less spending), as does a refund.

    Args:
        transactions: Table `transactions` of one household, from `toolkit.transactions` or `toolkit.read_transactions`.
        accounts: Table `accounts`, from the same call.
        zone: IANA time zone of the household, for local days.
        overrides: Table `choices` of a database: the household's own decisions.
        people: Names of the household's own people; a transfer to or from anybody else is not one between own accounts.
        links: Which accounts count as one. Default: found out.

    Returns:
        The classified rows, pairs that may be transfers, and which accounts count as one.

    Raises:
        FrameError: A table is not one, or has a row twice; the zone is not known.

    Examples:
        >>> rows = toolkit.classify(transactions, accounts).rows
        >>> rows.select("day", "amount_minor", "merchant", "secondary_category", "kind").tail(2)
        shape: (2, 5)
        ┌────────────┬──────────────┬──────────────────┬───────────────────────────┬─────────┐
        │ day        ┆ amount_minor ┆ merchant         ┆ secondary_category        ┆ kind    │
        │ ---        ┆ ---          ┆ ---              ┆ ---                       ┆ ---     │
        │ date       ┆ i64          ┆ str              ┆ str                       ┆ str     │
        ╞════════════╪══════════════╪══════════════════╪═══════════════════════════╪═════════╡
        │ 2026-06-30 ┆ -222978      ┆ Interest Charged ┆ BANK_FEES_INTEREST_CHARGE ┆ expense │
        │ 2026-06-30 ┆ 5870         ┆ Interest Paid    ┆ INCOME_INTEREST_EARNED    ┆ income  │
        └────────────┴──────────────┴──────────────────┴───────────────────────────┴─────────┘

        Transfers between own accounts cancel out:

        >>> rows.group_by("kind").agg(pl.len(), pl.col("amount_minor").sum()).sort("kind")
        shape: (3, 3)
        ┌──────────┬─────┬──────────────┐
        │ kind     ┆ len ┆ amount_minor │
        │ ---      ┆ --- ┆ ---          │
        │ str      ┆ u32 ┆ i64          │
        ╞══════════╪═════╪══════════════╡
        │ expense  ┆ 853 ┆ -8108837     │
        │ income   ┆ 39  ┆ 11274888     │
        │ transfer ┆ 108 ┆ 0            │
        └──────────┴─────┴──────────────┘
    """
    rows, owned = checked_table(transactions, TransactionRow.table), checked_table(accounts, AccountRow.table)
    return classify_tables(rows, owned, zone=zone, overrides=overrides, people=people, links=links)


@checked
def transactions(  # noqa: PLR0913 - what may be known of a frame
    frame: FrameLike,
    *,
    date: str,
    amount: str,
    description: str,
    account: str | None = None,
    currency: str | None = None,
    id: str | None = None,  # noqa: A002 - the column's usual name
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make tables `transactions` and `accounts`, which `toolkit.spending` and others take, from a frame of bank rows.

    Args:
        frame: A polars or pandas DataFrame, an Arrow table or a DuckDB result; a pandas index counts as a column.
        date: Column of dates, or of times (without a zone: local ones).
        amount: Column of signed amounts in whole cents, money out negative.
        description: Column of the bank's words.
        account: Column of the account that a row is of. Default: all rows are of one.
        currency: Column of ISO 4217 codes. Default: AUD.
        id: Column of the bank's own id of each row, which must not come twice. Default: equal rows are purchases of
            their own.

    Returns:
        Table `transactions`, all of it posted, and table `accounts`.

    Raises:
        FrameError: A column is missing, dates are text, an amount is not whole cents, or an id comes twice; the message
            names column and row.

    Examples:
        >>> bank = pl.DataFrame(
        ...     {
        ...         "when": [date(2026, 6, 1), date(2026, 6, 3)],
        ...         "aud": [-45.60, 2100.00],
        ...         "words": ["SHOP", "SALARY KOALA LOGISTICS"],
        ...     }
        ... )
        >>> rows, owned = toolkit.transactions(bank, date="when", amount="aud", description="words")
        >>> rows["amount_minor"].to_list()  # cents
        [-4560, 210000]
        >>> owned["account_id"].to_list()
        ['account']
    """
    table = polars_frame(frame)
    amounts, when = column(table, amount, "amount"), column(table, date, "date")
    refuse_where(when.is_null(), when, "where a date is needed")
    cents = cents_of(amounts)
    accounts = texts(table, account, "account", "account")
    known = {
        "id": pl.Series([f"frame:{row}" for row in range(table.height)], dtype=pl.String),
        "household_id": texts(table, None, "", "frame"),
        "source": texts(table, None, "", "file"),
        "account_id": accounts,
        "status": texts(table, None, "", "POSTED"),
        "amount": (cents.cast(pl.Decimal(38, 2)) / 100).cast(pl.Decimal(38, 2)).cast(pl.String),
        "amount_minor": cents,
        "currency": texts(table, currency, "currency", "AUD").str.to_uppercase(),
        "execution_date_time": _written(when),
        "description": column(table, description, "description").cast(pl.String),
    }
    if id:
        ids = texts(table, id, "id", "")
        refuse_where(ids.is_duplicated(), ids, "is given more than once. Keep each row once")
        known |= {"id": ids, "transaction_id": ids}
    names = accounts.unique(maintain_order=True)
    owned = {
        "household_id": pl.repeat("frame", len(names), eager=True),
        "id": names,
        "source": pl.repeat("file", len(names), eager=True),
        "account_id": names,
        "display_name": names,
        "is_owned": pl.repeat(True, len(names), eager=True),
    }
    return _table(TransactionRow.table, known, table.height), _table(AccountRow.table, owned, len(names))


def cents_of(amounts: pl.Series) -> pl.Series:
    if not amounts.dtype.is_numeric():
        raise FrameError(f"Column {amounts.name!r} holds {amounts.dtype}, and signed numbers are needed.")
    refuse_where(amounts.is_null(), amounts, "where an amount is needed")
    exact = amounts.cast(pl.Float64) * 100
    refuse_where(~exact.is_finite(), amounts, "is not an amount")
    refuse_where(exact.abs() > 2**53, amounts, "is beyond any bank account")
    cents = exact.round(0)
    refuse_where((exact - cents).abs() > 1e-6 * exact.abs().clip(1), amounts, "is not a whole number of cents")
    return cents.cast(pl.Int64)


def _written(when: pl.Series) -> pl.Series:
    """Return dates and times as the date-times of table `transactions` are written."""
    if when.dtype == pl.Date:
        return when.dt.strftime("%Y-%m-%dT00:00:00Z")
    if not isinstance(when.dtype, pl.Datetime):
        raise FrameError(
            f"Column {when.name!r} holds {'text' if when.dtype == pl.String else when.dtype}, and dates are needed: "
            "in polars with .str.to_date(), in pandas with pandas.to_datetime()."
        )
    if when.dtype.time_zone is None:
        return when.dt.strftime("%Y-%m-%dT%H:%M:%S")
    return when.dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%dT%H:%M:%SZ")


def _table(table: Table, known: dict[str, pl.Series], height: int) -> pl.DataFrame:
    """Return the table with these columns, and null in its others."""
    return pl.DataFrame(
        {
            name: known[name] if name in known else pl.repeat(None, height, dtype=kind, eager=True)
            for name, kind in frame_schema(table).items()
        }
    )


@checked
def spending(  # noqa: PLR0913 - the command's options
    transactions: FrameLike,
    accounts: FrameLike,
    *,
    zone: str = DEFAULT_ZONE,
    from_: date | None = None,
    to: date | None = None,
    by: By = "category",
    months: bool = False,
    pending: bool = False,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
) -> Spending:
    """Sum up spending by category, merchant, account, tag or person, and by month where asked for.

    Args:
        transactions: Table `transactions` of one household, from `toolkit.transactions` or `toolkit.read_transactions`.
        accounts: Table `accounts`, from the same call.
        zone: IANA time zone of the household, for local days.
        from_: First local day. Default: that of the transactions.
        to: Last local day, inclusive. Default: that of the transactions.
        by: What to group the rows by.
        months: Whether there is a row for each month as well.
        pending: Whether pending transactions count.
        overrides: Table `choices` of a database: the household's own decisions.
        people: Names of the household's own people.

    Returns:
        The sums, AUD. Spending is money out less refunds; transfers between the household's own accounts and repayments
        of its loans and cards are not spending. `answer.rows.frame()` is the table of the answer.

    Raises:
        FrameError: A table is not one, has a row twice, or `from_` lies after `to`.

    Examples:
        >>> answer = toolkit.spending(transactions, accounts, from_=first, to=last, by="merchant")
        >>> answer.spent, answer.income, answer.transfers
        (Decimal('18886.84'), Decimal('25682.76'), Decimal('19607.57'))
        >>> answer.rows.frame().head(2)
        shape: (2, 3)
        ┌───────────────────────┬───────────────┬───────┐
        │ merchant              ┆ spent         ┆ count │
        │ ---                   ┆ ---           ┆ ---   │
        │ str                   ┆ decimal[38,2] ┆ i64   │
        ╞═══════════════════════╪═══════════════╪═══════╡
        │ Interest Charged      ┆ 6689.34       ┆ 3     │
        │ Gumnut Early Learning ┆ 1872.00       ┆ 13    │
        └───────────────────────┴───────────────┴───────┘

        The rows add up to what was spent.

        >>> answer.rows.frame()["spent"].sum() == answer.spent
        True
    """
    check_period(from_, to)
    rows = checked_table(transactions, TransactionRow.table)
    owned = checked_table(accounts, AccountRow.table)
    rows = classify_tables(rows, owned, zone=zone, overrides=overrides, people=people).rows
    rows = with_person(rows, owners_of(overrides))
    return spending_of_rows(rows, Question(from_, to, by, months=months, pending=pending))
