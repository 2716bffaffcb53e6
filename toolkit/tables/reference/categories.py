"""The spending categories: an open vocabulary of which these codes are known.

Codes have the form `PRIMARY_LEAF`. Source: five codes were seen in data of the service; the rest are the personal
finance categories that these resemble. Unknown codes are kept as they come.
"""

from __future__ import annotations

from collections.abc import Iterator

LEAVES: dict[str, tuple[str, ...]] = {
    "INCOME": (
        *("SALARY", "WAGES", "DIVIDENDS", "INTEREST_EARNED", "RETIREMENT_PENSION"),
        *("TAX_REFUND", "UNEMPLOYMENT", "OTHER_INCOME"),
    ),
    "TRANSFER_IN": (
        *("ACCOUNT_TRANSFER", "SAVINGS", "DEPOSIT", "CASH_ADVANCES_AND_LOANS"),
        *("INVESTMENT_AND_RETIREMENT_FUNDS", "OTHER_TRANSFER_IN"),
    ),
    "TRANSFER_OUT": (
        *("ACCOUNT_TRANSFER", "SAVINGS", "WITHDRAWAL", "INVESTMENT_AND_RETIREMENT_FUNDS", "OTHER_TRANSFER_OUT"),
    ),
    "LOAN_PAYMENTS": (
        *("CREDIT_CARD_PAYMENT", "MORTGAGE_PAYMENT", "CAR_PAYMENT", "PERSONAL_LOAN_PAYMENT"),
        *("STUDENT_LOAN_PAYMENT", "OTHER_PAYMENT"),
    ),
    "BANK_FEES": (
        *("ATM_FEES", "FOREIGN_TRANSACTION_FEES", "INSUFFICIENT_FUNDS", "INTEREST_CHARGE", "OVERDRAFT_FEES"),
        "OTHER_BANK_FEES",
    ),
    "ENTERTAINMENT": (
        *("CASINOS_AND_GAMBLING", "MUSIC_AND_AUDIO", "SPORTING_EVENTS_AMUSEMENT_PARKS_AND_MUSEUMS"),
        *("TV_AND_MOVIES", "VIDEO_GAMES", "OTHER_ENTERTAINMENT"),
    ),
    "FOOD_AND_DRINK": (
        *("GROCERIES", "BEER_WINE_AND_LIQUOR", "COFFEE", "FAST_FOOD", "RESTAURANT", "VENDING_MACHINES"),
        "OTHER_FOOD_AND_DRINK",
    ),
    "GENERAL_MERCHANDISE": (
        *("SUPERMARKETS", "BOOKSTORES_AND_NEWSSTANDS", "CLOTHING_AND_ACCESSORIES", "CONVENIENCE_STORES"),
        *("DEPARTMENT_STORES", "DISCOUNT_STORES", "ELECTRONICS", "GIFTS_AND_NOVELTIES", "OFFICE_SUPPLIES"),
        *("ONLINE_MARKETPLACES", "PET_SUPPLIES", "SPORTING_GOODS", "SUPERSTORES", "TOBACCO_AND_VAPE"),
        "OTHER_GENERAL_MERCHANDISE",
    ),
    "HOME_IMPROVEMENT": ("FURNITURE", "HARDWARE", "REPAIR_AND_MAINTENANCE", "SECURITY", "OTHER_HOME_IMPROVEMENT"),
    "MEDICAL": (
        *("DENTAL_CARE", "EYE_CARE", "NURSING_CARE", "PHARMACIES_AND_SUPPLEMENTS", "PRIMARY_CARE"),
        *("VETERINARY_SERVICES", "OTHER_MEDICAL"),
    ),
    "PERSONAL_CARE": ("GYMS_AND_FITNESS_CENTERS", "HAIR_AND_BEAUTY", "LAUNDRY_AND_DRY_CLEANING", "OTHER_PERSONAL_CARE"),
    "SERVICES": (
        *("INSURANCE", "ACCOUNTING_AND_FINANCIAL_PLANNING", "AUTOMOTIVE", "CHILDCARE", "CONSULTING_AND_LEGAL"),
        *("EDUCATION", "POSTAGE_AND_SHIPPING", "STORAGE", "OTHER_SERVICES"),
    ),
    "GENERAL_SERVICES": (
        *("INSURANCE", "ACCOUNTING_AND_FINANCIAL_PLANNING", "AUTOMOTIVE", "CHILDCARE", "CONSULTING_AND_LEGAL"),
        *("EDUCATION", "POSTAGE_AND_SHIPPING", "STORAGE", "OTHER_GENERAL_SERVICES"),
    ),
    "GOVERNMENT_AND_NON_PROFIT": (
        *("DONATIONS", "GOVERNMENT_DEPARTMENTS_AND_AGENCIES", "TAX_PAYMENT", "OTHER_GOVERNMENT_AND_NON_PROFIT"),
    ),
    "TRANSPORTATION": (
        *("BIKES_AND_SCOOTERS", "GAS", "PARKING", "PUBLIC_TRANSIT", "TAXIS_AND_RIDE_SHARES", "TOLLS"),
        "OTHER_TRANSPORTATION",
    ),
    "TRAVEL": ("FLIGHTS", "LODGING", "RENTAL_CARS", "OTHER_TRAVEL"),
    "RENT_AND_UTILITIES": (
        *("GAS_AND_ELECTRICITY", "INTERNET_AND_CABLE", "RENT", "SEWAGE_AND_WASTE_MANAGEMENT", "TELEPHONE", "WATER"),
        "OTHER_UTILITIES",
    ),
}

INCOME = "INCOME"
TRANSFERS = ("TRANSFER_IN", "TRANSFER_OUT")
LOANS = "LOAN_PAYMENTS"
CARD_PAYMENT = "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT"
CASH = ("TRANSFER_OUT_WITHDRAWAL", "TRANSFER_IN_CASH_ADVANCES_AND_LOANS")
"""Categories below a transfer's that say cash or borrowed money: no move between own accounts."""

PRIMARIES = tuple(LEAVES)


def primary_of(code: str) -> str:
    """The primary category of a code: the longest known one it begins with, else the code itself."""
    found = [primary for primary in PRIMARIES if code == primary or code.startswith(f"{primary}_")]
    return max(found, key=len, default=code)


def split(code: str) -> tuple[str, str | None]:
    """(primary, secondary) of one code; the secondary is None if the code is a primary only."""
    primary = primary_of(code)
    return primary, None if primary == code else code


def codes() -> Iterator[str]:
    """Every known code, primaries before their leaves."""
    for primary, leaves in LEAVES.items():
        yield primary
        yield from (f"{primary}_{leaf}" for leaf in leaves)
