"""Half a character in a record (a text cut inside an emoji) costs that field, whatever rows the record fills."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from toolkit.tables.rows.records import PageRows, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

SCOPE = Scope("h1", datetime(2026, 3, 4, tzinfo=UTC))
USAGE = (
    rb'"platform_id":"p1","service_point_id":"sp","register_suffix":"E1","unit_of_measure":"KWH",'
    rb'"read_start_date":"2026-03-01"'
)


def rows(resource: str, record: bytes) -> PageRows:
    row = endpoint(resource)
    page = read_page(row, b'{"%s":[%s],"links":{}}' % ((row.array or "").encode(), record))
    found = rows_of(resource, page.records, page.raws, SCOPE, page.unparsed)
    assert (page.rejected, found.refused) == ([], [])
    return found


def test_an_energy_account_keeps_its_plans() -> None:
    contract = rb'{"tariff_period":[{"daily_supply_charge":"1.10"}]}'
    plan = (
        rb'{"nickname":"Sun \ude00 \ud83d\ude00","service_point_ids":["sp"],'
        rb'"plan_detail":{"fuel_type":"ELECTRICITY","electricity_contract":%s}}' % contract
    )
    record = rb'{"platform_id":"p1","account_id":"ea","display_name":"Home \ud83d","plans":[%s]}' % plan
    found = rows("energy.accounts", record)
    account = found.counted["energy_accounts"][0]
    assert (account["display_name"], [entry.field for entry in found.unparsed]) == (
        None,
        ["display_name", "plans[0].nickname"],
    )
    assert json.loads(account["raw"])["display_name"] == "Home \ud83d"
    [link], [kept] = found.further["account_plans"], found.further["plans"]
    assert (link["nickname"], link["plan_id"]) == ("Sun \ufffd 😀", kept["plan_id"])


@pytest.mark.parametrize("half", [rb"\ud83d", rb"\ude00 \ud83d", rb"\ud83d\u0041"])
@pytest.mark.parametrize("name", [b"interval_read", b"intervalRead"])
def test_a_usage_record_is_kept_as_given_without_its_values(half: bytes, name: bytes) -> None:
    values = b",".join([b"0.5"] * 48)
    inside = rb'{"of_tomorrow":"%s","read_interval_length":30,"interval_reads":[%s]}' % (half, values)
    record = rb'{%s,"read_u_type":"%s", "note":"caf\u00e9 %s \ud83d\ude00","%s":%s}' % (USAGE, half, half, name, inside)
    [row] = rows("energy.usage", record).counted["register_days"]
    assert row["total_nano"] == 24 * 10**9
    given = json.loads(record)
    del given[name.decode()]["interval_reads"]
    assert json.loads(row["raw"]) == given


def test_a_reading_of_a_dial_is_kept_as_given() -> None:
    record = rb'{%s,"read_u_type":"\ud83d","basic_read":{"value":5}}' % USAGE
    [row] = rows("energy.usage", record).counted["meter_reads"]
    assert (row["value_nano"], row["raw"]) == (5 * 10**9, record.decode())
