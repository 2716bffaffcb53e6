"""Who lives in the sandbox: three people that are always there, and as many more as asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from toolkit.sandbox.world.chance import dice, uuid
from toolkit.sandbox.world.institutions import CURRAWONG, IRONBARK, LYREBIRD, QUOLL, SALTBUSH, Institution


@dataclass(frozen=True, slots=True)
class Place:
    suburb: str
    postcode: str
    state: str
    timezone: str
    latitude: float
    network: str


MARRICKVILLE = Place("Marrickville", "2204", "NSW", "Australia/Sydney", -33.9, "Ausgrid")
FOOTSCRAY = Place("Footscray", "3011", "VIC", "Australia/Melbourne", -37.8, "Jemena")
CHERMSIDE = Place("Chermside", "4032", "QLD", "Australia/Brisbane", -27.4, "Energex")
PARRAMATTA = Place("Parramatta", "2150", "NSW", "Australia/Sydney", -33.8, "Endeavour Energy")
PLACES = (MARRICKVILLE, FOOTSCRAY, CHERMSIDE, PARRAMATTA)


@dataclass(frozen=True, slots=True)
class Person:
    """One seeded customer. Money in cents. tariff: flat, time_of_use or demand. bill_months: 1 or 3."""

    index: int
    persona: str
    name: str
    email: str
    phone: str
    place: Place
    bank: Institution
    retailer: Institution
    fortnightly_pay: int
    weekly_rent: int
    mortgage: int
    children: int
    daily_kwh: float
    tariff: str
    bill_months: int = 1
    controlled_load: bool = False
    panels_kw: float = 0.0
    battery_kwh: float = 0.0
    gas: bool = False
    air_conditioned: bool = True
    five_minute_from_days_ago: int | None = None

    def end_user_id(self, seed: int) -> str:
        return f"eu_{uuid(seed, 'end-user', self.index)}"


RENTER = Person(
    0, "renter", "Mia Tran", "mia.tran@example.com", "+61491570006", FOOTSCRAY, SALTBUSH, QUOLL,
    fortnightly_pay=218_415, weekly_rent=43_000, mortgage=0, children=0, daily_kwh=9.5, tariff="flat", bill_months=3,
    gas=True, air_conditioned=False,
)  # fmt: skip
FAMILY = Person(
    1, "family", "Priya Sharma", "priya.sharma@example.com", "+61491570156", MARRICKVILLE, IRONBARK, LYREBIRD,
    fortnightly_pay=412_880, weekly_rent=0, mortgage=318_540, children=2, daily_kwh=19.0, tariff="time_of_use",
    controlled_load=True, panels_kw=6.6, five_minute_from_days_ago=150,
)  # fmt: skip
SOLAR_BATTERY = Person(
    2, "solar-battery", "Tom O'Brien", "tom.obrien@example.com", "+61491570157", CHERMSIDE, IRONBARK, LYREBIRD,
    fortnightly_pay=338_125, weekly_rent=0, mortgage=221_300, children=0, daily_kwh=26.0, tariff="demand",
    panels_kw=8.0, battery_kwh=9.8,
)  # fmt: skip
PERSONAS = (RENTER, FAMILY, SOLAR_BATTERY)

GIVEN = ("Aisha", "Ben", "Chloe", "Daniel", "Elena", "Finn", "Grace", "Hassan", "Isla", "Jack", "Kirra", "Liam")
FAMILY_NAMES = ("Nguyen", "Walker", "Rossi", "Singh", "Kelly", "Papadopoulos", "Murray", "Chen", "Haddad", "Wilson")


def cast(seed: int, households: int) -> tuple[Person, ...]:
    """The three personas first, in their order, then `households` − 3 others; fewer than three cuts the list."""
    return (*PERSONAS, *(_extra(seed, index) for index in range(3, households)))[:households]


def _extra(seed: int, index: int) -> Person:
    """A person with a home, pay, tariff and roof drawn from the seed."""
    chance = dice(seed, "cast", index)
    pattern = chance.choice(PERSONAS)
    given, family = GIVEN[index % len(GIVEN)], chance.choice(FAMILY_NAMES)
    return replace(
        pattern,
        index=index,
        persona=f"{pattern.persona}-{index + 1}",
        name=f"{given} {family}",
        email=f"{given}.{family}.{index + 1}@example.com".lower(),
        phone=f"+614915{70000 + index:05d}",
        place=chance.choice(PLACES),
        bank=chance.choice((IRONBARK, SALTBUSH, CURRAWONG)),
        retailer=chance.choice((LYREBIRD, QUOLL)),
        fortnightly_pay=_around(pattern.fortnightly_pay, chance),
        daily_kwh=round(pattern.daily_kwh * chance.uniform(0.7, 1.4), 1),
        bill_months=chance.choice((1, 1, 3)),
    )


def _around(cents: int, chance: Random) -> int:
    return int(cents * chance.uniform(0.85, 1.3))
