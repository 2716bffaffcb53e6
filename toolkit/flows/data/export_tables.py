"""Tables as they leave: nothing of this machine, reads opened, transactions with their day and category."""

from __future__ import annotations

import polars as pl

from toolkit.analytics.money.classify import Classified
from toolkit.flows.money.spending import classified
from toolkit.flows.money.summary import zone_of
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.registers import unpack_exact
from toolkit.tables.schema import STORED, Table
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ReadRow
from toolkit.tables.transaction_days import with_days
from toolkit.units import NANO

TABLES = tuple(table for table in STORED if not table.internal)

# Clock readings of this machine, links that let somebody consent, and what is only a form of other columns.
_LEFT_OUT = {
    "balances": {"as_of"},
    "files": {"imported_at"},
    "claims": {"given"},
    "quarantine": {"seen_at"},
    "consents": {"ended_at"},
    "end_users": {"invite_url", "invite_expires_at", "invited_at"},
    "plans": {"sequence"},
    "register_days": {"exponent", "width", "reads", "digest"},
}
_KEPT_RAW = {"plans", "quarantine"}
_FIRST = ("id", "account_id", "date", "amount", "currency", "description", "merchant", "status")
_UNDERSTOOD = ("merchant", "primary_category", "secondary_category", "category_source", "kind")
_FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"^-?[0-9]+(\.[0-9]+)?$"
_NUMBERS_AS_TEXT = {"value", "percentage"}


def exported(store: Store, table: Table, homes: list[HouseholdRow]) -> pl.DataFrame:
    """Return the rows of `homes` in key order; all rows of a table that belongs to no household."""
    if table.name == "transactions":
        return pl.concat([_transactions(store, home) for home in homes]) if homes else _transactions(store, None)
    owners = ["", *(home.household_id for home in homes)]
    where = {"household_id": owners} if "household_id" in table.names else None
    frame = store.read(table.name, where=where)
    if table.name == "register_days":
        values = [_values_as_json(*packed) for packed in frame.select("reads", "exponent", "width").iter_rows()]
        frame = frame.with_columns(pl.Series("values", values, dtype=pl.String))
    return _trimmed(frame, table)


def _trimmed(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """`vanished_at` becomes yes or no, because its time is this machine's."""
    left_out = _LEFT_OUT.get(table.name, set()) | (set() if table.name in _KEPT_RAW else {"raw"})
    if "vanished_at" in frame.columns:
        frame = frame.with_columns(vanished=pl.col("vanished_at").is_not_null()).drop("vanished_at")
    return frame.drop([name for name in frame.columns if name in left_out])


def _transactions(store: Store, home: HouseholdRow | None) -> pl.DataFrame:
    """Stored columns with the day, merchant and category that `spending` goes by, and exact amounts."""
    table = next(entry for entry in STORED if entry.name == "transactions")
    if home is None:
        empty = store.read("transactions", where={"household_id": ""})
        texts = [(name, pl.String()) for name in (*_UNDERSTOOD, "same_as")]
        understood = pl.DataFrame(schema=[("id", pl.String()), ("date", pl.Date()), *texts])
    else:
        empty = store.read("transactions", home.household_id)
        understood = _understood(empty, classified(store, home), zone_of(home))
    stored = _with_parts(_trimmed(empty, table).drop("primary_category", "secondary_category"), understood)
    understood = understood.drop("amount_minor", strict=False)
    pairs = stored.select("amount_minor", "currency").iter_rows()
    amounts = pl.Series("amount", [format(amount(*pair), "f") for pair in pairs], dtype=pl.String)
    whole = stored.join(understood, on="id", how="left", maintain_order="left").with_columns(amounts)
    return whole.select(*_FIRST, *(name for name in whole.columns if name not in _FIRST))


def _with_parts(stored: pl.DataFrame, understood: pl.DataFrame) -> pl.DataFrame:
    """Put the parts of split transactions in their place: rows as stored, with the part's own id and amount."""
    if understood.is_empty():
        return stored
    parts = understood.filter(~pl.col("id").is_in(stored["id"].implode())).select(
        part="id", id=pl.col("id").str.replace(r"#\d+$", ""), part_minor="amount_minor"
    )
    joined = stored.join(parts, on="id", how="left", maintain_order="left_right")
    return joined.with_columns(
        id=pl.coalesce("part", "id"), amount_minor=pl.coalesce("part_minor", "amount_minor")
    ).drop("part", "part_minor")


def _understood(stored: pl.DataFrame, money: Classified, zone: str) -> pl.DataFrame:
    """Return each row that counts, and each copy in a linked account, classified as the row that counts (`same_as`)."""
    counted = money.rows.select(
        "id", pl.col("day").alias("date"), *_UNDERSTOOD, "amount_minor", same_as=pl.lit(None, pl.String)
    )
    ends = {"id": list(money.links.copies), "same_as": list(money.links.copies.values())}
    copies = pl.DataFrame(ends, dict.fromkeys(ends, pl.String))
    days = with_days(stored.lazy(), zone).select("id", date="day").collect()
    originals = counted.drop("same_as", "date").rename({"id": "same_as"})
    understood = copies.join(originals, on="same_as").join(days, on="id")
    return pl.concat([counted, understood.select(counted.columns)])


def _values_as_json(blob: bytes, exponent: int, width: int) -> str:
    """Return the values of a day as a JSON list, each with exactly its own decimals."""
    values = unpack_exact(blob, exponent=exponent, width=width)
    return "[" + ",".join(format(value, "f") for value in values) + "]"


def interval_reads(store: Store, home: HouseholdRow | None) -> pl.DataFrame:
    """Return the interval reads of a household in key order, a row for each; no rows without a household.

    Columns: `household_id`, those of frame `reads`, and `energy`, in the row's unit, null where the read is missing.
    """
    owner = home.household_id if home else ""
    reads = store.reads(owner).sort(ReadRow.table.key)
    return reads.select(pl.lit(owner).alias("household_id"), pl.all(), (pl.col("energy_nano") / NANO).alias("energy"))


def for_spreadsheets(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Text that a spreadsheet would take for a formula gets a leading `'`; amounts stay numbers; instants end in Z."""
    numbers = {name.removesuffix("_minor") for name in table.names if name.endswith("_minor")} | _NUMBERS_AS_TEXT
    return frame.with_columns(
        *(_guarded(name, is_number=name in numbers) for name, kind in frame.schema.items() if kind == pl.String),
        *(
            pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
            for name, kind in frame.schema.items()
            if isinstance(kind, pl.Datetime)
        ),
    )


def _guarded(name: str, *, is_number: bool) -> pl.Expr:
    text = pl.col(name)
    dangerous = text.str.contains(_FORMULA)
    if is_number:
        dangerous &= ~text.str.contains(_NUMBER)
    return pl.when(dangerous).then(pl.concat_str(pl.lit("'"), text)).otherwise(text).alias(name)
