"""Accounts, balances, and the products that banks offer."""

from __future__ import annotations

from collections.abc import Iterable

from toolkit.sandbox.world.chance import digest, digits, uuid
from toolkit.sandbox.world.days import add_months
from toolkit.sandbox.world.money import terms
from toolkit.sandbox.world.money.ledger import Account, Ledger, Movement, dollars, is_pending
from toolkit.sandbox.world.people import Institution, Person
from toolkit.wire import JsonObject

CUSHION = 84_000
"""Cents that the balance never falls below."""
CARD_LIMIT = 800_000
LOAN_PER_MONTHLY_CENT = 152
"""Original loan for each cent of monthly repayment."""


def accounts_of(person: Person, seed: int) -> dict[str, Account]:
    """Return a person's accounts by kind.

    Everyone has an everyday and a savings account, home owners also a card and a loan, and those without children a
    term deposit.
    """
    kinds = ["everyday", "savings"]
    if person.mortgage:
        kinds += ["card", "loan"] if person.children else ["card", "loan", "deposit"]
    accounts = {}
    for kind in kinds:
        name = (seed, person.index, kind)
        number = digits(16 if kind == "card" else 9, *name)
        accounts[kind] = Account(kind, f"acc-{digest(*name)}", person.bank.bsb, number)
    return accounts


PRODUCT_OF_KIND = {
    "everyday": ("TRANS_AND_SAVINGS_ACCOUNTS", "Everyday", "Everyday Account"),
    "savings": ("TRANS_AND_SAVINGS_ACCOUNTS", "Rainy Day Saver", "Rainy Day Saver"),
    "card": ("CRED_AND_CHRG_CARDS", "Low Rate Card", "Low Rate Card"),
    "loan": ("RESIDENTIAL_MORTGAGES", "Home Loan", "Basic Variable Home Loan"),
    "deposit": ("TERM_DEPOSITS", "Term Deposit", "Twelve Month Term Deposit"),
}
"""(category, display name, product name) by kind of account."""


def account_records(ledger: Ledger) -> list[JsonObject]:
    """Return the records of all accounts."""
    return [_record(ledger, account) for account in ledger.accounts.values()]


def _record(ledger: Ledger, account: Account) -> JsonObject:
    category, display, product = PRODUCT_OF_KIND[account.kind]
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


def _specifics(ledger: Ledger, account: Account) -> JsonObject:
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


def balance_records(ledger: Ledger) -> list[JsonObject]:
    """Return the balances of all accounts; pending rows only lower the available balance."""
    return [_balance(ledger, account) for account in ledger.accounts.values()]


def _balance(ledger: Ledger, account: Account) -> JsonObject:
    own = [m for m in ledger.movements if m.account is account and "currency" not in m.extras]
    current = opening_balance(ledger, account, own) + sum(m.cents for m in own if not is_pending(ledger, m))
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


def opening_balance(ledger: Ledger, account: Account, own: Iterable[Movement]) -> int:
    """Return the balance in cents before the first day, high enough to stay above the cushion; loans are negative."""
    match account.kind:
        case "card":
            return 0
        case "loan":
            return -ledger.person.mortgage * (LOAN_PER_MONTHLY_CENT - 8)
        case "deposit":
            return 2_000_000
        case _:
            low = total = 0
            # Only movements up to the day the world began, so that the opening balance stays as days are added.
            for movement in sorted((m for m in own if m.day <= ledger.born), key=lambda m: (m.day, m.cents)):
                total += movement.cents
                low = min(low, total)
            return CUSHION - low


PRODUCTS = (
    ("Everyday Account", "TRANS_AND_SAVINGS_ACCOUNTS"),
    ("Rainy Day Saver", "TRANS_AND_SAVINGS_ACCOUNTS"),
    ("Low Rate Card", "CRED_AND_CHRG_CARDS"),
    ("Basic Variable Home Loan", "RESIDENTIAL_MORTGAGES"),
    ("Twelve Month Term Deposit", "TERM_DEPOSITS"),
    ("Growing Business Loan", "BUSINESS_LOANS"),
)
"""(name, category) of every product; all banks offer the same ones."""
_SUBJECTS = ("bundle", "eligibility", "fees_and_pricing", "overview", "terms")
_MORE = {"additional_info_uri": "https://bank.example/more", "description": "More"}
PRODUCT_LINKS = {f"{subject}_uri": f"https://bank.example/{subject}" for subject in _SUBJECTS} | {
    f"additional_{subject}_uris": [_MORE] for subject in _SUBJECTS
}


def product_records(institution: Institution) -> list[JsonObject]:
    """Return the products of a bank; energy retailers have none."""
    return [_product(institution, *entry) for entry in PRODUCTS] if institution.industry == "banking" else []


def _product(institution: Institution, name: str, category: str) -> JsonObject:
    identity = uuid(institution.id, name)
    return {
        "platform_id": f"bank_product_{identity}",
        "institution_id": institution.id,
        "product_id": identity,
        "name": name,
        "brand": institution.name.upper().replace(" ", "_"),
        "brand_name": institution.name,
        "description": f"{name} by {institution.name}",
        "product_category": category,
        "application_uri": "https://bank.example/apply",
        "effective_from": "2023-01-01T00:00:00Z",
        "effective_to": "2031-12-31T00:00:00Z",
        "last_updated": "2024-05-06T07:08:09Z",
        "is_tailored": category == "BUSINESS_LOANS",
        "card_art": [{"image_uri": "https://bank.example/card.svg", "title": name}],
        "additional_information": PRODUCT_LINKS,
    }
