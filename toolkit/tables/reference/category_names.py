"""Names of the spending categories as Australians say them. Codes stay in data and JSON; only what is shown differs.

`GENERAL_SERVICES` has the leaves of `SERVICES` and is shown as one with it. Every other name belongs to one code.
"""

from __future__ import annotations

from typing import Final

from toolkit.tables.reference.categories import codes, primary_of

_SERVICES: Final = {
    "INSURANCE": "Insurance",
    "ACCOUNTING_AND_FINANCIAL_PLANNING": "Accounting and financial planning",
    "AUTOMOTIVE": "Car servicing and rego",
    "CHILDCARE": "Childcare",
    "CONSULTING_AND_LEGAL": "Consulting and legal",
    "EDUCATION": "Education",
    "POSTAGE_AND_SHIPPING": "Postage",
    "STORAGE": "Storage",
}
NAMES: Final[dict[str, str]] = {
    "INCOME": "Income",
    "INCOME_SALARY": "Salary",
    "INCOME_WAGES": "Wages",
    "INCOME_DIVIDENDS": "Dividends",
    "INCOME_INTEREST_EARNED": "Interest earned",
    "INCOME_RETIREMENT_PENSION": "Pension and super",
    "INCOME_TAX_REFUND": "Tax refund",
    "INCOME_UNEMPLOYMENT": "Centrelink",
    "TRANSFER_IN": "Transfers in",
    "TRANSFER_IN_ACCOUNT_TRANSFER": "Transfer from an account",
    "TRANSFER_IN_SAVINGS": "From savings",
    "TRANSFER_IN_DEPOSIT": "Deposits",
    "TRANSFER_IN_CASH_ADVANCES_AND_LOANS": "Cash advances and loans",
    "TRANSFER_IN_INVESTMENT_AND_RETIREMENT_FUNDS": "From investments and super",
    "TRANSFER_IN_OTHER_TRANSFER_IN": "Other transfers in",
    "TRANSFER_OUT": "Transfers out",
    "TRANSFER_OUT_ACCOUNT_TRANSFER": "Transfer to an account",
    "TRANSFER_OUT_SAVINGS": "To savings",
    "TRANSFER_OUT_WITHDRAWAL": "Cash withdrawals",
    "TRANSFER_OUT_INVESTMENT_AND_RETIREMENT_FUNDS": "To investments and super",
    "TRANSFER_OUT_OTHER_TRANSFER_OUT": "Other transfers out",
    "LOAN_PAYMENTS": "Loan repayments",
    "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT": "Credit card repayment",
    "LOAN_PAYMENTS_MORTGAGE_PAYMENT": "Home loan",
    "LOAN_PAYMENTS_CAR_PAYMENT": "Car loan",
    "LOAN_PAYMENTS_PERSONAL_LOAN_PAYMENT": "Personal loan",
    "LOAN_PAYMENTS_STUDENT_LOAN_PAYMENT": "HECS-HELP",
    "LOAN_PAYMENTS_OTHER_PAYMENT": "Other loan repayments",
    "BANK_FEES": "Bank fees and interest",
    "BANK_FEES_ATM_FEES": "ATM fees",
    "BANK_FEES_INSUFFICIENT_FUNDS": "Dishonour fees",
    "BANK_FEES_INTEREST_CHARGE": "Loan interest",
    "ENTERTAINMENT_CASINOS_AND_GAMBLING": "Gambling",
    "ENTERTAINMENT_MUSIC_AND_AUDIO": "Music",
    "ENTERTAINMENT_SPORTING_EVENTS_AMUSEMENT_PARKS_AND_MUSEUMS": "Sport, theme parks and museums",
    "ENTERTAINMENT_TV_AND_MOVIES": "Streaming and movies",
    "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR": "Alcohol",
    "FOOD_AND_DRINK_RESTAURANT": "Restaurants",
    "GENERAL_MERCHANDISE": "Shopping",
    "GENERAL_MERCHANDISE_BOOKSTORES_AND_NEWSSTANDS": "Books and newsagents",
    "GENERAL_MERCHANDISE_CLOTHING_AND_ACCESSORIES": "Clothing and accessories",
    "GENERAL_MERCHANDISE_DISCOUNT_STORES": "Discount department stores",
    "GENERAL_MERCHANDISE_GIFTS_AND_NOVELTIES": "Gifts",
    "GENERAL_MERCHANDISE_SUPERSTORES": "Large stores",
    "GENERAL_MERCHANDISE_OTHER_GENERAL_MERCHANDISE": "Other shopping",
    "HOME_IMPROVEMENT_REPAIR_AND_MAINTENANCE": "Repairs and maintenance",
    "HOME_IMPROVEMENT_SECURITY": "Home security",
    "MEDICAL": "Health",
    "MEDICAL_DENTAL_CARE": "Dentist",
    "MEDICAL_EYE_CARE": "Optometrist",
    "MEDICAL_PHARMACIES_AND_SUPPLEMENTS": "Chemist",
    "MEDICAL_PRIMARY_CARE": "Doctor (GP)",
    "MEDICAL_VETERINARY_SERVICES": "Vet",
    "MEDICAL_OTHER_MEDICAL": "Other health",
    "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS": "Gym",
    "SERVICES": "Services",
    "GENERAL_SERVICES": "Services",
    **{f"SERVICES_{leaf}": name for leaf, name in _SERVICES.items()},
    **{f"GENERAL_SERVICES_{leaf}": name for leaf, name in _SERVICES.items()},
    "SERVICES_OTHER_SERVICES": "Other services",
    "GENERAL_SERVICES_OTHER_GENERAL_SERVICES": "Other services",
    "GOVERNMENT_AND_NON_PROFIT": "Government and charity",
    "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES": "Government services",
    "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT": "Tax",
    "GOVERNMENT_AND_NON_PROFIT_OTHER_GOVERNMENT_AND_NON_PROFIT": "Other government and charity",
    "TRANSPORTATION": "Transport",
    "TRANSPORTATION_GAS": "Fuel",
    "TRANSPORTATION_PUBLIC_TRANSIT": "Public transport",
    "TRANSPORTATION_OTHER_TRANSPORTATION": "Other transport",
    "TRAVEL_LODGING": "Accommodation",
    "TRAVEL_RENTAL_CARS": "Car hire",
    "RENT_AND_UTILITIES_INTERNET_AND_CABLE": "Internet and TV",
    "RENT_AND_UTILITIES_SEWAGE_AND_WASTE_MANAGEMENT": "Sewerage and rubbish",
    "RENT_AND_UTILITIES_TELEPHONE": "Phone",
}
"""Of the codes whose own words, without the primary category, are not what an Australian would say."""


def category_name(code: str) -> str:
    """Return the name to show for a category's code; a category in a bank's own words stays as it is written."""
    if name := NAMES.get(code):
        return name
    if code.upper() != code and "_" not in code:
        return code
    return code.removeprefix(f"{primary_of(code)}_").replace("_", " ").strip().capitalize()


def code_named(name: str) -> str | None:
    """Return the code of a shown name, whatever its case; None where no category has that name."""
    return _CODES.get(" ".join(name.split()).casefold())


_CODES: Final = {category_name(code).casefold(): code for code in reversed(list(codes()))}
"""Shown name → code; of the two with one name, the one that is listed first (`SERVICES`)."""
