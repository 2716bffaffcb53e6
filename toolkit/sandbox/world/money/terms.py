"""Addresses, and the rates, fees and features of each kind of account."""

from __future__ import annotations

from datetime import date

from toolkit.sandbox.world.days import add_months
from toolkit.sandbox.world.money.ledger import dollars
from toolkit.sandbox.world.people import Person
from toolkit.wire import JsonObject

INFO = {"additional_info": "See the terms.", "additional_info_uri": "https://bank.example/terms"}
VALUED = {**INFO, "additional_value": "P1M"}
FEES: list[JsonObject] = [
    {
        **VALUED,
        "currency": "AUD",
        "fee_cap": "60.00",
        "fee_cap_period": "P1Y",
        "fee_method_u_type": "fixedAmount",
        "fee_type": "PERIODIC",
        "name": "Account keeping",
        "fixed_amount": {"amount": "5.00"},
        "discounts": [
            {
                **VALUED,
                "description": "Waived when $2,000 is paid in each month",
                "discount_method_u_type": "fixedAmount",
                "discount_type": "DEPOSITS",
                "eligibility": [{**VALUED, "discount_eligibility_type": "MIN_INCOME"}],
                "fixed_amount": {"amount": "5.00"},
            },
            {
                **VALUED,
                "description": "Half off for students",
                "discount_method_u_type": "rateBased",
                "discount_type": "ELIGIBILITY_ONLY",
                "eligibility": [{**VALUED, "discount_eligibility_type": "STUDENT"}],
                "rate_based": {
                    "amount_range": {"discount_maximum": "5.00", "discount_minimum": "0.00"},
                    "rate": "0.5",
                    "rate_type": "FEE",
                },
            },
        ],
    },
    {
        **VALUED,
        "currency": "AUD",
        "fee_method_u_type": "rateBased",
        "fee_type": "TRANSACTION",
        "name": "International transaction",
        "rate_based": {
            "accrual_frequency": "P1D",
            "amount_range": {"fee_maximum": "100.00", "fee_minimum": "0.30"},
            "rate": "0.03",
            "rate_type": "TRANSACTION",
        },
    },
    {
        **VALUED,
        "currency": "AUD",
        "fee_method_u_type": "variable",
        "fee_type": "ENQUIRY",
        "name": "Search of old statements",
        "variable": {"fee_maximum": "45.00", "fee_minimum": "15.00"},
    },
]
"""Fees of an everyday account, one of every method."""


def postal_address(person: Person) -> JsonObject:
    """Return the home as a simple address."""
    place = person.place
    return {
        "address_u_type": "simple",
        "simple": {
            "address_line1": f"{12 + person.index} Jacaranda Street",
            "address_line2": f"Unit {4 + person.index}",
            "address_line3": "Rear gate",
            "city": place.suburb,
            "country": "AUS",
            "mailing_name": person.name,
            "postcode": place.postcode,
            "state": place.state,
        },
    }


def street_address(person: Person) -> JsonObject:
    """Return the same home as a delivery point of the postal address file."""
    place = person.place
    return {
        "address_u_type": "paf",
        "paf": {
            "building_name_1": "Wattle Court",
            "building_name_2": "Rear",
            "dpid": f"6543{person.index:04d}",
            "flat_unit_number": str(4 + person.index),
            "flat_unit_type": "UNIT",
            "floor_level_number": "1",
            "floor_level_type": "L",
            "locality_name": place.suburb.upper(),
            "lot_number": "7",
            "postal_delivery_number": 112,
            "postal_delivery_number_prefix": "A",
            "postal_delivery_number_suffix": "B",
            "postal_delivery_type": "PO BOX",
            "postcode": place.postcode,
            "state": place.state,
            "street_name": "JACARANDA",
            "street_suffix": "N",
            "street_type": "ST",
            "thoroughfare_number1": 12 + person.index,
            "thoroughfare_number1_suffix": "A",
            "thoroughfare_number2": 14 + person.index,
            "thoroughfare_number2_suffix": "B",
        },
    }


def everyday() -> JsonObject:
    """Return the terms of an everyday account."""
    return {
        "deposit_rate": "0.0001",
        "features": [
            {**VALUED, "feature_type": "NPP_PAYID", "is_activated": "ACTIVATED"},
            {**VALUED, "feature_type": "OVERDRAFT", "is_activated": "NOT_ACTIVATED"},
        ],
        "fees": FEES,
    }


def savings() -> JsonObject:
    """Return the terms of a savings account."""
    return {
        "deposit_rate": "0.0475",
        "deposit_rates": [
            {
                **VALUED,
                "applicability_conditions": [{**VALUED, "rate_applicability_type": "MIN_DEPOSITS"}],
                "application_frequency": "P1M",
                "application_type": "PERIODIC",
                "calculation_frequency": "P1D",
                "deposit_rate_type": "BONUS",
                "rate": "0.0475",
                "tiers": [_tier("0", "50000", "Up to $50,000"), _tier("50000", "250000", "Above $50,000")],
            }
        ],
        "features": [{**VALUED, "feature_type": "OFFSET", "is_activated": "ACTIVATED"}],
    }


def _tier(lowest: str, highest: str, name: str) -> JsonObject:
    return {
        **INFO,
        "applicability_conditions": [{**VALUED, "rate_applicability_type": "DEPOSIT_BALANCE_INCREASED"}],
        "maximum_value": highest,
        "minimum_value": lowest,
        "name": name,
        "rate_application_method": "PER_TIER",
        "unit_of_measure": "DOLLAR",
    }


def card(today: date) -> JsonObject:
    """Return the terms of a credit card."""
    return {
        "lending_rate": "0.1399",
        "credit_card": {
            "min_payment_amount": "42.00",
            "payment_currency": "AUD",
            "payment_due_amount": "42.00",
            "payment_due_date": str(add_months(today.replace(day=18), 1)),
        },
        "lending_rates": [_lending_rate("PURCHASE", "0.1399"), _lending_rate("CASH_ADVANCE", "0.2174")],
    }


def loan(today: date, repayment: tuple[int, int], offset: str) -> JsonObject:
    """Return the terms of a home loan.

    repayment: monthly repayment and original loan, in cents. offset: id of the offset account.
    """
    instalment, original = repayment
    return {
        "lending_rate": "0.0589",
        "loan": {
            "loan_end_date": str(add_months(today.replace(day=15), 12 * 24)),
            "max_redraw": "12500.00",
            "max_redraw_currency": "AUD",
            "min_instalment_amount": dollars(instalment),
            "min_instalment_currency": "AUD",
            "min_redraw": "500.00",
            "min_redraw_currency": "AUD",
            "next_instalment_date": str(add_months(today.replace(day=15), 1)),
            "offset_account_enabled": True,
            "offset_account_ids": [offset],
            "original_loan_amount": dollars(original),
            "original_loan_currency": "AUD",
            "original_start_date": str(add_months(today.replace(day=15), -12 * 6)),
            "repayment_frequency": "P1M",
            "repayment_type": "PRINCIPAL_AND_INTEREST",
        },
        "lending_rates": [_lending_rate("VARIABLE", "0.0589")],
    }


def _lending_rate(kind: str, rate: str) -> JsonObject:
    return {
        **VALUED,
        "applicability_conditions": [{**VALUED, "rate_applicability_type": "EXISTING_CUST"}],
        "application_frequency": "P1M",
        "application_type": "PERIODIC",
        "calculation_frequency": "P1D",
        "comparison_rate": "0.0592",
        "interest_payment_due": "IN_ARREARS",
        "lending_rate_type": kind,
        "loan_purpose": "OWNER_OCCUPIED",
        "rate": rate,
        "repayment_type": "PRINCIPAL_AND_INTEREST",
        "tiers": [_tier("0", "500000", "Up to $500,000")],
    }


def term_deposit(today: date) -> JsonObject:
    """Return the terms of a term deposit."""
    return {
        "deposit_rate": "0.0440",
        "term_deposit": [
            {
                "lodgement_date": str(add_months(today, -5)),
                "maturity_amount": "20880.00",
                "maturity_currency": "AUD",
                "maturity_date": str(add_months(today, 7)),
                "maturity_instructions": "ROLLED_OVER",
            }
        ],
    }
