"""Pages as they come: strict, renamed, lenient, rejected; never a record lost without a word."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import names
from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import read_one, read_page
from toolkit.wire.endpoints import endpoint

ACCOUNTS, TRANSACTIONS = endpoint("energy.accounts"), endpoint("banking.transactions")
USAGE, PAYMENTS = endpoint("energy.usage"), endpoint("banking.scheduled_payments")


def test_links_and_meta():
    page = read_page(
        TRANSACTIONS,
        b'{"transactions":[],"links":{"next":"https://x/y?page%5Bafter%5D=c","prev":""},'
        b'"meta":{"last_updated":[{"account_id":"a","updated_at":"2026-01-01T00:00:00Z"}]}}',
    )
    assert page.next == "https://x/y?page%5Bafter%5D=c"
    assert page.meta.last_updated[0].account_id == "a"


@pytest.mark.parametrize("links", [b"", b',"links":null', b',"links":{}', b',"links":[]', b',"links":{"next":null}'])
def test_absent_or_empty_links_end_the_list(links):
    assert read_page(ACCOUNTS, b'{"accounts":null' + links + b"}").next is None


def test_a_bare_array_as_in_early_versions():
    assert read_page(endpoint("end_users.list"), b'[{"id":"eu_1"}]').records[0].id == "eu_1"


def test_raw_bytes_are_kept_exactly():
    raw = b'{ "account_id":"a" ,"amount":"1.0","new_field":[1.0, 2e3],"\\u0061b":null}'
    page = read_page(TRANSACTIONS, b'{"transactions":[' + raw + b"]}")
    assert page.raws == [raw]
    assert page.records[0].amount == "1.0"


def test_the_deployments_word_is_read_and_the_raw_keeps_it():
    page = read_page(TRANSACTIONS, b'{"transactions":[{"account_id":"a","fiskil_id":"t1"}]}', Spelling("fiskil"))
    assert page.records[0].platform_id == "t1"
    assert page.raws == [b'{"account_id":"a","fiskil_id":"t1"}']


def test_camel_case_and_odd_underscores_are_read():
    text = """{"accounts":[{"accountId":"en_1","plans":[{"planDetail":{"electricityContract":{
        "tariffPeriod":[{"rateBlockUType":"singleRate","singleRate":{"rates":[{"unitPrice":"0.30"}]}}]}}}]}]}"""
    period = read_page(ACCOUNTS, text.encode()).records[0].plans[0].plan_detail.electricity_contract.tariff_period[0]
    assert (period.rate_block_u_type, period.single_rate.rates[0].unit_price) == ("singleRate", "0.30")
    text = '{"scheduled_payments":[{"scheduled_payment_id":"s","payment_set":[{"to":{"to_u_type":"payeeId"}}]}]}'
    assert read_page(PAYMENTS, text.encode()).records[0].payment_set[0].to.to_utype == "payeeId"


def test_what_looks_like_a_key_inside_a_text_is_left_alone():
    text = json.dumps({"transactions": [{"accountId": "a", "description": 'x "merchantName": y'}]}).encode()
    record = read_page(TRANSACTIONS, text).records[0]
    assert (record.description, record.merchant_name) == ('x "merchantName": y', None)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('"amount":-12.30', ("amount", "-12.30")),
        ('"amount":1e2', ("amount", "1e2")),
        ('"is_detail_available":"true"', ("is_detail_available", True)),
        ('"description":null', ("description", None)),
    ],
)
def test_types_that_are_off_but_plain_are_read(sent, read):
    page = read_page(TRANSACTIONS, f'{{"transactions":[{{"account_id":"a",{sent}}}]}}'.encode())
    assert getattr(page.records[0], read[0]) == read[1]


def test_qualities_as_one_object_and_numbers_as_text():
    text = """{"usage":[{"service_point_id":"s","intervalRead":{"intervalReads":["0.10",1],"readIntervalLength":"30",
        "readQualities":{"startInterval":"1","endInterval":1.0,"quality":"SUBSTITUTE"}}}]}"""
    read = read_page(USAGE, text.encode()).records[0].interval_read
    assert [str(value) for value in read.interval_reads] == ["0.10", "1"]
    assert (read.read_interval_length, read.read_qualities[0].end_interval) == (30, 1)


def test_the_old_object_of_demand_days():
    text = """{"accounts":[{"account_id":"a","plans":[{"plan_detail":{"electricity_contract":{"tariff_period":[
        {"demand_charges":[{"days":{"weekdays":true,"saturday":false,"sunday":true}}]}]}}}]}]}"""
    period = read_page(ACCOUNTS, text.encode()).records[0].plans[0].plan_detail.electricity_contract.tariff_period[0]
    assert period.demand_charges[0].days == ["MON", "TUE", "WED", "THU", "FRI", "SUN"]


def test_a_record_that_cannot_be_read_is_set_aside_and_the_rest_kept():
    text = b"""{"usage":[{"service_point_id":"s","platform_id":"u1","basic_read":{"value":"about 3"}},null,{},
        {"service_point_id":"s","platform_id":"u2","basic_read":{"value":"NaN"}},
        {"service_point_id":"good","basic_read":{"value":0.10}}]}"""
    page = read_page(USAGE, text)
    assert [str(record.basic_read.value) for record in page.records] == ["0.10"]
    assert [r.id for r in page.rejected] == ["u1", "energy.usage[1]", "energy.usage[2]", "u2"]
    first, second, third, fourth = [r.reason for r in page.rejected]
    assert names(first, "`basic_read.value`", "'about 3'")
    assert names(second, "null")
    assert names(third, "`service_point_id`")
    assert names(fourth, "`basic_read.value`", "'NaN'")
    assert page.rejected[1].raw == b"null"


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"null",
        b"3",
        b'"x"',
        b"{}",
        b'{"data":[]}',
        b'{"accounts":{}}',
        b"<html>",
        b"[" * 200_000,
        b"\xff\xfe",
    ],
)
def test_no_list_at_all_is_a_bad_answer(broken):
    with pytest.raises(InvalidResponseError, match="/v1/energy/accounts"):
        read_page(ACCOUNTS, broken)


def test_a_single_object_that_cannot_be_read_is_a_bad_answer():
    with pytest.raises(InvalidResponseError, match="`id`"):
        read_one(endpoint("end_users.get"), b'{"name":"x"}')
    for several in (b"", b'{"id":"x"},{"id":"y"}'):
        with pytest.raises(InvalidResponseError):
            read_one(endpoint("end_users.get"), several)


KEYS = st.sampled_from(["account_id", "amount", "x", "category"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=4))
def test_whatever_comes_every_record_is_either_read_or_rejected(items):
    page = read_page(TRANSACTIONS, json.dumps({"transactions": items}).encode())
    assert len(page.records) == len(page.raws)
    assert len(page.records) + len(page.rejected) == len(items)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=0, max_value=10**6))
def test_reads_keep_their_digits(value):
    text = f'{{"usage":[{{"service_point_id":"s","interval_read":{{"interval_reads":[{value}]}}}}]}}'
    assert str(read_page(USAGE, text.encode()).records[0].interval_read.interval_reads[0]) == str(Decimal(str(value)))
