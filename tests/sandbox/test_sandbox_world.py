"""The invented lives: they repeat, and their parts belong together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import fields

from tests.sandbox.stranger import TODAY, Caller
from toolkit.sandbox.service.rows import KINDS
from toolkit.sandbox.world import World
from toolkit.wire.decoding.lenient import closed
from toolkit.wire.endpoints import endpoint
from toolkit.wire.records import RECORDS


def everything(world: World) -> bytes:
    return msgspec.json.encode([world.records(person, name) for person in world.people for name in KINDS])


def test_the_same_seed_and_day_give_the_same_bytes() -> None:
    first = everything(World(7, TODAY, households=4, years=1))
    assert first == everything(World(7, TODAY, households=4, years=1))
    assert first != everything(World(8, TODAY, households=4, years=1))


def test_who_lives_there_does_not_depend_on_how_many_do() -> None:
    few, many = World(1, TODAY, 3, 1), World(1, TODAY, 5, 1)
    assert [person.persona for person in few.people] == ["renter", "family", "solar-battery"]
    assert few.people == many.people[:3]
    assert few.records(few.people[1], "energy.usage") == many.records(many.people[1], "energy.usage")


@pytest.mark.parametrize("resource", KINDS)
def test_records_have_no_field_that_the_specification_lacks(caller: Caller, resource: str) -> None:
    row = endpoint(resource)
    struct: Any = closed(RECORDS[row.record or ""])
    for _, end_user, persona in caller.sandbox.people:
        for record in caller.every(row.path, end_user_id=end_user):
            msgspec.convert(record, struct), persona


@pytest.fixture(scope="module")
def family(caller: Caller) -> dict[str, list[dict[str, Any]]]:
    user = caller.user("family")
    return {name: caller.every(endpoint(name).path, end_user_id=user) for name in KINDS}


def test_an_invoice_is_the_sum_of_its_lines(caller: Caller) -> None:
    for _, user, _ in caller.sandbox.people:
        lines: dict[str, list[Decimal]] = defaultdict(list)
        for row in caller.every("/v1/energy/billing", end_user_id=user):
            details = next(
                row[name] for name in ("usage", "demand", "once_off", "other_charges", "payment") if name in row
            )
            if "invoice_number" in details:
                lines[details["invoice_number"]].append(Decimal(details["amount"]))
        invoices = caller.every("/v1/energy/invoice", end_user_id=user)
        assert invoices
        for invoice in invoices:
            assert sum(lines[invoice["invoice_number"]]) == Decimal(invoice["invoice_amount"])


def test_billed_energy_is_the_energy_of_the_reads(family: dict[str, list[dict[str, Any]]]) -> None:
    """A month of the family's bill against the served reads; the plan's clock is local, an hour ahead in summer."""
    invoice = next(i for i in family["energy.invoices"] if i["period"]["start_date"] == "2025-07-01")
    billed = defaultdict(Decimal)
    for row in family["energy.billing"]:
        if (usage := row.get("usage")) and usage["invoice_number"] == invoice["invoice_number"]:
            kind = usage["time_of_use_type"]
            billed[kind if kind in ("SOLAR", "CONTROLLED_LOAD") else "GENERAL"] += Decimal(str(usage["usage"]))
    read = defaultdict(Decimal)
    names = {"E1": "GENERAL", "E2": "CONTROLLED_LOAD", "B1": "SOLAR"}
    for row in family["energy.usage"]:
        if row["read_start_date"].startswith("2025-07"):
            read[names[row["register_suffix"]]] += Decimal(str(row["interval_read"]["aggregate_value"]))
    assert billed == read


def test_a_register_day_sums_up_and_names_its_intervals(family: dict[str, list[dict[str, Any]]]) -> None:
    lengths = Counter()
    for row in family["energy.usage"]:
        read = row["interval_read"]
        lengths[read["read_interval_length"]] += 1
        assert len(read["interval_reads"]) == 1440 // read["read_interval_length"]
        assert sum(Decimal(str(v)) for v in read["interval_reads"]) == Decimal(str(read["aggregate_value"]))
        for flaw in read["read_qualities"]:
            assert 1 <= flaw["start_interval"] <= flaw["end_interval"] <= len(read["interval_reads"])
    assert set(lengths) == {5, 30}
    assert any(row["interval_read"]["read_qualities"] for row in family["energy.usage"])


def test_three_days_were_never_read(family: dict[str, list[dict[str, Any]]]) -> None:
    days = {date.fromisoformat(row["read_start_date"]) for row in family["energy.usage"]}
    assert (max(days) - min(days)).days + 1 - len(days) == 3
    assert (min(days), max(days)) == (date(2025, 3, 1), date(2026, 3, 8))


def test_the_bank_pays_what_the_retailer_billed(caller: Caller) -> None:
    for _, user, _ in caller.sandbox.people:
        paid = Counter(
            row["amount"].removeprefix("-")
            for row in caller.every("/v1/banking/transactions", end_user_id=user)
            if row["category"]["secondary_category"] == "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"
        )
        invoices = caller.every("/v1/energy/invoice", end_user_id=user)
        settled = Counter(i["invoice_amount"] for i in invoices if i["payment_status"] == "PAID")
        assert sum((settled - paid).values()) <= 1  # one may fall on a weekend and be taken on the Monday to come
        assert paid - settled == Counter()


def test_transfers_between_own_accounts_cancel_out(family: dict[str, list[dict[str, Any]]]) -> None:
    own = {account["account_number"] for account in family["banking.accounts"]}
    legs: dict[str, Decimal] = defaultdict(Decimal)
    for row in family["banking.transactions"]:
        if row["type"].startswith("TRANSFER_"):
            legs[row["extended_data"]["npp_payload"]["end_to_end_id"]] += Decimal(row["amount"])
            assert any(number in row["extended_data"]["payee"] for number in own)
    assert len(legs) > 40
    assert set(legs.values()) == {Decimal(0)}


def test_lives_have_what_makes_them_hard_to_read(family: dict[str, list[dict[str, Any]]]) -> None:
    rows = family["banking.transactions"]
    kinds = {row["type"] for row in rows}
    assert kinds >= {"PAYMENT", "DIRECT_DEBIT", "FEE", "INTEREST_PAID", "INTEREST_CHARGED", "TRANSFER_INCOMING"}
    assert {row["currency"] for row in rows} == {"AUD", "USD"}
    same = Counter((r.get("execution_date_time", "")[:10], r["amount"], r["description"]) for r in rows)
    assert max(same.values()) >= 2
    offsets = {row["execution_date_time"][19:] for row in rows if "execution_date_time" in row}
    assert offsets == {"Z", "+10:00", "+11:00"}
    refunds = [row for row in rows if "REFUND CARD" in row["description"]]
    assert all(Decimal(row["amount"]) > 0 for row in refunds)
    assert refunds
    prices = {row["amount"] for row in rows if row.get("merchant_name") == "Billabong TV"}
    assert len(prices) == 2


def test_balances_are_never_overdrawn(family: dict[str, list[dict[str, Any]]]) -> None:
    kinds = {account["account_id"]: account["product_category"] for account in family["banking.accounts"]}
    for balance in family["banking.balances"]:
        if kinds[balance["account_id"]] == "TRANS_AND_SAVINGS_ACCOUNTS":
            assert Decimal(balance["available_balance"]) > 0
        else:
            assert Decimal(balance["current_balance"]) < 0


def test_a_plan_changes_on_the_first_of_july(family: dict[str, list[dict[str, Any]]]) -> None:
    [account] = family["energy.accounts"]
    spans = [(plan["plan_overview"]["start_date"], plan["plan_overview"].get("end_date")) for plan in account["plans"]]
    assert spans == [("2025-03-01", "2025-06-30"), ("2025-07-01", None)]
    old, new = (plan["plan_detail"]["electricity_contract"]["tariff_period"][0] for plan in account["plans"])
    assert Decimal(new["daily_supply_charge"]) > Decimal(old["daily_supply_charge"])


@pytest.mark.parametrize("resource", KINDS)
def test_every_field_of_the_specification_is_filled_somewhere(resource: str) -> None:
    world = World(1, TODAY, years=1)
    filled = {path for person in world.people for record in world.records(person, resource) for path in seen(record)}
    known = set(paths(RECORDS[endpoint(resource).record or ""]))
    assert known - filled == {"platform_id", "arrangement_id", "institution_id"}


def paths(struct: type, above: str = "") -> Iterator[str]:
    """Every field of a record struct at any depth, as `a.b.c`."""
    for field in fields(struct):
        yield above + field.encode_name
        for inner in inner_structs(field.type):
            yield from paths(inner, f"{above}{field.encode_name}.")


def inner_structs(kind: Any) -> list[type]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [struct for part in get_args(kind) for struct in inner_structs(part)]


def seen(value: Any, above: str = "") -> Iterator[str]:
    """Every field of a record that holds something."""
    if isinstance(value, list):
        for item in value:
            yield from seen(item, above)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if inner not in (None, "", [], {}):
                yield above + name
            yield from seen(inner, f"{above}{name}.")
