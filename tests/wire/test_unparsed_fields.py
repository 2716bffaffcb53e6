"""Fields that cannot be read: left empty and named where the record only says less without them, else it is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding.pages import Page, read_one, read_page
from toolkit.wire.endpoints import endpoint

ODD = {"odd": [1]}
TRANSACTION = {"platform_id": "t1", "account_id": "a", "amount": "-4.50", "status": "POSTED", "description": "COFFEE"}
POINT = {"platform_id": "p1", "service_point_id": "sp"}
USAGE = {**POINT, "register_suffix": "E1", "read_start_date": "2026-03-01"}
ACCOUNT = {"platform_id": "e1", "account_id": "ea"}


def page_of(resource: str, *records: dict[str, Any]) -> Page:
    row = endpoint(resource)
    return read_page(row, json.dumps({row.array: records}).encode())


def unparsed(page: Page) -> list[tuple[str, str, str]]:
    return [(entry.id, entry.field, entry.reason) for raw in page.raws for entry in page.unparsed.get(raw, [])]


def plan(contract: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**ACCOUNT, "plans": [{"plan_detail": {"electricity_contract": contract}, **more}]}


def test_a_field_that_cannot_be_read_is_left_empty_and_named():
    page = page_of("banking.transactions", {**TRANSACTION, "merchant_name": ODD, "is_detail_available": "perhaps"})
    (record,) = page.records
    assert (record.amount, record.merchant_name, record.is_detail_available) == ("-4.50", None, None)
    assert [(record, field) for record, field, _ in unparsed(page)] == [
        ("t1", "is_detail_available"),
        ("t1", "merchant_name"),
    ]
    assert "'perhaps'" in unparsed(page)[0][2]
    assert page.rejected == []
    assert json.loads(page.raws[0])["merchant_name"] == ODD


def test_only_the_field_itself_is_left_empty_however_deep_it_stands():
    category = {"primary_category": "FOOD_AND_DRINK", "confidence_level": ODD}
    page = page_of("banking.transactions", {**TRANSACTION, "category": category})
    assert page.records[0].category.primary_category == "FOOD_AND_DRINK"
    assert [field for _, field, _ in unparsed(page)] == ["category.confidence_level"]


def test_what_is_no_object_at_all_is_left_empty_as_a_whole():
    page = page_of("energy.service_points", {**POINT, "location": "1 Main Street", "consumer_profile": [1]})
    assert (page.records[0].location, page.records[0].consumer_profile) == (None, None)
    assert [field for _, field, _ in unparsed(page)] == ["location", "consumer_profile"]
    assert "'1 Main Street'" in unparsed(page)[0][2]


def test_an_entry_of_a_list_is_left_out_and_the_others_kept():
    purses = [{"amount": "1.00", "currency": "USD"}, {"amount": ODD, "currency": "EUR"}, None]
    page = page_of("banking.balances", {**ACCOUNT, "current_balance": "9.00", "purses": purses})
    assert [purse.currency for purse in page.records[0].purses] == ["USD"]
    assert [(record, field) for record, field, _ in unparsed(page)] == [("e1", "purses[1]"), ("e1", "purses[2]")]
    assert "`purses[1].amount`" in unparsed(page)[0][2]


def test_a_plans_words_may_be_odd():
    contract = {
        "tariff_period": [{"display_name": ODD, "single_rate": {"rates": [{"unit_price": "0.30"}]}}],
        "eligibility": ["EXISTING_CUST"],
        "variation": 3.5,
    }
    page = page_of("energy.accounts", plan(contract, nickname=ODD, authorised_contacts=[{"first_name": ODD}]))
    assert page.rejected == []
    (found,) = page.records[0].plans
    period = found.plan_detail.electricity_contract.tariff_period[0]
    assert (period.display_name, period.single_rate.rates[0].unit_price) == (None, "0.30")
    assert [field for _, field, _ in unparsed(page)] == [
        "plans[0].nickname",
        "plans[0].authorised_contacts[0].first_name",
        "plans[0].plan_detail.electricity_contract.eligibility[0]",
        "plans[0].plan_detail.electricity_contract.tariff_period[0].display_name",
    ]


RATES = "plans[0].plan_detail.electricity_contract.tariff_period[0].single_rate.rates"


@pytest.mark.parametrize(
    ("resource", "record", "place"),
    [
        ("banking.transactions", {**TRANSACTION, "platform_id": ODD}, "platform_id"),
        ("banking.transactions", {**TRANSACTION, "arrangement_id": ODD}, "arrangement_id"),
        ("banking.transactions", {**TRANSACTION, "amount": ODD}, "amount"),
        ("banking.transactions", {**TRANSACTION, "currency": ["AUD"]}, "currency"),
        ("banking.transactions", {**TRANSACTION, "status": True}, "status"),
        ("banking.transactions", {**TRANSACTION, "posting_date_time": [2026, 3, 1]}, "posting_date_time"),
        ("banking.balances", {**ACCOUNT, "current_balance": ODD}, "current_balance"),
        ("banking.scheduled_payments", {"scheduled_payment_id": "s", "payment_set": [{"amount": ODD}]},
         "payment_set[0].amount"),
        ("banking.scheduled_payments", {"scheduled_payment_id": "s", "recurrence": {"next_payment_date": ODD}},
         "recurrence.next_payment_date"),
        ("energy.invoices", {**ACCOUNT, "invoice_amount": ODD}, "invoice_amount"),
        ("energy.invoices", {**ACCOUNT, "period": {"start_date": ODD}}, "period.start_date"),
        ("energy.invoices", {**ACCOUNT, "electricity": {"total_usage_charges": ODD}},
         "electricity.total_usage_charges"),
        ("energy.billing", {**ACCOUNT, "usage": {"amount": "1.00", "usage": "some"}}, "usage.usage"),
        ("energy.usage", {**USAGE, "register_suffix": ODD}, "register_suffix"),
        ("energy.usage", {**USAGE, "unit_of_measure": ODD}, "unit_of_measure"),
        ("energy.usage", {**USAGE, "interval_read": {"interval_reads": [0.1, "off", 0.3]}},
         "interval_read.interval_reads[1]"),
        ("energy.usage", {**USAGE, "interval_read": {"read_interval_length": "half"}},
         "interval_read.read_interval_length"),
        ("energy.service_points", {**POINT, "meters": [{"registers": [{"controlled_load": "maybe"}]}]},
         "meters[0].registers[0].controlled_load"),
        ("energy.der_records", {**POINT, "ac_connections": [{"der_devices": [{"count": "many"}]}]},
         "ac_connections[0].der_devices[0].count"),
        ("energy.concessions", {**ACCOUNT, "applied_to": ["USAGE", ODD]}, "applied_to[1]"),
        ("energy.accounts", plan({"tariff_period": [{"single_rate": {"rates": [{"unit_price": ODD}]}}]}),
         f"{RATES}[0].unit_price"),
        ("energy.accounts", plan({"tariff_period": [{"single_rate": {"rates": [{"volume": "all"}]}}]}),
         f"{RATES}[0].volume"),
        ("energy.accounts", plan({"discounts": ["5 %"]}),
         "plans[0].plan_detail.electricity_contract.discounts[0]"),
        ("energy.accounts", plan({}, service_point_ids=ODD), "plans[0].service_point_ids"),
    ],
)  # fmt: skip
def test_what_figures_or_identity_hang_on_refuses_the_record(resource, record, place):
    page = page_of(resource, record)
    assert (page.records, page.unparsed) == ([], {})
    assert page.rejected[0].reason.startswith(f"`{place}` is ")
    assert json.loads(page.rejected[0].raw) == record


def test_each_record_of_a_page_stands_for_itself():
    page = page_of(
        "banking.transactions", TRANSACTION, {**TRANSACTION, "crn": ODD}, {**TRANSACTION, "amount": ODD}, TRANSACTION
    )
    assert [record.crn for record in page.records] == [None, None, None]
    assert len(page.rejected) == 1
    assert list(page.unparsed) == [page.raws[1]]


def test_a_single_object_with_an_odd_field_is_not_taken_in_silence():
    with pytest.raises(InvalidResponseError, match="`icon`"):
        read_one(endpoint("institutions.get"), b'{"id":"bank","icon":{}}')


@pytest.mark.parametrize("links", [b'{"next":5}', b'{"next":{"href":"x"}}', b'"next"', b'{"next":"\xff"}'])
def test_a_next_link_that_cannot_be_read_does_not_end_the_list_in_silence(links):
    with pytest.raises(InvalidResponseError, match="link"):
        read_page(endpoint("banking.transactions"), b'{"transactions":[],"links":' + links + b"}")


def test_a_link_back_may_be_anything():
    page = read_page(endpoint("banking.transactions"), b'{"transactions":[],"links":{"next":"n","prev":5}}')
    assert page.next == "n"
