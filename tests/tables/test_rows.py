"""Records as the service writes them, and the rows they become."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.problems import places
from toolkit.tables.money import minor_units
from toolkit.tables.registers import unpack_exact
from toolkit.tables.rows.records import PageRows, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.tables.schema import table
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

SCOPE = Scope("h1", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), end_user_id="eu", institution_id="bank")
OF = {"platform_id": "p1", "arrangement_id": "arr", "institution_id": "bank"}


def rows(resource: str, *records: dict[str, Any]) -> PageRows:
    """The rows of one page, read as it comes over the wire."""
    name = endpoint(resource)
    page = read_page(name, json.dumps({name.array: list(records), "links": {}}).encode())
    assert not page.rejected
    found = rows_of(resource, page.records, page.raws, SCOPE)
    for tables in (found.counted, found.further):
        for name_, made in tables.items():
            assert all(row.keys() <= set(table(name_).names) for row in made)
    return found


TRANSACTION = {
    **OF, "account_id": "a1", "transaction_id": "t=1", "amount": "-12.30", "currency": "AUD", "status": "POSTED",
    "description": "WOOLWORTHS 123", "posting_date_time": "2026-03-01T00:00:00Z", "type": "PAYMENT",
    "category": {"primary_category": "FOOD_AND_DRINK", "confidence_level": "HIGH"}, "never_heard_of": [1],
}  # fmt: skip


def test_a_transaction() -> None:
    row = rows("banking.transactions", TRANSACTION).counted["transactions"][0]
    assert (row["id"], row["household_id"], row["amount"], row["amount_minor"]) == ("p1", "h1", "-12.30", -1230)
    assert (row["status"], row["primary_category"]) == ("POSTED", "FOOD_AND_DRINK")
    assert row["posting_date_time"] == "2026-03-01T00:00:00Z"
    assert json.loads(row["raw"])["never_heard_of"] == [1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"amount": "-12.305"}, "'-12.305' has more decimal places than AUD"),
        ({"amount": "1,000.00"}, "is not a number"),
        ({"amount": "NaN"}, "is not a number"),
        ({"amount": "1" * 30}, "too large"),
        ({"amount": None}, "amount is missing"),
        ({"status": None, "posting_date_time": None}, "status is missing"),
        ({"platform_id": None, "transaction_id": None}, "no identity"),
    ],
)
def test_an_unreadable_transaction_is_set_aside_and_the_rest_goes_in(changes: dict[str, Any], reason: str) -> None:
    found = rows("banking.transactions", {**TRANSACTION, **changes}, {**TRANSACTION, "platform_id": "p2"})
    assert [row["id"] for row in found.counted["transactions"]] == ["p2"]
    assert reason in found.refused[0].reason
    assert json.loads(found.refused[0].raw)["description"] == "WOOLWORTHS 123"


@pytest.mark.parametrize("spelt", [
    {"platform_id": "p", "arrangement_id": "arr", "account_id": "a", "service_point_id": "sp"},
    {"platformId": "p", "arrangementId": "arr", "accountId": "a", "servicePointId": "sp"},
])  # fmt: skip
def test_a_record_set_aside_is_known_by_its_ids_in_either_spelling(spelt: dict[str, str]) -> None:
    found = refusal(json.dumps({**spelt, "accountName": "Everyday"}).encode(), "it cannot be read")
    assert (found.id, found.arrangement_id, found.account_id, found.service_point_id) == ("p", "arr", "a", "sp")


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [("-12.30", "AUD", -1230), ("-0.05", "AUD", -5), ("12", "AUD", 1200), ("1e3", "AUD", 100_000), ("-0.00", "AUD", 0),
     ("500", "JPY", 500), ("1.234", "KWD", 1234), ("12.300", "AUD", 1230)],
)  # fmt: skip
def test_minor_units(text: str, currency: str, minor: int) -> None:
    assert minor_units(text, currency) == minor


def test_fractions_of_a_yen_are_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.50.* JPY"):
        minor_units("1.50", "JPY")


USAGE = {
    **OF, "service_point_id": "sp", "meter_id": "m", "register_suffix": "E1", "unit_of_measure": "KWH",
    "read_start_date": "2026-03-01", "read_u_type": "intervalRead", "controlled_load": False,
}  # fmt: skip


def a_day(reads: list[Any], **changes: Any) -> dict[str, Any]:
    interval = {"aggregate_value": 1, "interval_reads": reads, "read_interval_length": 30, **changes.pop("read", {})}
    return {**USAGE, "interval_read": interval, **changes}


def values(row: dict[str, Any]) -> list[Decimal]:
    return unpack_exact(row["reads"], exponent=row["exponent"], width=row["width"])


def test_a_register_day_is_exact_and_its_record_kept_without_the_values() -> None:
    reads = [0.1] * 47 + [12.345678]
    row = rows("energy.usage", a_day(reads)).counted["register_days"][0]
    assert values(row) == [Decimal("0.1")] * 47 + [Decimal("12.345678")]
    assert (row["total_nano"], row["present"], row["intervals"]) == (17_045_678_000, 48, 48)
    assert (row["date"], row["direction"], row["unit"]) == ("2026-03-01", "import", "KWH")
    assert "interval_reads" not in row["raw"]
    assert json.loads(row["raw"])["interval_read"] == {"aggregate_value": 1, "read_interval_length": 30}


def test_units_become_kwh() -> None:
    watt_hours = rows("energy.usage", a_day([1500] * 48, unit_of_measure="WH")).counted["register_days"][0]
    assert (watt_hours["unit"], watt_hours["total_nano"]) == ("KWH", 72_000_000_000)
    mega = rows("energy.usage", a_day([0.0015] * 48, unit_of_measure="MWH")).counted["register_days"][0]
    assert (mega["unit"], mega["total_nano"]) == ("KWH", 72_000_000_000)
    reactive = rows("energy.usage", a_day([1] * 48, unit_of_measure="KVARH", register_suffix="Q1"))
    assert reactive.counted["register_days"][0]["direction"] == "reactive"


@pytest.mark.parametrize(("suffix", "reads"), [("B1", [0.5] * 48), ("B1", [-0.5] * 48), ("E1", [-0.5] * 48)])
def test_export_is_a_direction_and_a_magnitude(suffix: str, reads: list[float]) -> None:
    row = rows("energy.usage", a_day(reads, register_suffix=suffix)).counted["register_days"][0]
    assert (row["direction"], row["total_nano"]) == ("export", 24_000_000_000)


def test_a_net_register_is_split_exactly() -> None:
    found = rows("energy.usage", a_day([-0.25] * 24 + [1.5] * 24))
    bought, sold = found.counted["register_days"][0], found.further["register_days"][0]
    assert (bought["direction"], bought["register_suffix"], bought["total_nano"]) == ("import", "E1", 36_000_000_000)
    assert (sold["direction"], sold["register_suffix"], sold["total_nano"]) == ("export", "E1-", 6_000_000_000)


def test_nulls_are_missing_and_qualities_are_ranges() -> None:
    reads = [1.0] * 47 + [None]
    listed = [{"start_interval": 2, "end_interval": 3, "quality": "SUBSTITUTE"}]
    row = rows("energy.usage", a_day(reads, read={"read_qualities": listed})).counted["register_days"][0]
    assert json.loads(row["qualities"]) == [[2, 3, "SUBSTITUTE"], [48, 48, "MISSING"]]
    assert (row["present"], row["total_nano"]) == (47, 47_000_000_000)


def test_two_days_in_one_record_are_two_rows_of_which_one_counts() -> None:
    listed = [{"start_interval": 48, "end_interval": 49, "quality": "ESTIMATED"}]
    found = rows("energy.usage", a_day([1.0] * 96, read_end_date="2026-03-02", read={"read_qualities": listed}))
    first, second = found.counted["register_days"][0], found.further["register_days"][0]
    assert (first["date"], second["date"]) == ("2026-03-01", "2026-03-02")
    assert (json.loads(first["qualities"]), json.loads(second["qualities"])) == (
        [[48, 48, "ESTIMATED"]],
        [[1, 1, "ESTIMATED"]],
    )


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (a_day([1.0] * 47, read={"read_interval_length": None}), "47 values with an interval length of None minutes"),
        (a_day([1.0] * 49), "needs 48 values of 30 minutes, but 49 were given"),
        (a_day([1.0] * 288), "288 were given, as many as of 5 minutes"),
        (a_day([1.0, -1.0] * 24, register_suffix="B1"), "both signs"),
        (a_day([1.0] * 48, read={"read_interval_length": 7}), "do not make a day"),
        (a_day([1.0] * 48, read_start_date="2026-02-30"), "is not a valid date"),
        (a_day([1.0] * 48, read={"read_qualities": [{"start_interval": 40, "end_interval": 60}]}), "outside"),
        (USAGE, "neither values nor a sum"),
    ],
)
def test_contradictions_are_set_aside(record: dict[str, Any], reason: str) -> None:
    found = rows("energy.usage", record)
    assert found.counted == {}
    assert reason in found.refused[0].reason
    assert json.loads(found.refused[0].raw) == record


def test_basic_reads_and_days_without_a_profile_are_meter_reads() -> None:
    basic = {**USAGE, "read_end_date": "2026-05-31", "basic_read": {"value": 812.5, "quality": "ESTIMATED"}}
    row = rows("energy.usage", basic).counted["meter_reads"][0]
    assert (row["start_date"], row["end_date"], row["value"]) == ("2026-03-01", "2026-05-31", "812.5")
    assert (row["value_nano"], row["quality"], row["direction"]) == (812_500_000_000, "ESTIMATED", "import")
    day = rows("energy.usage", a_day([], read={"aggregate_value": -3.25})).counted["meter_reads"][0]
    assert (day["value"], day["direction"], day["end_date"]) == ("3.25", "export", "2026-03-01")


def test_a_service_point_and_its_registers() -> None:
    record = {
        **OF, "service_point_id": "sp", "national_metering_id": "6102345678", "jurisdiction_code": "VIC",
        "location": {"address_u_type": "simple", "simple": {"state": "VIC", "postcode": "3000"}},
        "related_participants": [{"party": "AGL", "role": "FRMP"}, {"party": "CitiPower", "role": "LNSP"}],
        "consumer_profile": {"classification": "RESIDENTIAL"},
        "meters": [{"meter_id": "m", "registers": [
            {"register_id": "1", "register_suffix": "E1", "unit_of_measure": "KWH", "controlled_load": False},
            {"register_id": "2", "register_suffix": "E2", "unit_of_measure": "KWH", "controlled_load": True},
            {"register_id": "3", "register_suffix": "B1", "unit_of_measure": "KWH"},
            {"register_id": "4", "register_suffix": "Q1", "unit_of_measure": "KVARH"}]}],
    }  # fmt: skip
    found = rows("energy.service_points", record)
    point = found.counted["service_points"][0]
    assert (point["fuel"], point["state"], point["postcode"]) == ("ELECTRICITY", "VIC", "3000")
    assert (point["network"], point["customer_type"]) == ("CitiPower", "RESIDENTIAL")
    assert [(r["register_suffix"], r["direction"], r["controlled_load"]) for r in found.further["registers"]] == [
        ("E1", "import", False), ("E2", "import", True), ("B1", "export", False), ("Q1", "reactive", False),
    ]  # fmt: skip


def test_registers_that_no_read_can_be_of_are_told() -> None:
    registers = [{"register_suffix": "E1", "unit_of_measure": "KWH"}, {"unit_of_measure": "KWH"}]
    found = rows("energy.service_points", {**OF, "service_point_id": "sp", "meters": [{"registers": registers}]})
    assert [row["register_suffix"] for row in found.further["registers"]] == ["E1"]
    assert places(found.problems) == [("p1", "warning")]
    assert "1 of its 2 registers" in found.problems[0].reason


def der(devices: list[dict[str, Any]], **connection: Any) -> dict[str, Any]:
    one = {"connection_identifier": 1, "count": 1, "status": "ACTIVE", "der_devices": devices, **connection}
    return {**OF, "service_point_id": "sp", "approved_capacity": 0, "ac_connections": [one]}


def test_active_devices_are_summed() -> None:
    devices = [
        {"type": "SOLAR_PV", "count": 20, "nominal_rated_capacity": 0.33, "status": "ACTIVE"},
        {"type": "SOLAR_PV", "count": 10, "nominal_rated_capacity": 0.4, "status": "DECOMMISSIONED"},
        {"type": "STORAGE", "count": 2, "nominal_rated_capacity": 5, "nominal_storage_capacity": 6.5},
    ]
    record = der(devices, inverter_device_capacity=5, equipment_type="INVERTER", commissioning_date="2021-05-06")
    row = rows("energy.der_records", record).counted["der_records"][0]
    assert (row["panels_kw"], row["inverter_kw"], row["storage_kwh"]) == (6.6, 5.0, 13.0)
    assert (row["approved_capacity"], row["commissioning_date"]) == (None, "2021-05-06")


def test_panels_rated_in_watts_are_noticed() -> None:
    found = rows("energy.der_records", der([{"type": "SOLAR_PV", "count": 20, "nominal_rated_capacity": 330}]))
    assert found.counted["der_records"][0]["panels_kw"] == 6.6
    assert [problem.severity for problem in found.problems] == ["warning"]


def test_an_energy_account_and_its_plans() -> None:
    contract = {"tariff_period": [{"start_date": "01-01", "end_date": "31-12", "daily_supply_charge": "1.10"}]}
    plan = {
        "nickname": "Home", "service_point_ids": ["sp"],
        "plan_overview": {"display_name": "Saver", "start_date": "2025-07-01"},
        "plan_detail": {"fuel_type": "ELECTRICITY", "electricity_contract": contract, "odd": 1},
    }  # fmt: skip
    found = rows("energy.accounts", {**OF, "account_id": "ea", "display_name": "Power", "plans": [plan]})
    assert found.counted["energy_accounts"][0]["account_id"] == "ea"
    link, kept = found.further["account_plans"][0], found.further["plans"][0]
    assert (link["plan_id"], link["version"]) == (kept["plan_id"], kept["version"])
    assert (link["start_date"], link["end_date"], link["is_current"]) == ("2025-07-01", None, True)
    assert (kept["household_id"], json.loads(kept["raw"])["plan_detail"]["odd"]) == ("h1", 1)


def test_billing_invoices_and_concessions() -> None:
    billed = {**OF, "account_id": "ea", "transaction_u_type": "usage", "gst": "1.00",
              "usage": {"amount": "11.00", "usage": 40.5, "measure_unit": "KWH", "is_estimate": False}}  # fmt: skip
    line = rows("energy.billing", billed).counted["billing"][0]
    assert (line["amount_minor"], line["gst_minor"], line["usage"], line["is_estimate"]) == (1100, 100, 40.5, False)
    assert "usage" in rows("energy.billing", {**OF, "account_id": "ea"}).refused[0].reason
    invoice = {**OF, "account_id": "ea", "invoice_number": "7", "invoice_amount": "250.00",
               "period": {"start_date": "2026-01-01", "end_date": "2026-01-31"},
               "electricity": {"total_usage_charges": "200.00"}}  # fmt: skip
    row = rows("energy.invoices", invoice).counted["invoices"][0]
    assert (row["invoice_amount_minor"], row["period_start"], row["period_end"]) == (25_000, "2026-01-01", "2026-01-31")
    assert json.loads(row["detail"]) == {"electricity": {"total_usage_charges": "200.00"}}
    concession = {**OF, "account_id": "ea", "display_name": "Rebate", "type": "FIXED_AMOUNT", "amount": "25.00"}
    assert rows("energy.concessions", concession).counted["concessions"][0]["amount_minor"] == 2500


def test_balances_products_debits_payees_and_schedules() -> None:
    balance = {**OF, "account_id": "a", "current_balance": "-500", "currency": "JPY"}
    row = rows("banking.balances", balance).counted["balances"][0]
    assert (row["current_balance_minor"], row["credit_limit_minor"]) == (-500, None)
    product = rows("banking.products", {"product_id": "x", "name": "Saver"}).counted["products"][0]
    assert (product["institution_id"], product["product_id"]) == ("bank", "x")
    debit = {**OF, "account_id": "a", "last_debit_amount": "20.00", "authorised_entity": {"description": "GYM"}}
    assert rows("banking.direct_debits", debit).counted["direct_debits"][0]["last_debit_amount_minor"] == 2000
    payee = {**OF, "payee_id": "p", "domestic": {"account": {"account_number": "1", "bsb": "2"}}}
    assert rows("banking.payees", payee).counted["payees"][0]["bsb"] == "2"
    planned = {**OF, "scheduled_payment_id": "s", "from": {"account_id": "a"},
               "recurrence": {"next_payment_date": "2026-04-01", "recurrence_utype": "onceOff"}}  # fmt: skip
    row = rows("banking.scheduled_payments", planned).counted["scheduled_payments"][0]
    assert (row["account_id"], row["next_payment_date"], row["recurrence_u_type"]) == ("a", "2026-04-01", "onceOff")


@pytest.mark.parametrize(
    ("record", "state"),
    [
        ({"active": True}, "active"),
        ({"active": False, "termination_reason": "CONSENT_EXPIRED"}, "expired"),
        ({"active": False, "revoked_at": "2026-01-01T00:00:00Z"}, "revoked"),
        ({"active": False, "termination_reason": "ACCOUNTS_CLOSED"}, "ended"),
        ({}, "active"),
    ],
)
def test_the_state_of_a_consent(record: dict[str, Any], state: str) -> None:
    page = read_page(endpoint("consents.list"), json.dumps({"consents": [{"arrangement_id": "x", **record}]}).encode())
    row = rows_of("consents", page.records, page.raws, SCOPE).counted["consents"][0]
    assert (row["state"], row["end_user_id"]) == (state, "eu")


def test_a_transaction_has_every_column_in_order_and_as_stored():
    """So that the store can take the thousands of them as they are."""
    (row,) = rows("banking.transactions", TRANSACTION).counted["transactions"]
    assert tuple(row) == table("transactions").names
    assert {type(value) for value in row.values()} <= {str, int, type(None)}
