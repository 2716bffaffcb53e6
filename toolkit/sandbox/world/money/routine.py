"""Regular transactions: pay, housing, subscriptions, household bills and transfers between own accounts."""

from __future__ import annotations

from datetime import date, timedelta

from toolkit.sandbox.world.chance import digest, random_stream
from toolkit.sandbox.world.days import add_months, business_day, every, month_end, next_weekday
from toolkit.sandbox.world.money.ledger import Account, Ledger, Merchant
from toolkit.wire import JsonObject

EMPLOYER = "KOALA LOGISTICS PTY LTD"
AGENT = "Pobblebonk Property"
SUBSCRIPTIONS = (
    (Merchant("Billabong TV", "BILLABONG TV", "ENTERTAINMENT_TV_AND_MOVIES", "BTV"), 4, (1_699, 1_899, 2_099)),
    (Merchant("Cicada Music", "CICADA MUSIC", "ENTERTAINMENT_MUSIC_AND_AUDIO", "CIC"), 11, (1_299, 1_399, 1_399)),
    (Merchant("Possum Cloud", "POSSUM CLOUD STORAGE", "GENERAL_SERVICES_STORAGE", "PCL"), 19, (449, 449, 499)),
)
PHONE = Merchant("Galah Mobile", "GALAH MOBILE", "RENT_AND_UTILITIES_TELEPHONE", "GM1")
INTERNET = Merchant("Cable & Gum", "CABLE AND GUM NBN", "RENT_AND_UTILITIES_INTERNET_AND_CABLE", "CG7")
GYM = Merchant("Wombat Fitness", "WOMBAT FITNESS", "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS", "WF2")
CAR_INSURANCE = Merchant("Echidna Insurance", "ECHIDNA INSURANCE", "SERVICES_INSURANCE", "EI3")
HEALTH = Merchant("Platypus Health", "PLATYPUS HEALTH FUND", "SERVICES_INSURANCE", "PH4")
CHILDCARE = Merchant("Gumnut Early Learning", "GUMNUT EARLY LEARNING", "GENERAL_SERVICES_CHILDCARE", "GEL")
COUNCIL = Merchant(
    "Council rates", "INNER RIVER COUNCIL", "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES"
)
WATER = Merchant("Catchment Water", "CATCHMENT WATER", "RENT_AND_UTILITIES_WATER")


def write_routine(ledger: Ledger) -> None:
    """Write everything that is paid and received by the calendar, except energy and card bills."""
    _pay(ledger)
    _housing(ledger)
    _subscriptions(ledger)
    _household_bills(ledger)
    _saving(ledger)
    _interest(ledger)
    _taxes(ledger)


def _pay(ledger: Ledger) -> None:
    """Pay a salary every second Thursday, three per cent more from each July."""
    person = ledger.person
    for day in every(next_weekday(ledger.first, 3), ledger.today, days=14):
        raises = (day.year - ledger.first.year) + (day.month >= 7) - (ledger.first.month >= 7)
        cents = round(person.fortnightly_pay * 1.03**raises)
        extras = {"reference": "SALARY", "apca_number": "458106", "extended_data": {"payer": EMPLOYER}}
        words = f"Direct Credit 458106 {EMPLOYER} SALARY"
        ledger.write("everyday", day, cents, words, ("PAYMENT", "INCOME_SALARY"), **extras)


def _housing(ledger: Ledger) -> None:
    person = ledger.person
    if person.weekly_rent:
        for day in every(next_weekday(ledger.first, 4), ledger.today, days=14):
            rise = 2_000 if day >= ledger.first + timedelta(days=366) else 0
            _rent(ledger, day, 2 * person.weekly_rent + rise)
    if person.mortgage:
        for day in every(ledger.first.replace(day=15), ledger.today, months=1):
            transfer(ledger, business_day(day), person.mortgage, ("everyday", "loan"), "Home loan repayment")


def _rent(ledger: Ledger, day: date, cents: int) -> None:
    payload = {
        "end_to_end_id": digest(ledger.seed, "rent", day),
        "extended_description": f"Rent to {day}",
        "purpose_code": "RENT",
        "service": "X2P1",
        "service_version": "01",
    }
    extras = {
        "reference": f"Unit 4 {ledger.person.place.suburb}",
        "extended_data": {"extension_u_type": "nppPayload", "payee": AGENT, "npp_payload": payload},
    }
    label = ("PAYMENT", "RENT_AND_UTILITIES_RENT")
    ledger.write("everyday", day, -cents, f"Osko Withdrawal {AGENT} rent", label, **extras)


def _subscriptions(ledger: Ledger) -> None:
    """Debit each subscription on its day of the month; prices rise a little each year."""
    card = "card" if "card" in ledger.accounts else "everyday"
    for merchant, day_of_month, prices in SUBSCRIPTIONS:
        for day in every(ledger.first.replace(day=day_of_month), ledger.today, months=1):
            price = prices[min((day - ledger.first).days // 300, 2)]
            ledger.direct_debit(day, price, merchant, kind=card)


def _household_bills(ledger: Ledger) -> None:
    children, owner = ledger.person.children, bool(ledger.person.mortgage)
    for merchant, day, cents in ((PHONE, 8, 4_500 + 2_500 * children), (INTERNET, 21, 7_990), (GYM, 2, 6_480)):
        for due in every(ledger.first.replace(day=day), ledger.today, months=1):
            ledger.direct_debit(due, cents, merchant)
    for due in every(ledger.first.replace(day=12), ledger.today, months=1):
        ledger.direct_debit(due, 18_240 + 9_100 * children, HEALTH)
    for due in every(add_months(ledger.first.replace(day=26), 3), ledger.today, months=12):
        ledger.direct_debit(due, 104_875, CAR_INSURANCE)
    if children:
        for due in every(next_weekday(ledger.first, 0), ledger.today, days=7):
            ledger.direct_debit(due, 14_400, CHILDCARE)
    if owner:
        for due in every(add_months(ledger.first.replace(day=28), 1), ledger.today, months=3):
            ledger.bpay(due, 42_160, COUNCIL)
            ledger.bpay(due - timedelta(days=9), 28_635, WATER)


def _saving(ledger: Ledger) -> None:
    """Transfer to savings after each pay, and something back once a quarter."""
    chance = random_stream(ledger.seed, ledger.person.index, "saving")
    usual = 20_000 if ledger.person.weekly_rent else 45_000
    for day in every(next_weekday(ledger.first, 4), ledger.today, days=14):
        transfer(ledger, day, usual, ("everyday", "savings"), "Savings")
    for day in every(ledger.first + timedelta(days=80), ledger.today, days=91):
        transfer(ledger, day, chance.choice((30_000, 50_000)), ("savings", "everyday"), "Top up")


def pay_off_card(ledger: Ledger) -> None:
    """Pay on the 18th what was spent with the card in the month before. Every purchase must be written already.

    Payments to the card and rows in foreign currency do not count.
    """
    card = ledger.accounts.get("card")
    owed: dict[tuple[int, int], int] = {}
    for movement in ledger.movements:
        if movement.account is card and movement.type != "TRANSFER_INCOMING" and "currency" not in movement.extras:
            month = (movement.day.year, movement.day.month)
            owed[month] = owed.get(month, 0) - movement.cents
    for first in every(add_months(ledger.first, 1), ledger.today, months=1):
        before = add_months(first, -1)
        cents = owed.get((before.year, before.month), 0)
        if cents > 0:
            transfer(ledger, business_day(first.replace(day=18)), cents, ("everyday", "card"), "Card payment")


TRANSFER_CATEGORIES = {
    "loan": ("LOAN_PAYMENTS_MORTGAGE_PAYMENT", "TRANSFER_IN_ACCOUNT_TRANSFER"),
    "card": ("LOAN_PAYMENTS_CREDIT_CARD_PAYMENT", "TRANSFER_IN_ACCOUNT_TRANSFER"),
    "savings": ("TRANSFER_OUT_SAVINGS", "TRANSFER_IN_SAVINGS"),
    "everyday": ("TRANSFER_OUT_ACCOUNT_TRANSFER", "TRANSFER_IN_ACCOUNT_TRANSFER"),
}
"""(category of the outgoing leg, of the incoming leg) by kind of the target account."""


def transfer(ledger: Ledger, day: date, cents: int, route: tuple[str, str], why: str) -> None:
    """Write both legs of a transfer between own accounts, each naming the other account, with one end-to-end id.

    route: kinds of the source and the target account; does nothing if either does not exist.
    """
    source, target = (ledger.accounts.get(kind) for kind in route)
    if not (source and target):
        return
    shared = digest(ledger.seed, ledger.person.index, day, route, cents)
    out_label, in_label = TRANSFER_CATEGORIES[route[1]]
    out_words = f"Transfer to xx{target.tail} {why}"
    in_words = f"Transfer from xx{source.tail} {why}"
    extras = _leg(shared, ledger.person.name, target)
    ledger.write(
        route[0], day, -cents, out_words, ("TRANSFER_OUTGOING", out_label), reference=why, extended_data=extras
    )
    extras = _leg(shared, ledger.person.name, source)
    ledger.write(route[1], day, cents, in_words, ("TRANSFER_INCOMING", in_label), reference=why, extended_data=extras)


def _leg(shared: str, name: str, other: Account) -> JsonObject:
    party = f"{name} {other.bsb} {other.number}"
    payload = {"end_to_end_id": shared, "service": "X2P1", "service_version": "01"}
    return {"extension_u_type": "nppPayload", "payee": party, "payer": party, "npp_payload": payload}


def _interest(ledger: Ledger) -> None:
    """Pay interest on savings and charge it on the loan, on the last day of each month."""
    for first in every(ledger.first, ledger.today, months=1):
        day = month_end(first)
        earned = 2_150 + 310 * ((day.year - ledger.first.year) * 12 + day.month - ledger.first.month)
        ledger.write("savings", day, earned, "INTEREST PAID", ("INTEREST_PAID", "INCOME_INTEREST_EARNED"))
        charged = ledger.person.mortgage * 7 // 10
        ledger.write("loan", day, -charged, "INTEREST CHARGED", ("INTEREST_CHARGED", "BANK_FEES_INTEREST_CHARGE"))


def _taxes(ledger: Ledger) -> None:
    for year in range(ledger.first.year, ledger.today.year + 1):
        chance = random_stream(ledger.seed, ledger.person.index, "tax", year)
        words = "Direct Credit 012721 TAXATION OFFICE REFUND"
        label = ("PAYMENT", "INCOME_TAX_REFUND")
        ledger.write(
            "everyday", date(year, 8, 4), chance.randint(48_000, 213_000), words, label, reference="TAX REFUND"
        )
