"""Purchases and cash withdrawals. All merchants are invented."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from toolkit.sandbox.world.chance import random_stream
from toolkit.sandbox.world.days import each_day, every, next_weekday
from toolkit.sandbox.world.money.ledger import Ledger, Merchant

GROCERIES = (
    Merchant("Harvest Lane", "HARVEST LANE 0417", "FOOD_AND_DRINK_GROCERIES", "5411"),
    Merchant("Bushel & Peck", "BUSHEL AND PECK", "FOOD_AND_DRINK_GROCERIES", "5411"),
    Merchant("Dandelion Wholefoods", "DANDELION WHOLEFDS", "GENERAL_MERCHANDISE_SUPERMARKETS", "5411"),
)
CAFE = Merchant("Little Magpie", "SQ *LITTLE MAGPIE", "FOOD_AND_DRINK_COFFEE", "5814")
TRAIN = Merchant("Citylink Transit", "CITYLINK TRANSIT TAP", "TRANSPORTATION_PUBLIC_TRANSIT", "4111")
FUEL = Merchant("Redgum Fuel", "REDGUM FUEL 4471", "TRANSPORTATION_GAS", "5541")
DINNER = (
    Merchant("Saffron Street", "SAFFRON STREET", "FOOD_AND_DRINK_RESTAURANT", "5812"),
    Merchant("Noodle Yard", "NOODLE YARD PTY LTD", "FOOD_AND_DRINK_FAST_FOOD", "5814"),
    Merchant("The Paddock Hotel", "PADDOCK HOTEL", "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR", "5813"),
)
CHEMIST = Merchant("Corner Chemist", "CORNER CHEMIST", "MEDICAL_PHARMACIES_AND_SUPPLEMENTS", "5912")
DENTIST = Merchant("Bright Dental", "BRIGHT DENTAL CARE", "MEDICAL_DENTAL_CARE", "8021")
CLOTHES = Merchant("Thread & Needle", "THREAD N NEEDLE", "GENERAL_MERCHANDISE_CLOTHING_AND_ACCESSORIES", "5651")
HARDWARE = Merchant("Spanner's Hardware", "SPANNERS HARDWARE", "HOME_IMPROVEMENT_HARDWARE", "5200")
ELECTRONICS = Merchant("Circuit House", "CIRCUIT HOUSE", "GENERAL_MERCHANDISE_ELECTRONICS", "5732")
HAIR = Merchant("Salt Hair", "SALT HAIR STUDIO", "PERSONAL_CARE_HAIR_AND_BEAUTY", "7230")
FLIGHTS = Merchant("Southern Wings", "SOUTHERN WINGS", "TRAVEL_FLIGHTS", "4511")
LODGING = Merchant("Headland Stays", "HEADLAND STAYS", "TRAVEL_LODGING", "7011")
OVERSEAS = Merchant("Inkwell Reader", "INKWELL READER NEW YORK US", "ENTERTAINMENT_TV_AND_MOVIES", "5815")


def write_shopping(ledger: Ledger) -> None:
    """Write groceries, cafés, fuel, trains, dinners and larger purchases, with the credit card if there is one."""
    card = "card" if "card" in ledger.accounts else "everyday"
    _groceries(ledger, card)
    _daily(ledger, card)
    _occasional(ledger, card)
    _refunds(ledger, card)
    _cash(ledger)
    _overseas(ledger, card)


def _groceries(ledger: Ledger, card: str) -> None:
    chance = random_stream(ledger.seed, ledger.person.index, "groceries")
    weekly = 9_500 + 6_800 * ledger.person.children + (3_500 if ledger.person.mortgage else 0)
    for saturday in every(next_weekday(ledger.first, 5), ledger.today, days=7):
        ledger.spend(saturday, _near(chance, weekly), chance.choice(GROCERIES), kind=card)
        ledger.spend(saturday + timedelta(days=3), _near(chance, weekly // 4), chance.choice(GROCERIES), kind=card)


def _daily(ledger: Ledger, card: str) -> None:
    """Write fares, coffee and dinners; the same fare there and back makes two identical rows on a day."""
    chance = random_stream(ledger.seed, ledger.person.index, "daily")
    for day in each_day(ledger.first, ledger.today):
        if day.weekday() < 5 and chance.random() < 0.55:
            ledger.spend(day, 403, TRAIN, kind=card)
            ledger.spend(day, 403, TRAIN, kind=card)
        if chance.random() < 0.4:
            ledger.spend(day, chance.choice((480, 520, 550, 1040)), CAFE, kind=card)
        if day.weekday() in (4, 5, 6) and chance.random() < 0.35:
            ledger.spend(day, _near(chance, 4_200 + 2_400 * ledger.person.children), chance.choice(DINNER), kind=card)


OCCASIONAL = ((FUEL, 13, 7_800), (CHEMIST, 24, 2_650), (CLOTHES, 38, 9_400), (HAIR, 45, 6_500), (DENTIST, 180, 21_500))
OWNERS_OCCASIONAL = ((HARDWARE, 29, 7_200), (ELECTRONICS, 160, 48_900))


def _occasional(ledger: Ledger, card: str) -> None:
    for merchant, days, usual in (*OCCASIONAL, *(OWNERS_OCCASIONAL if ledger.person.mortgage else ())):
        chance = random_stream(ledger.seed, ledger.person.index, merchant.name)
        day = ledger.first + timedelta(days=chance.randint(0, days))
        while day <= ledger.today:
            ledger.spend(day, _near(chance, usual), merchant, kind=card)
            day += timedelta(days=max(2, round(days * chance.uniform(0.6, 1.4))))
    for year in range(ledger.first.year, ledger.today.year + 1):
        _holiday(ledger, year, card)


def _holiday(ledger: Ledger, year: int, card: str) -> None:
    chance = random_stream(ledger.seed, ledger.person.index, "holiday", year)
    people = 2 + ledger.person.children if ledger.person.mortgage else 1
    ledger.spend(date(year, 9, 3), _near(chance, 24_000 * people), FLIGHTS, kind=card)
    ledger.spend(date(year, 12, 28), _near(chance, 88_000), LODGING, kind=card)


def _refunds(ledger: Ledger, card: str) -> None:
    """Refund a purchase in full after six days, twice a year."""
    chance = random_stream(ledger.seed, ledger.person.index, "refunds")
    for day in every(ledger.first + timedelta(days=40), ledger.today, days=170):
        cents = _near(chance, 12_900)
        ledger.spend(day, cents, CLOTHES, kind=card)
        ledger.spend(day + timedelta(days=6), -cents, CLOTHES, kind=card)


def _cash(ledger: Ledger) -> None:
    chance = random_stream(ledger.seed, ledger.person.index, "cash")
    for day in every(ledger.first + timedelta(days=9), ledger.today, days=23):
        words = f"WDL ATM {ledger.accounts['everyday'].bsb} {ledger.person.place.suburb.upper()}"
        label = ("PAYMENT", "TRANSFER_OUT_WITHDRAWAL")
        ledger.write("everyday", day, -chance.choice((5_000, 10_000, 20_000)), words, label, confidence="HIGH")


def _overseas(ledger: Ledger, card: str) -> None:
    """Write a row in US dollars, and the bank's fee for it in Australian ones."""
    for day in every(ledger.first + timedelta(days=66), ledger.today, months=6):
        extras = {"merchant_name": OVERSEAS.name, "merchant_category_code": OVERSEAS.code, "currency": "USD"}
        ledger.write(card, day, -1_299, OVERSEAS.statement, ("PAYMENT", OVERSEAS.category), **extras)
        ledger.write(card, day, -60, "INTERNATIONAL TXN FEE", ("FEE", "BANK_FEES_FOREIGN_TRANSACTION_FEES"))


def _near(chance: Random, cents: int) -> int:
    """Draw an amount around `cents`, never below a dollar."""
    return max(100, int(chance.gauss(cents, cents * 0.22)))
