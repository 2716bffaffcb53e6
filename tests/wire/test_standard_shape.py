"""The consumer data standard's own spelling (camelCase, and PascalCase as a holder keeps it) through the structs.

The bodies are written by hand in the shape of public test data of the standard.
"""

from __future__ import annotations

import json
from typing import Any

from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint


def read(name: str, *records: dict[str, Any]) -> list[Any]:
    row = endpoint(name)
    page = read_page(row, json.dumps({row.array: records, "links": {}}).encode())
    assert page.rejected == []
    return page.records


def test_an_account_with_its_plan_in_camel_case() -> None:
    rate = {"unitPrice": "0.31", "measureUnit": "KWH", "volume": 12.5, "description": "a name the service has not"}
    window = {"days": ["MON", "TUE"], "startTime": "15:00", "endTime": "21:00"}
    contract = {
        "pricingModel": "TIME_OF_USE",
        "isFixed": False,
        "paymentOption": ["DIRECT_DEBIT"],
        "termType": "ONGOING",
        "tariffPeriod": [
            {
                "displayName": "All year",
                "startDate": "01-01",
                "endDate": "12-31",
                "rateBlockUType": "timeOfUseRates",
                "timeOfUseRates": [{"displayName": "Peak", "type": "PEAK", "rates": [rate], "timeOfUse": [window]}],
                "demandCharges": [{"displayName": "Demand", "amount": "0.2", "days": {"weekdays": True}}],
            }
        ],
        "solarFeedInTariff": [
            {
                "displayName": "Feed-in",
                "scheme": "OTHER",
                "payerType": "RETAILER",
                "tariffUType": "singleTariff",
                "singleTariff": {"rates": [{"unitPrice": "0.05"}]},
            }
        ],
    }
    detail = {"fuelType": "ELECTRICITY", "electricityContract": contract, "meteringCharges": []}
    (account,) = read("energy.accounts", {"accountId": "a1", "openStatus": "OPEN", "plans": [{"planDetail": detail}]})
    found = account.plans[0].plan_detail.electricity_contract
    (period,) = found.tariff_period
    (peak,) = period.time_of_use_rates
    assert (account.account_id, account.open_status, found.is_fixed) == ("a1", "OPEN", False)
    assert (period.rate_block_u_type, peak.rates[0].unit_price) == ("timeOfUseRates", "0.31")
    assert (str(peak.rates[0].volume), peak.time_of_use[0].start_time) == ("12.5", "15:00")
    assert period.demand_charges[0].days == ["MON", "TUE", "WED", "THU", "FRI"], "the old form of days"
    assert found.solar_feed_in_tariff[0].single_tariff.rates[0].unit_price == "0.05"


def test_a_holders_own_pascal_case() -> None:
    point = {
        "ServicePointId": "sp1",
        "NationalMeteringId": "4102000001",
        "ServicePointClassification": "SMALL",
        "JurisdictionCode": "NSW",
        "IsGenerator": True,
        "ValidFromDate": "2020-07-01",
        "LastUpdateDateTime": "2025-04-30T08:00:00Z",
    }
    (found,) = read("energy.service_points", point)
    assert (found.service_point_id, found.national_metering_id, found.is_generator) == ("sp1", "4102000001", True)
    assert (found.jurisdiction_code, found.last_update_date_time) == ("NSW", "2025-04-30T08:00:00Z")


def test_concessions_with_names_of_the_holders_own() -> None:
    concession = {
        "AccountId": "a1",
        "AccountConcessionId": "c1",
        "DisplayName": "Seniors",
        "Type": "FIXED_AMOUNT",
        "Amount": "87.20",
        "DiscountFrequency": "P1Y",
    }
    (found,) = read("energy.concessions", concession)
    assert (found.account_id, found.display_name, found.amount) == ("a1", "Seniors", "87.20")
    assert found.discount_frequency == "P1Y"


def test_usage_in_camel_case_keeps_every_digit() -> None:
    interval = {"aggregateValue": 1.70, "readIntervalLength": 30, "intervalReads": [0.1, None, 1.60]}
    quality = [{"startInterval": 1, "endInterval": 3, "quality": "SUBSTITUTE"}]
    body = {
        "servicePointId": "sp1",
        "readStartDate": "2025-07-01",
        "readUType": "intervalRead",
        "registerSuffix": "E1",
        "intervalRead": {**interval, "readQualities": quality},
    }
    (found,) = read("energy.usage", body)
    assert [str(value) for value in found.interval_read.interval_reads] == ["0.1", "None", "1.6"]
    assert found.interval_read.read_qualities[0].end_interval == 3
