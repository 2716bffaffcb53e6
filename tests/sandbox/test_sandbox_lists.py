"""Paging and filters."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.sandbox.stranger import Caller
from toolkit.sandbox.service.lists import Page, cursor, page
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import plain_row

TRANSACTIONS = "/v1/banking/transactions"


def test_pages_walk_forwards_and_back_to_where_they_began(caller: Caller) -> None:
    first = caller.get(TRANSACTIONS, end_user_id=caller.user("renter"), **{"page[size]": 400}).json()
    seen = [first]
    while following := seen[-1]["links"].get("next"):
        assert urlsplit(following).netloc == urlsplit(caller.sandbox.base_url).netloc
        seen.append(caller.http.get(following).json())
    forwards = [row["platform_id"] for answer in seen for row in answer["transactions"]]
    back = [seen[-1]]
    while earlier := back[0]["links"].get("prev"):
        back.insert(0, caller.http.get(earlier).json())
    assert [row["platform_id"] for answer in back for row in answer["transactions"]] == forwards
    assert len(forwards) == len(set(forwards)) > 800
    assert "prev" not in first["links"]


def test_a_page_is_never_longer_than_a_thousand(caller: Caller) -> None:
    answer = caller.get("/v1/energy/usage", end_user_id=caller.user("family"), **{"page[size]": 5000}).json()
    assert len(answer["usage"]) == 1000


@pytest.mark.parametrize(
    "query",
    [
        {"page[after]": "nonsense"},
        {"page[after]": "é"},
        {"page[before]": cursor("2026-01-01 x", "energy.usage")},
        {"page[size]": "0"},
        {"page[size]": "-1"},
        {"page[size]": "ten"},
        {"from": "2026-01-01"},
        {"to": "yesterday"},
        {"status": "SETTLED"},
    ],
)
def test_a_query_that_means_nothing_is_a_bad_request(caller: Caller, query: dict[str, str]) -> None:
    answer = caller.get(TRANSACTIONS, end_user_id=caller.user("renter"), **query)
    assert (answer.status_code, set(answer.json())) == (400, {"id", "name", "message"})


def test_lists_need_a_known_end_user(caller: Caller) -> None:
    assert caller.get(TRANSACTIONS).status_code == 400
    assert caller.get(TRANSACTIONS, end_user_id="eu_nobody").status_code == 404


def rows(*names: str) -> list[Any]:
    return [plain_row({"name": name}, name) for name in names]


def names(listed: Page) -> list[str]:
    return [msgspec.json.decode(row.body)["name"] for row in listed.rows]


def test_rows_that_come_or_go_while_paging_neither_repeat_nor_hide_others() -> None:
    first = page(rows("b", "d", "f", "h"), {"page[size]": "2"}, "list")
    assert names(first) == ["b", "d"]
    asked = {"page[size]": "2", "page[after]": first.next_cursor or ""}
    assert names(page(rows("a", "b", "c", "d", "e", "f", "h"), asked, "list")) == ["e", "f"]
    assert names(page(rows("f", "h"), asked, "list")) == ["f", "h"]


def test_a_cursor_serves_only_the_list_that_gave_it() -> None:
    given = page(rows("a", "b"), {"page[size]": "1"}, "one").next_cursor or ""
    with pytest.raises(ServiceRefusalError):
        page(rows("a", "b"), {"page[after]": given}, "other")


def test_from_and_to_compare_posting_then_execution(caller: Caller) -> None:
    user = caller.user("renter")
    everything = caller.every(TRANSACTIONS, end_user_id=user)
    span = {"from": "2026-02-01T00:00:00Z", "to": "2026-02-28T00:00:00+10:00"}
    rows = caller.every(TRANSACTIONS, end_user_id=user, **span)
    timestamps = [row.get("posting_date_time") or row.get("execution_date_time", "") for row in everything]
    expected = [timestamp for timestamp in timestamps if "2026-02-01T00:00:00Z" <= timestamp <= "2026-02-27T14:00:00Z"]
    assert [row.get("posting_date_time") or row["execution_date_time"] for row in rows] == expected
    assert expected


def test_posted_rows_with_a_value_date_only_are_outside_any_range(caller: Caller) -> None:
    user = caller.user("renter")
    undated = [
        row
        for row in caller.every(TRANSACTIONS, end_user_id=user, status="POSTED")
        if not {"posting_date_time", "execution_date_time"} & row.keys()
    ]
    assert {row["value_date_time"] for row in undated} >= {"2025-12-31T00:00:00Z", "2026-02-28T00:00:00Z"}
    ranged = caller.every(TRANSACTIONS, end_user_id=user, **{"from": "2000-01-01T00:00:00Z"})
    assert {row["transaction_id"] for row in ranged}.isdisjoint(row["transaction_id"] for row in undated)


def test_transactions_by_status_account_and_several_categories(caller: Caller) -> None:
    user = caller.user("family")
    pending = caller.every(TRANSACTIONS, end_user_id=user, status="PENDING")
    assert pending
    assert all(row["status"] == "PENDING" and "posting_date_time" not in row for row in pending)
    wanted = ["INCOME_SALARY", "TRANSPORTATION_GAS"]
    rows = caller.every(TRANSACTIONS, end_user_id=user, secondary_category=wanted)
    assert {row["category"]["secondary_category"] for row in rows} == set(wanted)
    account = caller.every("/v1/banking/accounts", end_user_id=user)[0]["account_id"]
    answer = caller.get(TRANSACTIONS, end_user_id=user, account_id=account).json()
    assert {row["account_id"] for row in answer["transactions"]} == {account}
    assert [account_read["account_id"] for account_read in answer["meta"]["last_updated"]] == [account]


def test_usage_by_day_and_service_point(caller: Caller) -> None:
    user = caller.user("family")
    span = {"read_start_date.oldest": "2026-01-30", "read_start_date.newest": "2026-02-02"}
    rows = caller.every("/v1/energy/usage", end_user_id=user, **span)
    days = {row["read_start_date"] for row in rows}
    assert days == {"2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02"}
    assert caller.every("/v1/energy/usage", end_user_id=user, service_point_id="sp-other") == []
    assert caller.get("/v1/energy/usage", end_user_id=user, **{"read_start_date.oldest": "20260130"}).status_code == 400


def test_invoices_and_billing_by_number(caller: Caller) -> None:
    user = caller.user("family")
    invoice = caller.every("/v1/energy/invoice", end_user_id=user)[3]
    number = invoice["invoice_number"]
    point = invoice["service_points"][0]
    assert caller.every("/v1/energy/invoice", end_user_id=user, invoice_number=number, service_point_id=point) == [
        invoice
    ]
    assert caller.every("/v1/energy/invoice", end_user_id=user, account_id="other") == []
    lines = caller.every("/v1/energy/billing", end_user_id=user, invoice_number=number)
    assert {row["transaction_u_type"] for row in lines} == {"usage", "otherCharges"}


def test_a_balance_is_fetched_only_for_one_account(caller: Caller) -> None:
    user = caller.user("renter")
    balances = caller.every("/v1/banking/balances", end_user_id=user)
    account = balances[0]["account_id"]
    assert caller.every("/v1/banking/balances", end_user_id=user, account_id=account, fetch="true") == balances[:1]
    assert caller.get("/v1/banking/balances", end_user_id=user, fetch="true").status_code == 400
    assert caller.get("/v1/banking/balances", end_user_id=user, fetch="true", account_id="no").status_code == 404


@pytest.mark.parametrize("name", ["institution_id", "instituition_id"])
def test_products_of_an_institution_in_either_spelling(caller: Caller, name: str) -> None:
    rows = caller.every("/v1/banking/products", **{name: "70001"})
    assert {product["institution_id"] for product in rows} == {"70001"}
