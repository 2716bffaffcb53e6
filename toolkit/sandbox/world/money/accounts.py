"""Accounts, their terms and their balances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolkit.sandbox.world.cast import Person
from toolkit.sandbox.world.chance import digest, digits
from toolkit.sandbox.world.days import add_months
from toolkit.sandbox.world.money import terms
from toolkit.sandbox.world.money.ledger import Account, Ledger, Movement, dollars, is_pending

CUSHION = 84_000
CARD_LIMIT = 800_000
LOAN_PER_MONTHLY_CENT = 152


def accounts_of(person: Person, seed: int) -> dict[str, Account]:
    """An everyday and a savings account; owners of a home also a card and a loan, those without children a deposit."""
    kinds = ["everyday", "savings"]
    if person.mortgage:
        kinds += ["card", "loan"] if person.children else ["card", "loan", "deposit"]
    return {kind: _account(person, seed, kind) for kind in kinds}


def _account(person: Person, seed: int, kind: str) -> Account:
    name = (seed, person.index, kind)
    return Account(kind, f"acc-{digest(*name)}", person.bank.bsb, digits(16 if kind == "card" else 9, *name))


CATEGORIES = {
    "everyday": ("TRANS_AND_SAVINGS_ACCOUNTS", "Everyday", "Everyday Account"),
    "savings": ("TRANS_AND_SAVINGS_ACCOUNTS", "Rainy Day Saver", "Rainy Day Saver"),
    "card": ("CRED_AND_CHRG_CARDS", "Low Rate Card", "Low Rate Card"),
    "loan": ("RESIDENTIAL_MORTGAGES", "Home Loan", "Basic Variable Home Loan"),
    "deposit": ("TERM_DEPOSITS", "Term Deposit", "Twelve Month Term Deposit"),
}


def account_records(ledger: Ledger) -> list[dict[str, Any]]:
    return [_record(ledger, account) for account in ledger.accounts.values()]


def _record(ledger: Ledger, account: Account) -> dict[str, Any]:
    category, display, product = CATEGORIES[account.kind]
    person = ledger.person
    return {
        "account_id": account.account_id,
        "account_number": account.number,
        "account_ownership": "TWO_PARTY" if account.kind == "loan" else "ONE_PARTY",
        "addresses": [terms.street_address(person) if account.kind == "loan" else terms.postal_address(person)],
        "bsb": account.bsb,
        "bundle_name": f"{person.bank.name} Home Package" if person.mortgage else "",
        "creation_date": str(add_months(ledger.first, -30)),
        "display_name": f"{display} xx{account.tail}",
        "is_owned": True,
        "masked_number": f"xxxx{account.tail}",
        "nickname": "Offset" if account.kind == "savings" and person.mortgage else display,
        "open_status": "OPEN",
        "product_category": category,
        "product_name": product,
        **_specifics(ledger, account),
    }


def _specifics(ledger: Ledger, account: Account) -> dict[str, Any]:
    match account.kind:
        case "card":
            return {"specific_account_u_type": "creditCard", **terms.card(ledger.today)}
        case "loan":
            offset = ledger.accounts["savings"].account_id
            original = ledger.person.mortgage * LOAN_PER_MONTHLY_CENT
            repayment = (ledger.person.mortgage, original)
            return {"specific_account_u_type": "loan", **terms.loan(ledger.today, repayment, offset)}
        case "deposit":
            return {"specific_account_u_type": "termDeposit", **terms.term_deposit(ledger.today)}
        case "savings":
            return terms.savings()
        case _:
            return terms.everyday()


def balance_records(ledger: Ledger) -> list[dict[str, Any]]:
    return [_balance(ledger, account) for account in ledger.accounts.values()]


def _balance(ledger: Ledger, account: Account) -> dict[str, Any]:
    own = [m for m in ledger.movements if m.account is account and "currency" not in m.extras]
    current = opening(ledger, account, own) + sum(m.cents for m in own if not is_pending(ledger, m))
    limit = CARD_LIMIT if account.kind == "card" else 0
    available = current + limit + sum(m.cents for m in own if is_pending(ledger, m))
    return {
        "account_id": account.account_id,
        "amortised_limit": dollars(-current) if account.kind == "loan" else "0.00",
        "available_balance": "0.00" if account.kind == "loan" else dollars(available),
        "credit_limit": dollars(limit),
        "currency": "AUD",
        "current_balance": dollars(current),
        "purses": [{"amount": "12.50", "currency": "USD"}] if account.kind == "card" else [],
    }


def opening(ledger: Ledger, account: Account, own: Iterable[Movement]) -> int:
    """What was there before the first day: enough to stay above a cushion; a loan owes from the start."""
    match account.kind:
        case "card":
            return 0
        case "loan":
            return -ledger.person.mortgage * (LOAN_PER_MONTHLY_CENT - 8)
        case "deposit":
            return 2_000_000
        case _:
            return CUSHION - min(0, _lowest(m for m in own if m.day <= ledger.born))


def _lowest(own: Iterable[Movement]) -> int:
    low = total = 0
    for movement in sorted(own, key=lambda m: (m.day, m.cents)):
        total += movement.cents
        low = min(low, total)
    return low
