"""The category words that Australian banks put into their own exports, to spending categories.

Own table, from the column values that public parsers of the banks' files show. Words that name a kind of movement and
no purpose (Westpac's DEP, PAYMENT, OTHER) map to None: they say nothing about where the money went.
"""

from __future__ import annotations

from toolkit.tables.reference.categories import LEAVES, primary_of

WORDS: dict[str, str | None] = {
    "groceries": "FOOD_AND_DRINK_GROCERIES",
    "supermarkets": "FOOD_AND_DRINK_GROCERIES",
    "food & drink": "FOOD_AND_DRINK",
    "eating out": "FOOD_AND_DRINK_RESTAURANT",
    "eating out & takeaway": "FOOD_AND_DRINK_RESTAURANT",
    "restaurants & takeaway": "FOOD_AND_DRINK_RESTAURANT",
    "restaurants & cafes": "FOOD_AND_DRINK_RESTAURANT",
    "takeaway": "FOOD_AND_DRINK_FAST_FOOD",
    "pubs & bars": "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR",
    "booze": "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR",
    "alcohol": "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR",
    "coffee": "FOOD_AND_DRINK_COFFEE",
    "utilities": "RENT_AND_UTILITIES",
    "bills": "RENT_AND_UTILITIES",
    "bills & utilities": "RENT_AND_UTILITIES",
    "phone & internet": "RENT_AND_UTILITIES_TELEPHONE",
    "mobile phone": "RENT_AND_UTILITIES_TELEPHONE",
    "internet": "RENT_AND_UTILITIES_INTERNET_AND_CABLE",
    "rent": "RENT_AND_UTILITIES_RENT",
    "rent & mortgage": "RENT_AND_UTILITIES_RENT",
    "transport": "TRANSPORTATION",
    "transportation": "TRANSPORTATION",
    "vehicle & transport": "TRANSPORTATION",
    "public transport": "TRANSPORTATION_PUBLIC_TRANSIT",
    "taxi & share cars": "TRANSPORTATION_TAXIS_AND_RIDE_SHARES",
    "fuel": "TRANSPORTATION_GAS",
    "petrol": "TRANSPORTATION_GAS",
    "parking": "TRANSPORTATION_PARKING",
    "parking & tolls": "TRANSPORTATION_PARKING",
    "tolls": "TRANSPORTATION_TOLLS",
    "shopping": "GENERAL_MERCHANDISE",
    "retail": "GENERAL_MERCHANDISE",
    "clothing & accessories": "GENERAL_MERCHANDISE_CLOTHING_AND_ACCESSORIES",
    "clothing": "GENERAL_MERCHANDISE_CLOTHING_AND_ACCESSORIES",
    "gifts": "GENERAL_MERCHANDISE_GIFTS_AND_NOVELTIES",
    "pets": "GENERAL_MERCHANDISE_PET_SUPPLIES",
    "home": "HOME_IMPROVEMENT",
    "home improvement": "HOME_IMPROVEMENT",
    "home improvements": "HOME_IMPROVEMENT",
    "homeware & appliances": "HOME_IMPROVEMENT_FURNITURE",
    "health": "MEDICAL",
    "medical": "MEDICAL",
    "health & medical": "MEDICAL",
    "health & wellbeing": "MEDICAL",
    "fitness & wellbeing": "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS",
    "personal care": "PERSONAL_CARE",
    "hair & beauty": "PERSONAL_CARE_HAIR_AND_BEAUTY",
    "entertainment": "ENTERTAINMENT",
    "leisure & entertainment": "ENTERTAINMENT",
    "tv, music & streaming": "ENTERTAINMENT_TV_AND_MOVIES",
    "lottery & gambling": "ENTERTAINMENT_CASINOS_AND_GAMBLING",
    "gambling": "ENTERTAINMENT_CASINOS_AND_GAMBLING",
    "travel": "TRAVEL",
    "travel & holidays": "TRAVEL",
    "holidays & travel": "TRAVEL",
    "insurance": "SERVICES_INSURANCE",
    "education": "SERVICES_EDUCATION",
    "education & student loans": "SERVICES_EDUCATION",
    "childcare": "SERVICES_CHILDCARE",
    "kids": "SERVICES_CHILDCARE",
    "children & family": "SERVICES_CHILDCARE",
    "professional services": "SERVICES_CONSULTING_AND_LEGAL",
    "donations": "GOVERNMENT_AND_NON_PROFIT_DONATIONS",
    "gifts & donations": "GOVERNMENT_AND_NON_PROFIT_DONATIONS",
    "charity": "GOVERNMENT_AND_NON_PROFIT_DONATIONS",
    "tax": "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT",
    "government": "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES",
    "fees": "BANK_FEES",
    "fee": "BANK_FEES",
    "fees & interest": "BANK_FEES",
    "bank fees": "BANK_FEES",
    "interest": None,
    "income": "INCOME",
    "salary": "INCOME_SALARY",
    "salary & wages": "INCOME_SALARY",
    "wages": "INCOME_WAGES",
    "other income": "INCOME_OTHER_INCOME",
    "interest income": "INCOME_INTEREST_EARNED",
    "interest earned": "INCOME_INTEREST_EARNED",
    "government benefits": "INCOME_OTHER_INCOME",
    "loan": "LOAN_PAYMENTS",
    "loans": "LOAN_PAYMENTS",
    "loan repayments": "LOAN_PAYMENTS",
    "home loan": "LOAN_PAYMENTS_MORTGAGE_PAYMENT",
    "mortgage": "LOAN_PAYMENTS_MORTGAGE_PAYMENT",
    "credit card payments": "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT",
    "cash": "TRANSFER_OUT_WITHDRAWAL",
    "cash withdrawals": "TRANSFER_OUT_WITHDRAWAL",
    "atm": "TRANSFER_OUT_WITHDRAWAL",
    "transfers in": "TRANSFER_IN",
    **dict.fromkeys(
        ("transfers out", "transfer", "transfers", "internal transfer", "internal transfers"), "TRANSFER_OUT"
    ),
    **dict.fromkeys(("dep", "deposit", "payment", "other", "int", "withdrawal", "debit", "credit", "wdl")),
    **dict.fromkeys(("uncategorised", "uncategorized", "unknown", "miscellaneous", "none", "")),
}


def category_of(words: str) -> str | None:
    """The category code for a bank's own word; None where the word is unknown or names no purpose.

    `Food:Groceries` (QIF) is asked for whole, then by its last part, then by its first.
    """
    code = words.strip().upper()
    if primary_of(code) in LEAVES:
        return code
    parts = (words, *reversed(words.split(":")))
    return next((found for part in parts if (found := WORDS.get(_folded(part)))), None)


def is_uninformative(words: str) -> bool:
    """Whether a bank's word names a kind of movement instead of a purpose."""
    folded = _folded(words)
    return folded in WORDS and WORDS[folded] is None


def _folded(words: str) -> str:
    return " ".join(words.lower().split()).replace(" and ", " & ")
