"""What was forgotten is named by no row of any table, wherever in a record the service names it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import allow_again, forget, sync
from toolkit.flows.household.context import Context
from toolkit.flows.sync.writer import VANISHED
from toolkit.store import open_store
from toolkit.tables.schema import STORED

GONE, KEPT = "GONE", "KEPT"
OF = {"arrangement_id": "arr", "institution_id": "bank"}
BOTH = (GONE, KEPT)
ASKED = [{"account": f"acc-{GONE}"}, {"account": f"ea-{GONE}"}, {"service_point": f"sp-{GONE}"}]
Rows = list[dict[str, Any]]


def record(name: str, **fields: Any) -> dict[str, Any]:
    return {"platform_id": name, **OF, **fields}


def payment(name: str, from_: str, to: str) -> dict[str, Any]:
    paid = [{"amount": "10.00", "to": {"to_utype": "accountId", "account_id": f"acc-{to}"}}]
    return record(name, scheduled_payment_id=name, payment_set=paid, **{"from": {"account_id": f"acc-{from_}"}})


def plan(word: str, *points: str) -> dict[str, Any]:
    contract = {"tariff_period": [{"display_name": word, "daily_supply_charge": "1.00"}]}
    detail = {"fuel_type": "ELECTRICITY", "electricity_contract": contract}
    return {
        "service_point_ids": [f"sp-{p}" for p in points],
        "plan_overview": {"display_name": word},
        "plan_detail": detail,
    }


def invoice(name: str, account: str, *points: str, **fields: Any) -> dict[str, Any]:
    named = [f"sp-{point}" for point in points]
    return record(name, account_id=f"ea-{account}", invoice_number=name, service_points=named, **fields)


def line(name: str, variant: str, point: str) -> dict[str, Any]:
    return record(name, account_id=f"ea-{KEPT}", **{variant: {"service_point_id": f"sp-{point}", "amount": "1.00"}})


@pytest.fixture
def service() -> WrittenService:
    """Two bank accounts, two energy accounts and two service points, and each record that can name one of them."""
    written, lists = WrittenService(), WrittenService().lists
    variants = ("usage", "demand", "once_off", "other_charges")
    for word in BOTH:
        of_account = {"account_id": f"acc-{word}"}
        lists["banking.balances"].append(record(f"b-{word}", **of_account, current_balance="1.00"))
        lists["banking.transactions"].append(purchase(BOTH.index(word), platform_id=f"t-{word}", **of_account))
        debit = {"authorised_entity": {"description": f"gym {word}"}}
        lists["banking.direct_debits"].append(record(f"d-{word}", **of_account, **debit))
        lists["energy.concessions"].append(record(f"c-{word}", account_id=f"ea-{word}", display_name="Rebate"))
        meter = {"meter_id": "1", "registers": [{"register_suffix": "E1"}]}
        lists["energy.service_points"].append(record(f"s-{word}", service_point_id=f"sp-{word}", meters=[meter]))
        lists["energy.usage"].append(register_day("2026-03-01", platform_id=f"u-{word}", service_point_id=f"sp-{word}"))
        lists["energy.der_records"].append(record(f"r-{word}", service_point_id=f"sp-{word}"))
        lists["energy.billing"] += [line(f"{variant}-{word}", variant, word) for variant in variants]
        lists["energy.billing"].append(record(f"pay-{word}", account_id=f"ea-{word}", payment={"amount": "1.00"}))
        lists["banking.scheduled_payments"] += [payment(f"{word}-{to}", word, to) for to in BOTH]
        lists["energy.invoices"].append(invoice(f"i-{word}", KEPT, word))
        lists["energy.accounts"].append(
            record(f"e-{word}", account_id=f"ea-{word}", plans=[plan("one", word), plan("two", *BOTH)])
        )
    loan = {"loan": {"offset_account_ids": [f"acc-{GONE}"]}}
    lists["banking.accounts"] = [
        record(f"a-{GONE}", account_id=f"acc-{GONE}"),
        record(f"a-{KEPT}", account_id=f"acc-{KEPT}", **loan),
    ]
    lists["energy.invoices"] += [invoice("i-both", KEPT, *BOTH), invoice("i-other", GONE, KEPT)]
    lists["banking.payees"].append(record("p", payee_id="p", domestic={"account": {"account_number": "1"}}))
    lists["banking.scheduled_payments"].append(
        {**payment("unread", GONE, GONE), "recurrence": 7, "scheduled_payment_id": None}
    )
    lists["energy.invoices"].append(invoice("unread", KEPT, *BOTH, invoice_amount="much"))
    written.lists = lists
    accounts = [f"{kind}-{word}" for kind in ("acc", "ea") for word in BOTH]
    written.consent_records = [{**OF, "active": True, "account_ids": accounts}]
    return written


def stored(ctx: Context) -> dict[str, Rows]:
    with open_store(ctx.db) as store:
        assert store.damage() == []
        return {table.name: store.rows(table.name) for table in STORED}


def names(row: dict[str, Any], word: str) -> bool:
    return any(word in value for value in row.values() if isinstance(value, str))


def naming(ctx: Context, word: str) -> dict[str, Rows]:
    found = {name: [row for row in rows if names(row, word)] for name, rows in stored(ctx).items()}
    return {name: rows for name, rows in found.items() if rows}


def of_the_service(ctx: Context) -> dict[str, Rows]:
    """Rows that a sync writes, without what tells when."""
    told = [table.name for table in STORED if "arrangement_id" in table.names and table.name != "quarantine"]
    return {
        name: [{**row, "as_of": None, "sequence": None} for row in rows]
        for name, rows in stored(ctx).items()
        if name in told
    }


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: next(iter(asked.values())))
def test_no_row_of_any_table_names_what_was_forgotten(
    service: WrittenService, home_context: Context, asked: dict[str, Any]
) -> None:
    [word] = asked.values()
    sync(home_context, service, end_user="eu")
    before = of_the_service(home_context)
    assert naming(home_context, word)
    forget(home_context, **asked)
    assert naming(home_context, word) == {}
    for full in (False, True):
        answer = sync(home_context, service, full=full)
        assert naming(home_context, word) == {}
        assert word not in json.dumps(answer)
        after = of_the_service(home_context)
        for name, rows in before.items():
            assert all(row in after[name] for row in rows if not names(row, word)), name
    allow_again(home_context, word)
    sync(home_context, service, full=True)
    again = of_the_service(home_context)
    for name, rows in before.items():
        assert sorted(rows, key=str) == sorted(again[name], key=str), name


def kept(ctx: Context, table: str) -> set[str]:
    return {row["id"] for row in stored(ctx)[table]}


def test_what_names_a_forgotten_service_point_beside_others_stays(
    service: WrittenService, home_context: Context
) -> None:
    sync(home_context, service, end_user="eu")
    forget(home_context, service_point=f"sp-{GONE}")
    answer = sync(home_context, service, full=True)
    invoices = {row["id"]: json.loads(row["service_points"]) for row in stored(home_context)["invoices"]}
    one, both = [f"sp-{KEPT}"], ["(forgotten)", f"sp-{KEPT}"]
    assert invoices == {f"i-{KEPT}": one, "i-both": both, "i-other": one}
    assert kept(home_context, "billing") == {
        f"pay-{GONE}", f"pay-{KEPT}", *(f"{v}-{KEPT}" for v in ("usage", "demand", "once_off", "other_charges"))
    }  # fmt: skip
    supplied = {row["service_point_ids"] for row in stored(home_context)["account_plans"]}
    assert supplied == {f'["sp-{KEPT}"]', '["(forgotten)"]', f'["(forgotten)","sp-{KEPT}"]'}
    assert [problem for problem in answer["problems"] if VANISHED in problem["reason"]] == []


def test_payments_to_a_forgotten_account_stay_and_those_from_it_go(
    service: WrittenService, home_context: Context
) -> None:
    sync(home_context, service, end_user="eu")
    forget(home_context, account=f"acc-{GONE}")
    sync(home_context, service)
    payments = {row["id"]: json.loads(row["payment_set"]) for row in stored(home_context)["scheduled_payments"]}
    to = {name: paid[0]["to"]["account_id"] for name, paid in payments.items()}
    assert to == {f"{KEPT}-{GONE}": "(forgotten)", f"{KEPT}-{KEPT}": f"acc-{KEPT}"}


def test_what_an_earlier_version_let_back_in_goes_at_the_next_sync(
    service: WrittenService, home_context: Context
) -> None:
    sync(home_context, service, end_user="eu")
    before = stored(home_context)
    forget(home_context, service_point=f"sp-{GONE}")
    with open_store(home_context.db) as store:
        for name in ("billing", "invoices", "account_plans"):
            store.upsert(name, before[name])
    service.lists["energy.billing"].clear()
    service.lists["energy.invoices"].clear()
    assert naming(home_context, f"sp-{GONE}").keys() == {"billing", "invoices", "account_plans"}
    sync(home_context, service)
    assert naming(home_context, f"sp-{GONE}") == {}


def test_a_home_is_on_no_plan_of_a_forgotten_account(service: WrittenService, home_context: Context) -> None:
    sync(home_context, service, end_user="eu")
    with open_store(home_context.db) as store:
        plans = [row["plan_id"] for row in store.rows("plans")]
        assert f"ea-{GONE}::electricity" in plans
        store.update("households", {"plan_id": f"ea-{GONE}::electricity", "plan_since": "2026-01-01"}, {})
    assert forget(home_context, account=f"ea-{GONE}")["deleted"]["plans"] == 2
    assert naming(home_context, f"ea-{GONE}") == {}
    [home] = stored(home_context)["households"]
    assert (home["plan_id"], home["plan_since"]) == (None, None)
    assert len(stored(home_context)["plans"]) == len(plans) - 2
