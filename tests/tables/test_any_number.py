"""Whatever number stands in a record, the record goes into the store or is set aside: never an exception."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.many_cases import examples
from tests.problems import names
from toolkit.store import Store, open_store
from toolkit.tables.money import minor_units
from toolkit.tables.rows.records import PageRows, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

SCOPE = Scope("h1", datetime(2026, 3, 4, tzinfo=UTC), end_user_id="eu", institution_id="bank")
OF = '"platform_id":"p1","arrangement_id":"arr","institution_id":"bank"'
READ = (
    f'{OF},"service_point_id":"sp","register_suffix":"E1","read_u_type":"x",'
    '"unit_of_measure":"MWH","read_start_date":"2026-03-01"'
)
MARKED = '[{"start_interval":@,"end_interval":@,"quality":"ESTIMATED"}]'
PURSES = '[{"amount":@,"currency":"JPY"}]'
LIMIT = '{"export_limit_kva":@}'
PANELS = '{"type":"SOLAR_PV","count":@,"nominal_rated_capacity":@}'
BATTERY = '{"type":"STORAGE","count":@,"nominal_storage_capacity":@}'
CONNECTED = f'[{{"count":@,"inverter_device_capacity":@,"der_devices":[{PANELS},{BATTERY}]}}]'

# Resource, and a record of it with `@` where a number belongs.
NUMBERED = [
    ("energy.usage", f'{{{READ},"basic_read":{{"value":@}}}}'),
    ("energy.usage", f'{{{READ},"interval_read":{{"aggregate_value":@}}}}'),
    ("energy.usage", f'{{{READ},"interval_read":{{"interval_reads":[{"@," * 47}@]}}}}'),
    ("energy.usage", f'{{{READ},"interval_read":{{"read_interval_length":@,"interval_reads":[{"1," * 47}1]}}}}'),
    (
        "energy.usage",
        f'{{{READ},"interval_read":{{"interval_reads":[{"1," * 47}1],"read_qualities":{MARKED}}}}}',
    ),
    (
        "banking.transactions",
        f'{{{OF},"account_id":"a","status":"POSTED","posting_date_time":"2026-03-01T00:00:00Z","amount":@}}',
    ),
    (
        "banking.balances",
        f'{{{OF},"account_id":"a","current_balance":@,"available_balance":@,"credit_limit":@,"purses":{PURSES}}}',
    ),
    ("banking.direct_debits", f'{{{OF},"account_id":"a","last_debit_amount":@}}'),
    (
        "banking.scheduled_payments",
        f'{{{OF},"recurrence":{{"interval_schedule":{{"intervals":[{{"interval":"P1M"}}],"payments_remaining":@}}}}}}',
    ),
    ("energy.billing", f'{{{OF},"account_id":"ea","gst":@,"usage":{{"amount":@,"usage":@,"rate":@}}}}'),
    ("energy.invoices", f'{{{OF},"account_id":"ea","invoice_number":"7","invoice_amount":@,"balance_at_issue":@}}'),
    ("energy.concessions", f'{{{OF},"account_id":"ea","display_name":"x","amount":@,"percentage":@}}'),
    (
        "energy.der_records",
        f'{{{OF},"service_point_id":"sp","approved_capacity":@,"protection_mode":{LIMIT},"ac_connections":{CONNECTED}}}',
    ),
]
EDGES = ["1e400", "1e-400", "-1e999999", "1e-999999", "0e999999", "1e99999999999", "9" * 5000, f"0.{'3' * 400}"]
EDGES += [str(number + more) for number in (2**63, 2**64, 10**8, 10**17) for more in (-1, 0, 1)]
digits = st.text("0123456789", min_size=1, max_size=25)
numbers = st.one_of(
    st.sampled_from(EDGES),
    st.builds(
        lambda sign, whole, rest, power: f"{sign}{int(whole)}{rest}{power}",
        st.sampled_from(["", "-"]),
        digits,
        st.just("") | digits.map(lambda text: f".{text}"),
        st.just("") | st.integers(-30, 30).map(lambda power: f"e{power}"),
    ),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("any") / "a.db") as opened:
        yield opened


def stored(store: Store, resource: str, record: str) -> PageRows:
    """What the one record becomes; its rows have gone into the store."""
    row = endpoint(resource)
    page = read_page(row, f'{{"{row.array}":[{record}],"links":{{}}}}'.encode())
    found = rows_of(resource, page.records, page.raws, SCOPE, page.unparsed)
    for tables in (found.counted, found.further):
        for table, rows in tables.items():
            store.upsert(table, rows)
    taken = sum(len(rows) for rows in found.counted.values())
    assert taken + len(found.refused) + len(page.rejected) == 1
    return found


@pytest.mark.parametrize(("resource", "record"), NUMBERED, ids=[f"{n}-{r}" for n, (r, _) in enumerate(NUMBERED)])
@given(number=numbers, quoted=st.booleans())
@example(number="10000000000", quoted=False)
@example(number="999999999", quoted=False)
@example(number="1e400", quoted=False)
@example(number="1e999999", quoted=True)
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_record_with_any_number_goes_in_or_is_set_aside(
    store: Store, resource: str, record: str, number: str, quoted: bool
) -> None:
    stored(store, resource, record.replace("@", f'"{number}"' if quoted else number))


@pytest.mark.parametrize("value", ["10000000000", "1e400", "1e999999", "-10000000000", "100000.1"])
def test_a_read_beyond_any_meter_is_set_aside_by_its_reason(store: Store, value: str) -> None:
    """100 GWh is the most; the record is in MWh."""
    found = stored(store, "energy.usage", NUMBERED[0][1].replace("@", value))
    assert not found.counted
    assert "value" in found.refused[0].reason


def test_a_day_beyond_any_meter_is_set_aside_though_each_value_is_not(store: Store) -> None:
    found = stored(store, "energy.usage", NUMBERED[2][1].replace("@", "2083.4"))
    assert names(found.refused[0].reason, "2026-03-01", "100,003,200")
    whole = stored(store, "energy.usage", NUMBERED[2][1].replace("@", "2083.3"))
    assert [row["total_nano"] for row in whole.counted["register_days"]] == [99_998_400 * 10**9]


@pytest.mark.parametrize("text", ["10000000000000.01", "-1e14", "1e999999", "9" * 40])
def test_an_amount_that_sums_could_not_hold_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text[:40])):
        minor_units(text)
    assert minor_units("-10000000000000.00") == -(10**15)


def test_sums_of_the_largest_still_fit(tmp_path: Path) -> None:
    """Four weeks of the largest day that is taken: 2,799,955,200 MWh, less than 2^63 of 10^-9 kWh."""
    with open_store(tmp_path / "a.db") as own:
        for day in range(1, 29):
            record = NUMBERED[2][1].replace("@", "2083.3").replace("2026-03-01", f"2026-03-{day:02}")
            stored(own, "energy.usage", record)
        total = own.read("register_days")["total_nano"].sum()
        reads = own.reads("h1")["energy_nano"].sum()
    assert total == reads == int(Decimal("2083300") * 48 * 28) * 10**9
