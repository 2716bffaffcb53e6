"""What a row must have is essential on the wire: the list beside the structs, held to the tables and to identity."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from toolkit.sync.list_sync import NATURAL
from toolkit.tables.rows.records import PageRows, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.tables.schema import STORED, table
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

SCOPE = Scope("h1", datetime(2026, 3, 4, tzinfo=UTC), end_user_id="eu", institution_id="bank")
OF = {"platform_id": "p1", "arrangement_id": "arr", "institution_id": "bank"}
SOUND: dict[str, dict[str, Any]] = {
    "banking.accounts": {**OF, "account_id": "a", "account_number": "1", "bsb": "2", "masked_number": "x1"},
    "banking.balances": {**OF, "account_id": "a", "currency": "AUD", "current_balance": "1.00"},
    "banking.transactions": {**OF, "account_id": "a", "status": "POSTED", "amount": "1.00", "currency": "AUD",
                             "description": "x", "posting_date_time": "2026-03-01T00:00:00Z",
                             "execution_date_time": "2026-03-01T00:00:00Z"},
    "banking.payees": {**OF, "payee_id": "p"},
    "banking.scheduled_payments": {**OF, "scheduled_payment_id": "s"},
    "banking.direct_debits": {**OF, "account_id": "a", "authorised_entity": {"abn": "1", "description": "GYM"}},
    "banking.products": {"institution_id": "bank", "product_id": "p"},
    "energy.accounts": {**OF, "account_id": "ea", "account_number": "7"},
    "energy.invoices": {**OF, "account_id": "ea", "invoice_number": "7"},
    "energy.billing": {**OF, "account_id": "ea", "transaction_u_type": "usage", "execution_date_time": "2026-03-01",
                       "usage": {"amount": "1.00", "description": "x", "start_date": "2026-03-01"}},
    "energy.concessions": {**OF, "account_id": "ea", "display_name": "x", "start_date": "2026-03-01"},
    "energy.service_points": {**OF, "service_point_id": "sp", "national_metering_id": "4102000001"},
    "energy.usage": {**OF, "service_point_id": "sp", "meter_id": "m", "register_suffix": "E1",
                     "unit_of_measure": "KWH", "controlled_load": False, "read_start_date": "2026-03-01",
                     "read_end_date": "2026-03-01", "interval_read": {"interval_reads": [0.5] * 48}},
    "energy.der_records": {**OF, "service_point_id": "sp"},
}  # fmt: skip
ACCOUNT_NUMBERS = ("account_number", "bsb", "masked_number")
STANDS_FOR = {
    "account": ("account_id", *ACCOUNT_NUMBERS),
    "point": ("service_point_id", "national_metering_id"),
    "day": ("posting_date_time", "execution_date_time"),
    "id": ("platform_id",),
    "date": ("read_start_date", "read_end_date"),
    "unit": ("unit_of_measure",),
    "reads": ("interval_reads",),
}
"""Columns that are made from fields of other names."""


def named(name: str) -> tuple[str, ...]:
    return STANDS_FOR.get(name, (name.removesuffix("_minor"),))


def needed() -> Iterator[tuple[str, str]]:
    """Resource and field behind every required or key column, and behind what tells records of two consents apart."""
    for made in STORED:
        if made.resource in SOUND:
            columns = {column.name for column in made.columns if column.required} | {*made.key, "arrangement_id"}
            names = {name for column in (*columns, *NATURAL.get(made.name, ())) for name in named(column)}
            yield from ((made.resource, name) for name in sorted(names) if _places(SOUND[made.resource], name))


def _places(record: Any, name: str) -> list[dict[str, Any]]:
    """Every object in a record that has such a field."""
    if not isinstance(record, dict):
        return []
    return [*([record] if name in record else []), *(p for inner in record.values() for p in _places(inner, name))]


def rows(resource: str, *records: dict[str, Any]) -> PageRows:
    row = endpoint(resource)
    page = read_page(row, json.dumps({row.array: list(records)}).encode())
    found = rows_of(resource, page.records, page.raws, SCOPE, page.unparsed)
    assert len(found.refused) + len(page.rejected) + sum(map(len, found.counted.values())) == len(records)
    return found


def test_every_resource_of_the_tables_is_here() -> None:
    assert {made.resource for made in STORED} - {"", "consents", "institutions"} == set(SOUND)


@pytest.mark.parametrize("resource", SOUND)
def test_the_sound_records_are_sound(resource: str) -> None:
    found = rows(resource, SOUND[resource])
    assert (found.refused, found.unparsed) == ([], [])
    assert sum(map(len, found.counted.values())) == 1


@pytest.mark.parametrize(("resource", "name"), sorted(set(needed())))
def test_what_a_row_must_have_or_is_told_by_is_never_left_empty(resource: str, name: str) -> None:
    record = json.loads(json.dumps(SOUND[resource]))
    for holder in _places(record, name):
        holder[name] = {"odd": [1]}
    assert rows(resource, record).counted == {}


def test_an_impossible_date_that_nothing_hangs_on_is_left_empty_and_named() -> None:
    found = rows("banking.accounts", {**SOUND["banking.accounts"], "creation_date": "2026-02-30"})
    (row,) = found.counted["accounts"]
    assert (row["account_id"], row["creation_date"]) == ("a", None)
    assert json.loads(row["raw"])["creation_date"] == "2026-02-30"
    (unparsed,) = found.unparsed
    assert (unparsed.id, unparsed.field) == ("p1", "creation_date")
    assert "'2026-02-30'" in unparsed.reason


def test_an_impossible_date_inside_a_list_leaves_the_rest_of_its_entry() -> None:
    panels = {"der_devices": [{"type": "SOLAR_PV", "count": 10, "nominal_rated_capacity": 0.4}]}
    connections = [{**panels, "commissioning_date": "2021-05-06"}, {**panels, "commissioning_date": "soon"}]
    found = rows("energy.der_records", {**SOUND["energy.der_records"], "ac_connections": connections})
    (row,) = found.counted["der_records"]
    assert (row["panels_kw"], row["commissioning_date"]) == (8.0, "2021-05-06")
    assert [unparsed.field for unparsed in found.unparsed] == ["ac_connections[1].commissioning_date"]


def test_several_fields_of_a_record_are_each_named() -> None:
    record = {**SOUND["banking.balances"], "credit_limit": "1,000.00", "amortised_limit": "a lot", "purses": 3}
    found = rows("banking.balances", record)
    (row,) = found.counted["balances"]
    assert (row["current_balance_minor"], row["credit_limit"], row["credit_limit_minor"]) == (100, None, None)
    assert {unparsed.field for unparsed in found.unparsed} == {"credit_limit", "amortised_limit", "purses"}


def test_a_number_beyond_all_floats_is_no_number() -> None:
    found = rows("energy.der_records", {**SOUND["energy.der_records"], "approved_capacity": 10**400})
    assert found.counted["der_records"][0]["approved_capacity"] is None
    assert [unparsed.field for unparsed in found.unparsed] == ["approved_capacity"]


@pytest.mark.parametrize(
    ("resource", "changes", "reason"),
    [
        ("banking.balances", {"current_balance": "1,000.00"}, "current_balance: amount '1,000.00' is not a number"),
        (
            "energy.invoices",
            {"period": {"start_date": "2026-02-30"}},
            "period.start_date '2026-02-30' is not a valid date",
        ),
        ("energy.concessions", {"end_date": "2026-13-01"}, "end_date '2026-13-01' is not a valid date"),
        ("energy.usage", {"read_start_date": "yesterday"}, "read_start_date 'yesterday' is not a valid date"),
    ],
)
def test_amounts_and_dates_that_figures_hang_on_refuse_the_record(
    resource: str, changes: dict[str, Any], reason: str
) -> None:
    found = rows(resource, {**SOUND[resource], **changes})
    assert (found.counted, found.unparsed) == ({}, [])
    assert found.refused[0].reason == reason


def test_every_table_of_the_service_keeps_the_record_as_given() -> None:
    for resource, record in SOUND.items():
        for name, made in rows(resource, {**record, "of_tomorrow": [1]}).counted.items():
            assert "raw" in table(name).names
            assert json.loads(made[0]["raw"])["of_tomorrow"] == [1]
