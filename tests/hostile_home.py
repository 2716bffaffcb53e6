"""A household with a row of everything, and the fields of it that a service, a file or a person fills.

`test_hostile_fields.py` holds that each column of text of the store stands here, with what may come into it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count, cycle
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from tests.hostile import Hostile
from tests.meters import day, flat_plan, nem12, register
from toolkit.answers.energy.invoice_list import InvoiceLine
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.accounts import list_accounts, set_account
from toolkit.flows.money.edits.settings import add_category, name_category, set_transaction
from toolkit.flows.money.rules import add_rule, set_category
from toolkit.flows.money.transactions import transactions
from toolkit.flows.money.years.budgets import set_budget
from toolkit.flows.plans.typed import keep_typed_plan
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line
from toolkit.store import Store, open_store
from toolkit.tables.schema import STORED

HOME = "home_c77689c545ab"
"""Id of the demo's family, made from its name: it stays whatever the name becomes."""
WORDS = {
    "transactions": (
        "description",
        "merchant_name",
        "reference",
        "payer",
        "payee",
        "extended_description",
        "biller_name",
        "biller_code",
        "crn",
        "apca_number",
        "end_to_end_id",
    ),
    "plans": ("name", "retailer"),
    "products": ("name", "brand", "description"),
    "billing": ("description", "invoice_number"),
    "direct_debits": ("description", "financial_institution", "abn"),
    "scheduled_payments": ("nickname", "payer_reference", "payee_reference"),
    "payees": ("nickname", "description", "account_number", "bsb", "biller_code"),
    "households": ("name", "note", "purpose"),
    "persons": ("name",),
    "end_users": ("name", "email", "phone", "invite_url"),
    "consents": ("termination_reason",),
    "institutions": ("name",),
    "accounts": ("display_name", "nickname", "product_name", "masked_number", "account_number", "bsb"),
    "energy_accounts": ("display_name", "account_number"),
    "account_plans": ("nickname", "display_name"),
    "concessions": ("display_name", "additional_info"),
    "invoices": ("invoice_number",),
    "service_points": ("network", "national_metering_id"),
    "registers": ("time_of_day", "network_tariff_code"),
    "files": ("name",),
    "runs": ("error",),
    "quarantine": ("reason", "id"),
    "typed_invoices": ("retailer", "plan_name", "invoice_number"),
    "typed_concessions": ("name",),
    "as_told": ("name",),
}
"""Table → columns of free text, every row of which takes another text."""
CODES = {
    "transactions": (
        "type",
        "status",
        "posting_date_time",
        "merchant_category_code",
        "primary_category",
        "secondary_category",
        "category_confidence",
        "currency",
        "execution_date_time",
        "value_date_time",
    ),
    "accounts": ("product_category", "account_ownership", "open_status", "specific_account_u_type"),
    "balances": ("currency",),
    "payees": ("type", "payee_u_type"),
    "scheduled_payments": ("status", "recurrence_u_type"),
    "direct_debits": ("last_debit_date_time",),
    "products": ("product_category", "effective_from", "effective_to", "last_updated"),
    "consents": ("state",),
    "institutions": ("industry", "connection_status"),
    "energy_accounts": ("open_status",),
    "plans": ("fuel_type", "customer_type", "plan_type", "effective_from", "effective_to", "last_updated"),
    "invoices": ("payment_status",),
    "billing": (
        "transaction_u_type",
        "execution_date_time",
        "start_date",
        "end_date",
        "measure_unit",
        "time_of_use_type",
        "method",
    ),
    "concessions": ("type", "percentage", "discount_frequency"),
    "service_points": (
        "jurisdiction_code",
        "state",
        "postcode",
        "service_point_status",
        "service_point_classification",
        "customer_type",
    ),
    "registers": ("consumption_type", "unit"),
    "register_days": ("unit", "updated_at"),
    "meter_reads": ("unit", "quality", "updated_at"),
}
"""Table → columns with words that the program knows, and others may come: every tenth row takes a text."""
IN_JSON = {
    "plans": ("raw",),
    "products": ("raw",),
    "accounts": ("raw",),
    "der_records": ("raw",),
    "service_points": ("raw",),
    "scheduled_payments": ("recurrence", "payment_set"),
    "invoices": ("detail",),
    "choices": ("value",),
    "typed_invoices": ("energy", "lines"),
}
"""Table → columns of JSON, in which each name, description and remark takes a text."""
CODES_IN_JSON = {"plans": ("distributors",), "concessions": ("applied_to",)}
"""Table → columns of lists of words that the program knows: every tenth row takes texts."""
PATTERNS = {"choices": ("subject",)}
"""What a person's rules look for."""
_LISTED_IDS = {"account_plans": "service_point_ids", "invoices": "service_points"}
"""Lists of ids of service points."""
IDS = (
    *(
        "id",
        "account_id",
        "institution_id",
        "arrangement_id",
        "consent_id",
        "end_user_id",
        "transaction_id",
        "payee_id",
    ),
    *(
        "scheduled_payment_id",
        "service_point_id",
        "meter_id",
        "register_id",
        "register_suffix",
        "plan_id",
        "product_id",
    ),
)
"""What others name their things by: the same text in every table that has such a column."""
OURS = {
    *("household_id", "source", "kind", "section", "per", "fuel", "shape", "direction", "version", "digest", "layout"),
    *("file_id", "listed_id", "linked_account_id", "superseded_by", "renews", "share", "table_name", "row_key"),
    *("general_channels", "insight_id", "moved_to", "other_plans", "resource", "service_point_ids", "service_points"),
}
"""Columns that the program words itself, or copies from one of the others."""
CHECKED = {
    *("amount", "current_balance", "available_balance", "credit_limit", "amortised_limit", "last_debit_amount", "gst"),
    *("invoice_amount", "gst_amount", "balance_at_issue", "value", "percent", "qualities", "arrays", "timezone"),
    *("included_postcodes", "excluded_postcodes", "postcode", "state", "customer_type", "billing", "network", "folder"),
}
"""Columns that take figures, words that the program knows and folders that are there: others are never stored."""
KEPT = {"raw", "given", "row", "purses"}
"""Columns with records as they came, which no answer reads."""
DERIVED = ("rollups", "frame_columns", "spending_months", "household_figures", "account_suggestions")
"""Tables that are made anew from the others."""
_WORDS_IN_JSON = {
    *("displayname", "name", "brand", "brandname", "nickname", "title", "person", "tag", "note", "register"),
    *("description", "information", "additionalinfo", "additionalinformation", "additionalfeeinformation", "message"),
    *("onexpirydescription", "terms", "benefits", "eligibility", "variation", "party", "bundlename", "mailingname"),
    *("manufacturer", "manufacturername", "modelnumber", "invertermodelnumber", "inverterseries"),
    *("beneficiaryname", "payeereference", "localityname", "provider", "identifier"),
}
"""Keys of JSON, without capitals and underscores, with words of a service, a file or a person."""


def filled(db: Path, today: date) -> Path:
    """Make the demo's database with a hundred published plans, and a row of what the demo's family lacks."""
    ctx = Context(db, today)
    demo(ctx)
    plan = json.loads(flat_plan())
    plans = [
        plan
        | {"planId": f"P{number}", "displayName": "a plan", "brandName": "a retailer", "customerType": "RESIDENTIAL"}
        for number in range(100)
    ]
    folder = db.parent / "files"
    folder.mkdir()
    (folder / "plans.json").write_text(json.dumps(plans))
    (folder / "bank.csv").write_text(
        '18/06/2026,"-40.00","MARKET STALL","+60.00"\n19/06/2026,"-10.00","MARKET STALL","+50.00"\n'
    )
    load(ctx, [folder])
    _decide(ctx)
    _type(ctx)
    (db.parent / "meter.csv").write_text(nem12(register(), day("20260601", [0.25] * 48)))
    add_home(ctx, "The neighbours")
    load(replace(ctx, household="The neighbours"), [db.parent / "meter.csv"])
    with open_store(db) as store:
        _add_rows_of_a_service(store)
    return db


def _decide(ctx: Context) -> None:
    """Name, tag, sort and budget things as a person does."""
    first, second, *_ = transactions(ctx, kind="expense", limit=2).transactions
    set_transaction(ctx, first.id, note="a note", tag="a tag")
    add_category(ctx, "Own group")
    add_category(ctx, "Own", group="OWN_GROUP")
    name_category(ctx, "FOOD_AND_DRINK_GROCERIES", name="Food shop")
    add_rule(ctx, "market stall", "Own")
    add_rule(ctx, "Market Stall", "Own", payee=True)
    set_category(ctx, second.id, "Own")
    set_budget(ctx, "Own", "100")
    set_account(ctx, list_accounts(ctx).accounts[0].id, name="Purse", person="Somebody")


def _type(ctx: Context) -> None:
    """Type a bill, a plan, a concession, a person and lines for the report."""
    set_home(
        ctx, persons=["A person"], concessions=["A concession: 285 a year"], note="n", purpose="p", network="Ausgrid"
    )
    span = (date(2024, 5, 1), date(2024, 5, 31))
    price = {"unit": "kWh", "unit_price": Decimal("0.3"), "amount": Decimal(30), "quantity": Decimal(100)}
    lines = [msgspec.convert({"component": "peak", "name": "A price", **price}, InvoiceLine)]
    bill = InvoiceForm("ELECTRICITY", *span, "90", "A retailer", "N1", "A plan", energy=["a=100"], lines=lines)
    add_invoice(ctx, bill)
    for kind in ("income", "expense", "debt"):
        add_stated_line(ctx, StatedLine(kind, "A line", "25", "week"))
    typed = TypedPlan(name="Typed", fuel="gas", supply=Decimal(80), usage=(TypedRate(price=Decimal(4)),), retailer="A")
    keep_typed_plan(ctx, typed)


def _add_rows_of_a_service(store: Store) -> None:
    """Add what only some services give: a concession, an ended consent, a person without one, what went wrong."""
    now = datetime(2026, 6, 20, tzinfo=UTC)
    account = store.rows("energy_accounts")[0]
    record = {name: account[name] for name in ("arrangement_id", "institution_id", "account_id")}
    of_home: dict[str, Any] = {"household_id": HOME}
    concession = {"id": "c1", "display_name": "a", "additional_info": "a", "type": "FIXED_AMOUNT", "amount": "20.00"}
    terms = {"percentage": "0.1", "discount_frequency": "P1M", "applied_to": ["INVOICE"], "amount_minor": 2000}
    store.upsert("concessions", [of_home | record | concession | terms])
    ended = {"arrangement_id": "a1", "end_user_id": "", "institution_id": "70001", "state": "revoked", "ended_at": now}
    store.upsert("consents", [of_home | ended | {"termination_reason": "a reason"}])
    invited = {"end_user_id": "e1", "state": "invited", "name": "a", "email": "a", "phone": "a", "invited_at": now}
    store.upsert("end_users", [of_home | invited | {"invite_url": "https://bank.example/consent"}])
    refused = {"resource": "banking.transactions", "id": "q1", "reason": "a reason", "raw": "{}", "seen_at": now}
    store.upsert("quarantine", [of_home | refused | {"arrangement_id": account["arrangement_id"]}])
    kept = store.rows("register_days", where={"meter_id": "M1"})[0]
    names = ("household_id", "service_point_id", "meter_id", "register_suffix", "direction", "source")
    of_register = {name: kept[name] for name in names} | {"unit": "KWH", "controlled_load": False, "updated_at": "a"}
    span = {"start_date": date(2026, 3, 1), "end_date": date(2026, 5, 31), "quality": "ACTUAL"}
    store.upsert("meter_reads", [of_register | span | {"value": "90", "value_nano": 90 * 10**9}])
    store.update("runs", {"error": "an error", "state": "failed"}, {})
    store.update("transactions", {"extended_description": "more"}, {"household_id": HOME, "status": "POSTED"})


def infest(db: Path, chosen: Sequence[Hostile], *, together: int = 1, odd: bool = False) -> None:
    """Put the texts in every free field of a database, in the order of the rows' keys, and have all sums made anew.

    Not in the order stored: accounts are fetched side by side, so that differs from run to run.

    together: how many of them a field takes that a household has once or a few times. odd: also in place of ids, and of
    words that the program knows.
    """
    one = [hostile.text for hostile in chosen]
    several = [" ".join(one[start : start + together]) for start in range(0, len(one), together)]
    with sqlite3.connect(db) as connection:
        for table, column in fields_of(WORDS):
            _fill(connection, table, column, one if _has_many(connection, table) else several)
        for table, column in fields_of(IN_JSON):
            _fill_json(connection, table, column, one)
        _fill_patterns(connection, several)
        if odd:
            _fill_what_is_known(connection, one)
        for derived in DERIVED:
            connection.execute(f"DELETE FROM {derived}")


def fields_of(columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield table and column of each field."""
    return ((table, column) for table, names in columns.items() for column in names)


def _fill_what_is_known(connection: sqlite3.Connection, chosen: Sequence[str]) -> None:
    """Put texts in place of ids, and of some of the words that the program knows."""
    for table, column in fields_of(CODES):
        _fill(connection, table, column, chosen, every=10)
    for table, column in fields_of(CODES_IN_JSON):
        _fill_json(connection, table, column, chosen, every=10)
    for column in IDS:
        _rename(connection, column, chosen)


def _has_many(connection: sqlite3.Connection, table: str) -> bool:
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return bool(count >= 10)


def _keyed(connection: sqlite3.Connection, table: str, column: str) -> list[int]:
    """Return the row ids of a table where a column has a value, in the order of their keys."""
    key = ", ".join(name for *_, name in connection.execute(f"PRAGMA index_info(key_{table})"))
    rows = connection.execute(f"SELECT rowid FROM {table} WHERE {column} IS NOT NULL ORDER BY {key}")
    return [row for (row,) in rows]


def _fill(connection: sqlite3.Connection, table: str, column: str, chosen: Sequence[str], *, every: int = 1) -> None:
    """Give the rows of a table the texts in turn; every: as `_each` has it."""
    rows = _each(_keyed(connection, table, column), every)
    if (table, column) == ("households", "name"):  # the family was stored first, and stays the first of the list
        rows, chosen = sorted(rows), sorted(chosen[: len(rows)], key=str.casefold)
    given = [(chosen[place % len(chosen)], row) for place, row in enumerate(rows)]
    connection.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", given)


def _fill_json(
    connection: sqlite3.Connection, table: str, column: str, chosen: Sequence[str], *, every: int = 1
) -> None:
    texts = cycle(chosen)
    for row in _each(_keyed(connection, table, column), every):
        (stored,) = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
        if stored.startswith(("{", "[")):  # of a file: the line as it was
            change = _other if table in CODES_IN_JSON and column in CODES_IN_JSON[table] else _renamed
            changed = json.dumps(change(json.loads(stored), texts))
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))


def _each(rows: list[int], every: int) -> list[int]:
    """Return each of the rows, or each tenth of many and the last of a few."""
    return rows[every - 1 :: every] or rows[-1:]


def _renamed(value: object, texts: Iterator[str]) -> object:
    """Return JSON with every name and description replaced."""
    if isinstance(value, dict):
        return {key: _other(one, texts) if _is_worded(key) else _renamed(one, texts) for key, one in value.items()}
    return [_renamed(one, texts) for one in value] if isinstance(value, list) else value


def _is_worded(key: str) -> bool:
    return key.replace("_", "").casefold() in _WORDS_IN_JSON


def _other(value: object, texts: Iterator[str]) -> object:
    if isinstance(value, list):
        return [_other(one, texts) for one in value]
    return next(texts) if isinstance(value, str) else _renamed(value, texts)


def _fill_patterns(connection: sqlite3.Connection, chosen: Sequence[str]) -> None:
    """Give the rules that a person made other words to look for, on one line as the form keeps them."""
    rules = connection.execute("SELECT rowid FROM choices WHERE kind IN ('rule', 'payee') ORDER BY number").fetchall()
    given = [(" ".join(chosen[place % len(chosen)].split()), row) for place, (row,) in enumerate(rules)]
    connection.executemany("UPDATE choices SET subject = ? WHERE rowid = ?", given)


def _rename(connection: sqlite3.Connection, column: str, chosen: Sequence[str]) -> None:
    """Give each value of a column another text, the same one wherever it stands."""
    having = [table.name for table in STORED if column in table.names]
    values = {value for table in having for (value,) in connection.execute(f"SELECT {column} FROM {table}") if value}
    others = zip(sorted(values), cycle(chosen), count())
    connection.execute("CREATE TEMP TABLE other (old PRIMARY KEY, new)")
    connection.executemany("INSERT INTO other VALUES (?, ?)", [(old, f"{new} {n}") for old, new, n in others])
    for table, name in (*((table, column) for table in having), ("choices", "subject"), ("choices", "value")):
        connection.execute(
            f"UPDATE {table} SET {name} = (SELECT new FROM other WHERE old = {name}) "
            f"WHERE {name} IN (SELECT old FROM other)"
        )
    renamed = dict(connection.execute("SELECT old, new FROM other"))
    connection.execute("DROP TABLE other")
    for table, name in _LISTED_IDS.items() if column == "service_point_id" else ():
        lists = connection.execute(f"SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL").fetchall()
        changed = [(json.dumps([renamed.get(each, each) for each in json.loads(old)]), old) for (old,) in lists]
        connection.executemany(f"UPDATE {table} SET {name} = ? WHERE {name} = ?", changed)
