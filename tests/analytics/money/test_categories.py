"""What a movement was for, and who says so."""

from __future__ import annotations

import pytest

from tests.analytics.money.built import accounts, movement, overrides, transactions
from toolkit.analytics.money.classify import classify
from toolkit.tables.reference.categories import bank_words, category_names, category_of, keywords, merchant_codes

GIVEN = {"primary_category": "TRAVEL", "secondary_category": "TRAVEL_FLIGHTS"}


def decided(row, *chosen):
    rows = classify(transactions(row), accounts(), zone="Australia/Sydney", overrides=overrides(*chosen)).rows
    names = ("primary_category", "secondary_category", "category_source")
    return tuple(rows[name].item() for name in names)


def test_the_order_of_who_is_believed() -> None:
    manual = ("category", "t0", "PERSONAL_CARE_HAIR_AND_BEAUTY")
    rule = ("rule", "corner shop", "HOME_IMPROVEMENT")
    row = movement("-9.00", description="CORNER SHOP cafe", merchant_category_code="5912", type="FEE")
    assert decided({**row, **GIVEN}, rule, manual) == ("PERSONAL_CARE", manual[2], "manual")
    assert decided({**row, **GIVEN}, rule) == ("HOME_IMPROVEMENT", None, "rule")
    assert decided({**row, **GIVEN}) == ("TRAVEL", "TRAVEL_FLIGHTS", "provider")
    assert decided({**row, "source": "file", "primary_category": "Groceries"}) == (
        *("FOOD_AND_DRINK", "FOOD_AND_DRINK_GROCERIES"),
        "bank",
    )
    assert decided(row) == ("MEDICAL", "MEDICAL_PHARMACIES_AND_SUPPLEMENTS", "mcc")
    assert decided({**row, "merchant_category_code": None}) == ("BANK_FEES", None, "type")
    assert decided(movement("-9.00", description="CORNER SHOP cafe"))[1:] == ("FOOD_AND_DRINK_COFFEE", "keyword")
    refund = movement("1210.35", description="ATO ATO007000018889123")  # the office's own reference
    assert decided(refund)[1:] == ("INCOME_TAX_REFUND", "keyword")
    assert decided(movement("-9.00", description="CORNER SHOP")) == (None, None, None)


def test_a_rule_of_words_fits_whatever_the_case_the_spaces_and_the_rules_that_overlap_it() -> None:
    row = movement("-9.00", description="CARD  Corner \t SHOP 12")
    corner, shop, none = ("rule", "corner  shop", "TRAVEL"), ("rule", "shop 12", "MEDICAL"), ("rule", "shops", "PETS")
    assert decided(row, corner, shop, none)[0] == "MEDICAL"
    assert decided(row, shop, corner, none)[0] == "TRAVEL"
    assert decided(row, ("rule", "/shop$/", "PETS"), corner, none)[0] == "TRAVEL"


def test_the_newest_rule_that_fits_wins_and_one_undone_does_not_count() -> None:
    old, new = ("rule", "corner", "TRAVEL"), ("rule", "/^corner s[hx]op/", "MEDICAL")
    assert decided(movement("-9.00", description="Corner Shop"), old, new)[0] == "MEDICAL"
    undone = overrides(old, new).with_columns(active=overrides(old, new)["number"] == 1)
    rows = transactions(movement("-9.00", description="Corner  Shop"))
    assert (
        classify(rows, accounts(), zone="Australia/Sydney", overrides=undone).rows["primary_category"].item()
        == "TRAVEL"
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("FUTURE_THING", "FUTURE_THING_LEAF"), ("FUTURE_THING", "FUTURE_THING_LEAF")),
        (("INCOME", None), ("INCOME", None)),
        ((None, "GENERAL_SERVICES_CHILDCARE"), ("GENERAL_SERVICES", "GENERAL_SERVICES_CHILDCARE")),
        ((None, "SERVICES_INSURANCE"), ("SERVICES", "SERVICES_INSURANCE")),
        (("", " "), (None, None)),
    ],
)
def test_codes_of_the_service_stay_as_given_known_or_not(given, kept) -> None:
    row = movement("-9.00", description="?", primary_category=given[0], secondary_category=given[1])
    assert decided(row)[:2] == kept


def test_an_unknown_word_of_a_bank_stays_and_one_without_a_purpose_is_none() -> None:
    assert decided(movement("-9.00", source="file", primary_category="Sailing")) == ("Sailing", None, "bank")
    assert decided(movement("-9.00", source="file", primary_category="PAYMENT")) == (None, None, None)
    assert decided(movement("-9.00", source="file", primary_category="Food:Groceries"))[0] == "FOOD_AND_DRINK"


@pytest.mark.parametrize(
    ("amount", "description", "kind", "category"),
    [
        ("2100.00", "DIRECT CREDIT 458106 ACME PTY LTD SALARY", "income", "INCOME_SALARY"),
        ("-80.00", "SALARY PACKAGING FEE", "expense", None),
        ("93.10", "Direct Credit 386258 BHP GROUP LTD DIV AF384/01234567", "income", "INCOME_DIVIDENDS"),
        ("1557.99", "Direct Credit 012721 TAXATION OFFICE REFUND", "income", "INCOME_TAX_REFUND"),
        ("-2.61", "INTERNATIONAL TXN FEE", "expense", "BANK_FEES_FOREIGN_TRANSACTION_FEES"),
        ("-2.61", "OVERSEAS TRANSACTION FEE 0.03", "expense", "BANK_FEES_FOREIGN_TRANSACTION_FEES"),
        ("1.25", "Credit Interest", "income", "INCOME_INTEREST_EARNED"),
        ("-8.10", "Debit Interest", "expense", "BANK_FEES_INTEREST_CHARGE"),
        ("-18.43", "Interest Charges On Purchases", "expense", "BANK_FEES_INTEREST_CHARGE"),
        ("-100.00", "WDL ATM CBA SYDNEY", "expense", "TRANSFER_OUT_WITHDRAWAL"),
        ("-35.20", "UBER EATS SYDNEY", "expense", "FOOD_AND_DRINK_FAST_FOOD"),
        ("-35.20", "UBER *EATS HELP.UBER.COM", "expense", "FOOD_AND_DRINK_FAST_FOOD"),
        ("-15.20", "UBER TRIP", "expense", "TRANSPORTATION_TAXIS_AND_RIDE_SHARES"),
        ("-15.20", "UBER *TRIP HELP.UBER.COM", "expense", "TRANSPORTATION_TAXIS_AND_RIDE_SHARES"),
        ("-60.00", "WOOLWORTHS PETROL 1234", "expense", "TRANSPORTATION_GAS"),
        ("-25.00", "AFTERPAY MELBOURNE", "expense", "LOAN_PAYMENTS_OTHER_PAYMENT"),
        ("-200.00", "PAYMENT TO ATO 551009876543", "expense", "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT"),
        ("-90.00", "DIRECT DEBIT 551 LYREBIRD ENERGY", "expense", "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"),
        ("-90.00", "PUMA ENERGY NEWTOWN", "expense", "TRANSPORTATION_GAS"),
        ("-20.00", "PURE ENERGY YOGA", "expense", "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS"),
        ("-812.00", "TMR QLD REGISTRATION", "expense", "SERVICES_AUTOMOTIVE"),
        ("300.00", "WAGE ADVANCE", "expense", "TRANSFER_IN_CASH_ADVANCES_AND_LOANS"),
        ("-15.20", "CURRENT AFFAIRS", "expense", None),  # contains "rent", but not as a word
    ],
)
def test_australian_words(amount: str, description: str, kind: str, category: str | None) -> None:
    row = classify(transactions(movement(amount, description=description)), accounts(), zone="Australia/Sydney").rows
    assert (row["kind"].item(), row["secondary_category"].item()) == (kind, category)


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Direct Debit 552018 LITTLE ACORNS ELC", "Childcare"),
        ("EZIDEBIT *WOMBAT OSHC", "Childcare"),
        ("ANACONDA GROUP PTY LTD 2204 Card xx1020", "Sporting goods"),
        ("WOOLWORTHS MOBILE BELLA VISTA", "Phone"),
        ("WOOLWORTHS 1624 MAROUBRA", "Groceries"),
        ("STARLINK INTERNET SYDNEY", "Internet and TV"),
        ("APPLE.COM/BILL SYDNEY", "Other services"),
        ("MICROSOFT*XBOX GAME PASS", "Other services"),
        ("SNAP FITNESS KIAMA", "Gym"),
        ("LAVERTY PATHOLOGY NORTH RYDE", "Other health"),
        ("THE BODY SHOP 0412", "Hair and beauty"),
        ("THAI AIRWAYS INTL", "Flights"),
        ("THAI MASSAGE NEWTOWN", "Hair and beauty"),
        ("SQ *RED LANTERN THAI", "Restaurants"),
        ("EUROPCAR CAR RENTALS", "Car hire"),
        ("STRATA LEVY SP 55120 BPAY", "Other utilities"),
        ("LEGENDS BOWLING CLUB", "Restaurants"),
        ("NEDS.COM.AU BRISBANE", "Gambling"),
        ("TOYOTA FINANCE AUSTRALIA", "Car loan"),
        ("ZIP CO SYDNEY", "Other loan repayments"),
        ("7-ELEVEN FUEL 2201", "Fuel"),
        ("Transfer to Reece Gorman rent share", "Rent"),
        ("Withdrawal-Internet Transfer to 0412", None),
        ("Kensington Boxer", None),
    ],
)
def test_shops_and_services_of_australia_are_known_by_name(description: str, name: str | None) -> None:
    category = decided(movement("-42.00", description=description))[1]
    assert (category and category_names()[category]) == name


@pytest.mark.parametrize(
    ("description", "amount", "name"),
    [
        ("AUS GOV FAMILIES 304X2211", "512.40", "Centrelink"),
        ("DIRECT CREDIT 012721 CENTRELINK", "812.40", "Centrelink"),
        ("CTRLINK CARERS 12345", "153.50", "Centrelink"),
        ("PARENTING PAYMENT 305X", "960.00", "Centrelink"),
        ("RENT ASSISTANCE", "104.00", "Centrelink"),
        ("AGE PENSION 123A", "1116.30", "Pension and super"),
        ("AUSTRALIANSUPER", "900.00", "Pension and super"),
        ("SERVICES AUSTRALIA CHILD SUPPORT", "210.00", "Other income"),
        ("BOOST PREPAID MOBILE", "-30.00", "Phone"),
        ("WOOLWORTHS EVERYDAY MOBILE", "-30.00", "Phone"),
        ("OPTUS INTERNET", "-79.00", "Internet and TV"),
        ("CITYLINK MELBOURNE", "-25.00", "Tolls"),
        ("COLES INSURANCE", "-88.00", "Insurance"),
        ("QANTAS HEALTH INSURANCE", "-188.00", "Insurance"),
        ("HIF HEALTH INSURANCE", "-188.00", "Insurance"),
        ("QUEENSLAND REVENUE OFFICE", "-980.00", "Government services"),
        ("WATER CORP PERTH", "-210.00", "Water"),
        ("WATER RATES", "-210.00", "Water"),
        ("DEFERIT", "-40.00", "Other loan repayments"),
        ("PAYPAL PAY IN 4", "-40.00", "Other loan repayments"),
    ],
)
def test_everyday_payees_have_a_category(description: str, amount: str, name: str) -> None:
    category = decided(movement(amount, description=description))[1]
    assert (category and category_names()[category]) == name


@pytest.mark.parametrize("name", ["AMPOL ENERGY", "Shell Energy 12345", "KOGAN ENERGY", "DIAMOND ENERGY PTY LTD"])
def test_an_energy_retailer_is_no_fuel_station_or_shop_of_that_brand(name: str) -> None:
    rows = classify(transactions(movement("-90.00", description=name)), accounts(), zone="Australia/Sydney").rows
    assert rows["secondary_category"].item() == "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"


@pytest.mark.parametrize(
    "description",
    [
        "Direct Credit 302169 WESTMEAD HOSP PAY",
        "PAY KIELA DESIGN PTY LTD",
        "Osko Deposit From WATTLE PTY LTD PAY",
        "DEPT OF EDUCATION PAY 0012345",
        "NSW HEALTH SVC PAY",
        "KOALA CAFE PAYROLL",
        "WAGES",
    ],
)
def test_money_from_an_organisation_that_says_pay_is_income(description: str) -> None:
    assert decided(movement("2100.00", description=description)) == ("INCOME", "INCOME_SALARY", "keyword")
    assert decided(movement("-2100.00", description=description))[1] != "INCOME_SALARY"


@pytest.mark.parametrize(
    "description",
    [
        "Pay Anyone from J SMITH",
        "PAY ANYONE FROM KIELA DESIGN PTY LTD",
        "Osko payment from J SMITH pay",
        "Osko Deposit From SAM CARTER pay for the group",
        "PayID payment from J SMITH",
        "Direct Credit 301500 J SMITH PAY",
        "PAYPAL *EBAY PAY PTY LTD",
        "Afterpay refund PTY LTD",
        "REFUND PAY KIELA DESIGN PTY LTD",
        "GOOGLE PAY AUSTRALIA PTY LTD",
        "BUY NOW PAY LATER PTY LTD",
        "SALARY ADVANCE KIELA PTY LTD",
        "KIELA DESIGN PTY LTD",  # once is not regular
    ],
)
def test_money_from_people_refunds_and_loans_are_no_pay(description: str) -> None:
    assert decided(movement("2100.00", description=description))[0] != "INCOME"


FORTNIGHTS = ("2026-01-08", "2026-01-22", "2026-02-05", "2026-02-19")


def of_fortnights(description: str, *amounts: str) -> list[tuple[str | None, str | None]]:
    rows = [movement(amount, day, description) for amount, day in zip(amounts, FORTNIGHTS, strict=True)]
    found = classify(transactions(*rows), accounts(), zone="Australia/Sydney").rows
    return [(category, source) for category, source in found.select("secondary_category", "category_source").rows()]


SAME = ("2100.00",) * 4


@pytest.mark.parametrize(
    "description",
    [
        "Direct Credit 458106 KOALA LOGISTICS PTY LTD",
        "Direct Credit 458106 WESTMEAD HOSPITAL",  # a word of a shop or a doctor alone says what is bought there
        "INNER WEST COUNCIL",
        "Direct Credit 301500 KOALA CAFE PAY",
    ],
)
def test_what_an_organisation_pays_each_fortnight_is_pay(description: str) -> None:
    assert of_fortnights(description, *SAME) == [("INCOME_SALARY", "employer")] * 4


@pytest.mark.parametrize(
    "description",
    [
        "Direct Credit 301500 J SMITH",
        "Direct Credit 301500 J SMITH PAY",
        "Osko Deposit From J SMITH rent",
        "Direct Credit 128594 MACQUARIE BANK LIMITED",
        "TRANSFER FROM SMITH HOLDINGS PTY LTD",
        "Direct Credit 128594 RAY WHITE PTY LTD RENT",
        "MEDIBANK PRIVATE LIMITED",
        "VANGUARD INVESTMENTS AUSTRALIA LTD",
    ],
)
def test_what_people_banks_agents_and_insurers_pay_each_fortnight_is_no_pay(description: str) -> None:
    assert all(category != "INCOME_SALARY" for category, _ in of_fortnights(description, *SAME))


@pytest.mark.parametrize(
    ("text", "fortnight", "category"),
    [
        ("Direct Credit 301500 WOOLWORTHS", "800.00", "INCOME_SALARY"),  # $400 a week
        ("Direct Credit 301500 WOOLWORTHS", "799.00", "FOOD_AND_DRINK_GROCERIES"),
        ("Osko Deposit From WOOLWORTHS", "2100.00", "FOOD_AND_DRINK_GROCERIES"),
        ("WOOLWORTHS REFUND", "2100.00", "FOOD_AND_DRINK_GROCERIES"),
    ],
)
def test_a_shop_that_pays_as_much_as_somebody_earns_is_an_employer(text: str, fortnight: str, category: str) -> None:
    assert {found for found, _ in of_fortnights(text, *[fortnight] * 4)} == {category}


def test_small_irregular_and_unlike_amounts_of_an_organisation_are_no_pay() -> None:
    text = "Direct Credit 458106 KOALA LOGISTICS PTY LTD"
    assert of_fortnights(text, *("35.00",) * 4) == [(None, None)] * 4
    assert of_fortnights(text, "2100.00", "90.00", "870.00", "310.00") == [(None, None)] * 4
    assert of_fortnights(text, "2100.00", "2100.00", "80.00", "2600.00") == [
        *[("INCOME_SALARY", "employer")] * 2,
        (None, None),  # less than half of the usual pay
        ("INCOME_SALARY", "employer"),
    ]


def test_a_decision_about_one_pay_leaves_the_others_pay() -> None:
    rows = [movement("2100.00", day, "Direct Credit 458106 KOALA LOGISTICS PTY LTD") for day in FORTNIGHTS]
    chosen = overrides(("category", "t1", "TRAVEL"), ("category", "t2", "TRAVEL"))
    found = classify(transactions(*rows), accounts(), zone="Australia/Sydney", overrides=chosen).rows
    assert found["category_source"].to_list() == ["employer", "manual", "manual", "employer"]


def test_a_bank_s_own_kind_of_movement_says_salary_and_interest() -> None:
    assert decided(movement("2100.00", description="KOALA CAFE", type="Salary")) == ("INCOME", "INCOME_SALARY", "type")
    assert decided(movement("2.10", description="KOALA CAFE", type="INTEREST"))[1:] == (
        "INCOME_INTEREST_EARNED",
        "type",
    )
    charged = movement("-2.10", description="KOALA CAFE", type="INTEREST")
    assert decided(charged)[1:] == ("BANK_FEES_INTEREST_CHARGE", "type")


def test_income_is_a_matter_of_the_category_and_not_of_the_sign() -> None:
    row = movement("-50.00", primary_category="INCOME", secondary_category="INCOME_SALARY")
    assert classify(transactions(row), accounts(), zone="Australia/Sydney").rows["kind"].item() == "income"


def test_every_own_table_names_known_categories() -> None:
    named = {*keywords().spending, *keywords().income, *keywords().types.values()}
    named |= {*filter(None, bank_words().values()), *merchant_codes().values()}
    assert named <= set(category_names())
    assert category_of("food_and_drink_coffee") == "FOOD_AND_DRINK_COFFEE"
