"""Banks, energy retailers and customers of the sandbox. All names are invented."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolkit.sandbox.world.chance import random_stream, uuid
from toolkit.wire import JsonObject

OUTAGE = "OUTAGE"
"""Health of an institution that does not answer; data read from it before is still served."""


@dataclass(frozen=True, slots=True)
class Institution:
    """A bank or an energy retailer."""

    id: str
    name: str
    industry: str
    """banking or energy."""
    priority: int
    health: str = "HEALTHY"
    """Its usual health: HEALTHY, DEGRADED or OUTAGE."""
    is_accessible: bool = True
    """Whether customers can give consents for it."""
    bsb: str = ""
    abn: str = ""

    def as_record(self, health: str) -> JsonObject:
        """Return the record as the service serves it, with its health now."""
        art = f"https://assets.example/{self.id}"
        return {
            "id": self.id,
            "name": self.name,
            "industry": self.industry,
            "icon": f"{art}/icon.svg",
            "logo": f"{art}/logo.svg",
            "is_accessible": self.is_accessible,
            "priority": self.priority,
            "status": {"connections": {"status": health}},
        }


IRONBARK = Institution("70001", "Ironbark Bank", "banking", 1, bsb="938201", abn="61938201555")
SALTBUSH = Institution("70002", "Saltbush Mutual", "banking", 2, bsb="938414", abn="19938414222")
CURRAWONG = Institution("70003", "Currawong Savings", "banking", 3, health="DEGRADED", bsb="938677", abn="44938677901")
LYREBIRD = Institution("80001", "Lyrebird Energy", "energy", 1, abn="83120987654")
QUOLL = Institution("80002", "Quoll Power & Gas", "energy", 2, abn="27120456123")
BILBY = Institution("80003", "Bilby Electric", "energy", 3, health="DEGRADED", is_accessible=False, abn="72120333444")

INSTITUTIONS = (IRONBARK, SALTBUSH, CURRAWONG, LYREBIRD, QUOLL, BILBY)
INSTITUTIONS_BY_ID = {institution.id: institution for institution in INSTITUTIONS}


@dataclass(frozen=True, slots=True)
class Place:
    """A suburb."""

    suburb: str
    postcode: str
    state: str
    timezone: str
    latitude: float
    """Degrees, negative in the south."""
    network: str
    """Electricity distributor."""


MARRICKVILLE = Place("Marrickville", "2204", "NSW", "Australia/Sydney", -33.9, "Ausgrid")
FOOTSCRAY = Place("Footscray", "3011", "VIC", "Australia/Melbourne", -37.8, "Jemena")
CHERMSIDE = Place("Chermside", "4032", "QLD", "Australia/Brisbane", -27.4, "Energex")
PARRAMATTA = Place("Parramatta", "2150", "NSW", "Australia/Sydney", -33.8, "Endeavour Energy")
PLACES = (MARRICKVILLE, FOOTSCRAY, CHERMSIDE, PARRAMATTA)


@dataclass(frozen=True, slots=True)
class Person:
    """One seeded customer."""

    index: int
    persona: str
    name: str
    email: str
    phone: str
    place: Place
    bank: Institution
    retailer: Institution
    fortnightly_pay: int
    """Cents, like all money here."""
    weekly_rent: int
    mortgage: int
    """Monthly repayment in cents; 0 for renters."""
    children: int
    daily_kwh: float
    """Average electricity use per day."""
    tariff: str
    """flat, time_of_use or demand."""
    bill_months: int = 1
    """Months per electricity bill: 1 or 3."""
    controlled_load: bool = False
    panels_kw: float = 0.0
    battery_kwh: float = 0.0
    gas: bool = False
    air_conditioned: bool = True
    five_minute_from_days_ago: int | None = None
    """Age of the five-minute meter in days on the day the world begins; None for half-hour reads throughout."""

    def end_user_id(self, seed: int) -> str:
        """Return the id of the end user who is this person."""
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
GIVEN_NAMES = ("Aisha", "Ben", "Chloe", "Daniel", "Elena", "Finn", "Grace", "Hassan", "Isla", "Jack", "Kirra", "Liam")
FAMILY_NAMES = ("Nguyen", "Walker", "Rossi", "Singh", "Kelly", "Papadopoulos", "Murray", "Chen", "Haddad", "Wilson")


def seeded_people(seed: int, households: int) -> tuple[Person, ...]:
    """Return the three personas in their order, then `households` − 3 others; fewer than three cuts the list."""
    return (*PERSONAS, *(_drawn_person(seed, index) for index in range(3, households)))[:households]


def _drawn_person(seed: int, index: int) -> Person:
    """Vary one of the personas: name, home, institutions, pay, energy use and bills are drawn from the seed."""
    chance = random_stream(seed, "cast", index)
    pattern = chance.choice(PERSONAS)
    given, family = GIVEN_NAMES[index % len(GIVEN_NAMES)], chance.choice(FAMILY_NAMES)
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
        fortnightly_pay=int(pattern.fortnightly_pay * chance.uniform(0.85, 1.3)),
        daily_kwh=round(pattern.daily_kwh * chance.uniform(0.7, 1.4), 1),
        bill_months=chance.choice((1, 1, 3)),
    )
