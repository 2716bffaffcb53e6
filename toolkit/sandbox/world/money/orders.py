"""Payees, scheduled payments and direct debit authorities."""

from __future__ import annotations

from datetime import timedelta

from toolkit.sandbox.world.chance import digest, digits
from toolkit.sandbox.world.days import add_months
from toolkit.sandbox.world.money.ledger import Ledger, Movement, dollars
from toolkit.sandbox.world.money.routine import AGENT
from toolkit.wire import JsonObject

DOMESTIC_ACCOUNT = {"account_name": AGENT, "account_number": "224466880", "bsb": "938999"}
PAYEES: tuple[tuple[str, str, JsonObject], ...] = (
    ("Rent", "domestic", {"account": DOMESTIC_ACCOUNT, "payee_account_u_type": "account"}),
    ("Old card", "domestic", {"card": {"card_number": "xxxx xxxx xxxx 4417"}, "payee_account_u_type": "card"}),
    (
        "Sam",
        "domestic",
        {
            "pay_id": {"identifier": "sam@example.com", "name": "Sam K", "type": "EMAIL"},
            "payee_account_u_type": "payId",
        },
    ),
    ("Water", "biller", {"biller_code": "400551", "biller_name": "CATCHMENT WATER", "crn": "7712345678"}),
    (
        "Market stall",
        "digitalWallet",
        {"identifier": "stall@example.com", "name": "Stall", "provider": "PAYPAL_AU", "type": "EMAIL"},
    ),
    (
        "Auntie",
        "international",
        {
            "bank_details": {
                "account_number": "GB33TEST20201555555555",
                "bank_address": {"address": "1 High Street, Leeds", "name": "Moor Bank"},
                "beneficiary_bank_bic": "MOORGB21",
                "chip_number": "0123",
                "country": "GBR",
                "fed_wire_number": "021000021",
                "legal_entity_identifier": "549300EXAMPLE0000001",
                "routing_number": "026009593",
                "sort_code": "200000",
            },
            "beneficiary_details": {"country": "GBR", "message": "Happy birthday", "name": "Joan Example"},
        },
    ),
)
"""(nickname, kind, details)."""
SPELLINGS = {"digitalWallet": "digital_wallet"}
TYPES = {
    "domestic": "DOMESTIC",
    "biller": "BILLER",
    "digitalWallet": "DIGITAL_WALLET",
    "international": "INTERNATIONAL",
}


def payee_records(ledger: Ledger) -> list[JsonObject]:
    """Return one payee of every kind."""
    return [
        {
            "payee_id": payee_id(ledger, nickname),
            "nickname": nickname,
            "description": f"Payee {nickname}",
            "creation_date": str(add_months(ledger.first, nth)),
            "type": TYPES[form],
            "payee_u_type": form,
            SPELLINGS.get(form, form): details,
        }
        for nth, (nickname, form, details) in enumerate(PAYEES)
    ]


def payee_id(ledger: Ledger, nickname: str) -> str:
    """Return the id of a payee."""
    return f"payee-{digest(ledger.seed, ledger.person.index, nickname, size=8)}"


def scheduled_payment_records(ledger: Ledger) -> list[JsonObject]:
    """Return enough payments to cover every kind of destination and recurrence."""
    soon = ledger.today + timedelta(days=5)
    later = str(add_months(soon, 6))
    monthly = {
        "final_payment_date": later,
        "intervals": [{"day_in_interval": "P4D", "interval": "P1M"}],
        "non_business_day_treatment": "AFTER",
        "payments_remaining": 6,
    }
    friday = {
        "final_payment_date": later,
        "interval": "P1M",
        "last_week_day": "FRI",
        "non_business_day_treatment": "ON",
        "payments_remaining": 6,
    }
    recurrences = (
        ("intervalSchedule", "interval_schedule", monthly),
        ("lastWeekDay", "last_week_day", friday),
        ("onceOff", "once_off", {"payment_date": str(soon)}),
        ("eventBased", "event_based", {"description": "When the balance passes $5,000"}),
    )
    targets = _targets(ledger)
    return [
        {
            "scheduled_payment_id": f"sched-{digest(ledger.seed, ledger.person.index, nth, size=8)}",
            "nickname": f"Standing order {nth + 1}",
            "payee_reference": "Thank you",
            "payer_reference": "Standing order",
            "status": "ACTIVE",
            "from": {"account_id": ledger.accounts["everyday"].account_id},
            "payment_set": [
                {"amount": dollars(2_500 * (nth + 1)), "currency": "AUD", "is_amount_calculated": False, "to": to}
            ],
            "recurrence": {"recurrence_utype": kind, "next_payment_date": str(soon), name: rule},
        }
        for nth, to in enumerate(targets)
        for kind, name, rule in (recurrences[nth % len(recurrences)],)
    ]


def _targets(ledger: Ledger) -> list[JsonObject]:
    labels = {"nickname": "Standing order", "payee_reference": "Thank you"}
    own = {"to_utype": "accountId", "account_id": ledger.accounts["savings"].account_id, **labels}
    known = {"to_utype": "payeeId", "payee_id": payee_id(ledger, "Rent"), **labels}
    return [own, known] + [
        {"to_utype": form, SPELLINGS.get(form, form): details, **labels} for _, form, details in PAYEES
    ]


def direct_debit_records(ledger: Ledger) -> list[JsonObject]:
    """Return an authority for each entity that has debited an account, with its last debit."""
    last: dict[tuple[str, str], Movement] = {}
    for movement in sorted(ledger.movements, key=lambda m: m.day):
        if movement.type == "DIRECT_DEBIT":
            last[movement.account.account_id, str(movement.extras["merchant_name"])] = movement
    return [
        {
            "account_id": movement.account.account_id,
            "last_debit_amount": dollars(-movement.cents),
            "last_debit_date_time": f"{movement.day}T00:00:00Z",
            "authorised_entity": {
                "abn": digits(11, name),
                "acn": digits(9, name),
                "arbn": digits(9, name, "arbn"),
                "description": name,
                "financial_institution": "Mallee Clearing",
            },
        }
        for (_, name), movement in sorted(last.items())
    ]
