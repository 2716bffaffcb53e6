"""Households whose money is known for two years: every row with its payee, series and transfer. Nothing of the toolkit.

A household is made from a seed: a couple or one person, at one bank or two, who rent or have a home loan, with a card
or without, whose data comes from the service or from files. Descriptions are written as banks write them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random

FIRST, LAST = date(2024, 1, 1), date(2026, 3, 31)
SUBURBS = (
    *("NEWTOWN", "PARRAMATTA", "GEELONG", "FITZROY", "TOOWOOMBA", "CHATSWOOD", "DANDENONG", "MARRICKVILLE", "DEE WHY"),
    *("KINGS LANGLEY", "CRAIGIEBURN", "NARRE WARREN", "MT DRUITT", "ST LEONARDS", "KEW EAST", "NORTH RYDE", "BOX HILL"),
    *("POINT COOK", "BELLA VISTA", "ROUSE HILL", "TUGGERAH", "COFFS HARBOUR", "PORT MACQUARIE", "BROOKVALE", "DUBBO"),
    *("BONDI JUNCTIO", "INDOOROOPILLY", "MOUNT GRAVATT", "CARINDALE", "ROBINA", "WERRIBEE", "BALLARAT", "BENDIGO"),
)
STATES = ("NSW", "VIC", "QLD")
TUNING, JUDGING = range(100, 112), range(500, 520)
"""Seeds for trying things out, and others for judging."""

DECEMBER, QUIET = 1.35, 0.9

SHOPS = (
    # payee, words on the statement, how often a week, usual cents
    ("Woolworths", ("WOOLWORTHS {n}", "WOOLWORTHS/{n}"), 1.3, 9500),
    ("Coles", ("COLES {n}", "COLES SUPERMARKETS {n}"), 0.9, 7200),
    ("Aldi", ("ALDI STORES - {suburb}", "ALDI STORES"), 0.5, 6100),
    ("Bakers Delight", ("BAKERS DELIGHT {suburb}",), 0.6, 1250),
    ("Little Magpie", ("SQ *LITTLE MAGPIE", "LITTLE MAGPIE CAFE"), 1.8, 560),
    ("Guzman y Gomez", ("GUZMAN Y GOMEZ {suburb}", "GYG {suburb}"), 0.3, 2400),
    ("BP", ("BP EXPRESS {n}", "BP {suburb} {n}"), 0.4, 7400),
    ("Ampol", ("AMPOL FOODARY {n}", "AMPOL {suburb}"), 0.3, 6900),
    ("Chemist Warehouse", ("CHEMIST WAREHOUSE {n}", "CHEMIST WAREHOUSE"), 0.25, 3600),
    ("Kmart", ("KMART {n}", "KMART"), 0.25, 5200),
    ("Bunnings", ("BUNNINGS {n}", "BUNNINGS WAREHOUSE"), 0.25, 8300),
    ("JB Hi-Fi", ("JB HI FI {suburb}", "JB HI-FI"), 0.05, 21000),
    ("Uber", ("UBER *TRIP", "UBER *TRIP HELP.UBER.COM"), 0.5, 2300),
    ("Dan Murphy's", ("DAN MURPHYS {n}", "DAN MURPHY'S {suburb}"), 0.2, 5800),
    ("Salt Hair Studio", ("SALT HAIR STUDIO",), 0.12, 8500),
    ("Opal", ("TRANSPORTFORNSW OPAL", "TRANSPORT FOR NSW-OPAL"), 0.7, 1600),
)
PAY_WORDS = (
    ("DIRECT CREDIT 458106 {employer} SALARY", "Salary {employer}"),
    ("DIRECT CREDIT 302169 {employer} PAY", "PAY {employer}"),
    ("DIRECT CREDIT 458106 {employer}", "{employer}"),
)
"""How employers write pay: those of a household always in the same of these ways."""
CARS = ("ASHFIELD TYRE CENTRE", "PETERSHAM MOTORS", "CITY SMASH REPAIRS")


@dataclass(frozen=True)
class Account:
    """An account of a household. owed: a card or loan."""

    name: str
    number: str
    kind: str
    person: int
    bank: str


@dataclass
class Movement:
    """A row. payee: who was paid or paid, None for transfers. series: its recurring series. pair: of a transfer."""

    account: Account
    day: date
    cents: int
    text: str
    payee: str | None = None
    series: str | None = None
    pair: int | None = None


@dataclass(frozen=True)
class Series:
    """A recurring payment that is true. days: all that were made."""

    key: str
    payee: str
    cadence: str
    days: tuple[date, ...]
    cents: tuple[int, ...]


@dataclass
class Household:
    """A household and everything that is true of it."""

    seed: int
    people: tuple[str, ...]
    accounts: dict[str, Account]
    service: bool
    opening: dict[str, int] = field(default_factory=dict)
    movements: list[Movement] = field(default_factory=list)
    paid: dict[str, list[tuple[date, int]]] = field(default_factory=dict)
    about: dict[str, tuple[str, str]] = field(default_factory=dict)

    def series(self, today: date, *, going_on: bool = True) -> list[Series]:
        """Return the series with payments up to a day, enough to be seen, that also go on after it."""
        found = []
        for key, rows in self.paid.items():
            payee, cadence = self.about[key]
            before = [row for row in rows if row[0] <= today]
            after = [row for row in rows if row[0] > today]
            if len(before) >= LEAST[cadence] and (after or not going_on):
                days, cents = zip(*before, strict=True)
                found.append(Series(key, payee, cadence, days, cents))
        return found

    def balance(self, account: Account, day: date) -> int:
        """Return the cents at the end of a day."""
        moved = sum(row.cents for row in self.movements if row.account == account and row.day <= day)
        return self.opening[account.name] + moved


LEAST = {"weekly": 4, "fortnightly": 3, "monthly": 3, "quarterly": 3, "half-yearly": 3, "yearly": 2}
STEPS = {"weekly": 7, "fortnightly": 14}
MONTHS = {"monthly": 1, "quarterly": 3, "half-yearly": 6, "yearly": 12}


def household(seed: int) -> Household:
    """Make a household."""
    chance = Random(seed)
    couple, owner, card = seed % 3 > 0, seed % 2 == 0, seed % 4 > 0
    people = tuple(f"{first} {last}" for first, last in _names(chance, 2 if couple else 1))
    accounts = _accounts(chance, couple=couple, owner=owner, card=card, two_banks=seed % 5 > 1)
    home = Household(seed, people, accounts, service=seed % 2 == 1)
    made = _Maker(home, chance)
    made.regular(owner=owner, couple=couple)
    made.shopping(couple=couple)
    made.transfers(owner=owner, couple=couple)
    made.decoys()
    home.movements.sort(key=lambda row: (row.day, row.account.name, row.text, row.cents))
    for account in accounts.values():
        low = total = 0
        for row in home.movements:
            total += row.cents if row.account == account else 0
            low = min(low, total)
        home.opening[account.name] = {"card": 0, "loan": -45_000_000}.get(account.kind, 150_000 - low)
    return home


def _names(chance: Random, count: int) -> list[tuple[str, str]]:
    last = chance.choice(("NGUYEN", "SMITH", "KOWALSKI", "O'BRIEN", "PATEL"))
    return list(zip(chance.sample(("ANNA", "LIAM", "PRIYA", "TOM", "MEI", "JACK"), count), [last] * count, strict=True))


def _accounts(chance: Random, *, couple: bool, owner: bool, card: bool, two_banks: bool) -> dict[str, Account]:
    kinds = [("everyday", "everyday", 0), ("savings", "savings", 0)]
    kinds += [("card", "card", 0)] if card else []
    kinds += [("loan", "loan", 0)] if owner else []
    kinds += [("partner", "everyday", 1), ("joint", "everyday", 0)] if couple else []
    made = {}
    for name, kind, person in kinds:
        bank = "second" if two_banks and (person == 1 or name == "card") else "first"
        made[name] = Account(name, f"{chance.randrange(10**8, 10**9)}", kind, person, bank)
    return made


class _Maker:
    """Write the rows of one household."""

    def __init__(self, home: Household, chance: Random) -> None:
        self.home, self.chance = home, chance
        self.pairs = 0
        self.state = chance.choice(STATES)

    def write(self, account: str, day: date, cents: int, text: str, payee: str, series: str | None = None) -> None:
        if FIRST <= day <= LAST:
            row = Movement(self.home.accounts[account], day, cents, text, payee, series)
            self.home.movements.append(row)
            if series:
                self.home.paid.setdefault(series, []).append((day, cents))

    # ---- what comes again

    def series(
        self, account: str, payee: str, cadence: str, cents: int, texts: tuple[str, ...], *, first: date | None = None,
        until: date = LAST, vary: float = 0.0, rise: float = 0.0, weekday: bool = True, jitter: int = 0,
        miss: bool = False,
    ) -> None:  # fmt: skip
        """Write a series; on weekends it moves to Monday (out) or Friday (in). rise: of the price, each January."""
        chance, key = self.chance, f"{payee} {cadence} {account}"
        start = first or FIRST + timedelta(days=chance.randrange(28))
        self.home.about[key] = (payee, cadence)
        place, price = 0, cents
        missed = chance.randrange(8, 12) if miss else -1
        while True:
            day = _step(start, cadence, place)
            if day > min(until, LAST):
                return
            if place and day.month == 1 and _step(start, cadence, place - 1).month != 1 and rise:
                price = round(price * (1 + rise) / 10) * 10 - 1 if cents < 0 else round(price * (1 + rise))
            amount = round(price * chance.uniform(1 - vary, 1 + vary)) if vary else price
            when = day + timedelta(days=chance.randrange(jitter + 1))
            if weekday and when.weekday() >= 5:
                when += timedelta(days=7 - when.weekday()) if cents < 0 else timedelta(days=4 - when.weekday())
            if place != missed:
                text = chance.choice(texts).format(n=chance.randrange(10**5, 10**6), suburb="", date=f"{when:%d/%m}")
                self.write(account, when, amount, text, payee, key)
            place += 1

    def regular(self, *, owner: bool, couple: bool) -> None:
        """Write pay, bills and subscriptions."""
        chance = self.chance
        card = "card" if "card" in self.home.accounts else "everyday"
        bills = "joint" if couple else "everyday"
        wage = chance.randrange(210_000, 420_000)
        employer = chance.choice(("KOALA LOGISTICS PTY LTD", "DEPT OF EDUCATION", "WATTLE HEALTH SERVICE"))
        words = PAY_WORDS[self.home.seed % len(PAY_WORDS)]
        self.series("everyday", employer, "fortnightly", wage, tuple(text.format(employer=employer) for text in words),
                    first=date(2024, 1, 4 if self.home.seed % 2 else 11), rise=0.03)  # fmt: skip
        if couple:
            self.series("partner", "GUM TREE CAFE GROUP", "monthly", chance.randrange(300_000, 520_000),
                        ("PAY GUM TREE CAFE GROUP WAGES",), first=date(2024, 1, 15))  # fmt: skip
        if not owner:
            rent = 2 * chance.randrange(45_000, 75_000)
            self.series(
                bills,
                "Ray White",
                "fortnightly",
                -rent,
                ("Osko Withdrawal RAY WHITE rent", "TRANSFER TO RAY WHITE RENT"),
            )
        for payee, cents, texts in (
            ("Netflix", 1899, ("NETFLIX.COM MELBOURNE", "NETFLIX.COM")),
            ("Spotify", 1399, ("Spotify P{n} Sydney", "SPOTIFY P{n}")),
            ("Disney Plus", 1599, ("DISNEY PLUS", "DISNEY PLUS SYDNEY")),
            ("Audible", 1645, ("AUDIBLE AU", "AUDIBLE AU AUDIBLE.COM.AU")),
            ("iCloud", 449, ("APPLE.COM/BILL SYDNEY",)),
            ("New York Times", 2000, ("NYTIMES*NYTIMES",)),
        ):  # fmt: skip
            if chance.random() < 0.75:
                until = LAST if chance.random() < 0.7 else date(2025, chance.randrange(2, 10), 20)
                self.series(
                    card,
                    payee,
                    "monthly",
                    -cents,
                    texts,
                    rise=chance.choice((0.0, 0.08, 0.12)),
                    until=until,
                    weekday=False,
                )
        regular = (
            ("Telstra", "monthly", 6500, ("DIRECT DEBIT {n} TELSTRA", "TELSTRA CORP DIRECT DEBIT"), 0.0),
            ("Aussie Broadband", "monthly", 7900, ("AUSSIE BROADBAND MORWELL", "DIRECT DEBIT AUSSIE BROADBAND"), 0.0),
            ("Anytime Fitness", "fortnightly", 3790, ("ANYTIME FITNESS {n}", "DIRECT DEBIT ANYTIME FITNESS"), 0.0),
            ("Bupa", "monthly", chance.randrange(18_000, 42_000),
             ("BUPA AUSTRALIA HEALTH INSURANCE", "BUPA AUSTRALIA"), 0.0),
            ("AGL", "quarterly", chance.randrange(28_000, 60_000), ("BPAY AGL SALES {n}", "AGL SALES PTY LTD"), 0.3),
            ("Sydney Water", "quarterly", 24_500, ("BPAY SYDNEY WATER {n}", "SYDNEY WATER"), 0.15),
            ("NRMA Insurance", "yearly", 98_000, ("NRMA INSURANCE DIRECT DEBIT", "NRMA INSURANCE"), 0.05),
            ("Service NSW", "yearly", 43_200, ("SERVICE NSW REGO RENEWAL", "SERVICE NSW RMS REGISTRATION"), 0.03),
            ("RSPCA", "monthly", 3000, ("DIRECT DEBIT RSPCA DONATION", "RSPCA NSW"), 0.0),
            ("Headspace Annual", "yearly", 9999, ("HEADSPACE ANNUAL SUBSCRIPTION",), 0.0),
            ("Goodstart", "weekly", 14_400, ("DIRECT DEBIT {n} GOODSTART EARLY LEARNING",), 0.0),
            ("Dental Plan", "half-yearly", 22_000, ("SMILES DENTAL MEMBERSHIP",), 0.0),
            ("Lawn and Order", "fortnightly", 6000, ("LAWN AND ORDER GARDENING",), 0.0),
        )  # fmt: skip
        for payee, cadence, cents, texts, vary in regular:
            if chance.random() < 0.8:
                begun = date(2024, 1, 1) + timedelta(days=chance.randrange(80 if MONTHS.get(cadence, 0) > 2 else 28))
                self.series(bills, payee, cadence, -cents, texts, first=begun, vary=vary, miss=chance.random() < 0.1)
        if owner:
            self.series(
                bills,
                "Inner West Council",
                "quarterly",
                -41_000,
                ("BPAY INNER WEST COUNCIL {n}", "INNER WEST COUNCIL RATES"),
            )

    # ---- what is bought

    def shopping(self, *, couple: bool) -> None:
        """Write shopping: each shop at its own rate, more in December, with what banks put around a name."""
        chance = self.chance
        account = "card" if "card" in self.home.accounts else "everyday"
        scale = (1.5 if couple else 1.0) * chance.uniform(0.7, 1.3)
        level = 1.0
        day = FIRST
        while day <= LAST:
            if day.weekday() == 0:
                level = min(1.5, max(0.6, 1 + 0.8 * (level - 1) + chance.gauss(0, 0.08)))
            season = DECEMBER if day.month == 12 else QUIET if day.month == 2 else 1.0
            for payee, texts, rate, usual in SHOPS:
                if chance.random() < rate / 7 * scale * level * season:
                    cents = max(100, round(chance.lognormvariate(0, 0.45) * usual))
                    used = account if not couple or chance.random() < 0.7 else "partner"
                    self.write(used, day, -cents, self.statement(texts, day), payee)
                    if chance.random() < 0.01:
                        self.write(used, day + timedelta(days=5), cents, f"REFUND {self.statement(texts, day)}", payee)
            if chance.random() < 1 / 150:
                name = chance.choice(CARS)
                self.write("everyday", day, -chance.randrange(25_000, 140_000), f"EFTPOS PURCHASE {name}", name)
            if chance.random() < 1 / 40:
                self.write("everyday", day, -chance.choice((5000, 10000, 20000)), f"WDL ATM CBA {self.suburb()}", "ATM")
            day += timedelta(days=1)

    def suburb(self) -> str:
        return self.chance.choice(SUBURBS)

    def statement(self, texts: tuple[str, ...], day: date) -> str:
        chance = self.chance
        name = chance.choice(texts).format(n=f"{chance.randrange(1000, 9999)}", suburb=self.suburb())
        name = " ".join(name.split())
        where = "" if "suburb" in name or chance.random() < 0.3 else f" {self.suburb()}"
        return chance.choice(
            (
                f"VISA DEBIT PURCHASE CARD 0500 {name}{where} {self.state}",
                f"{name}{where} {self.state} AU",
                f"EFTPOS WDL {name}{where}",
                f"{name}{where} {self.state} AUS Card xx4417 Value Date: {day:%d/%m/%Y}",
                f"V0500 {day:%d/%m} {name}{where}",
            )
        )

    # ---- between own accounts

    def transfers(self, *, owner: bool, couple: bool) -> None:
        """Write transfers with both legs, in the words of the banks, up to two days apart."""
        chance, accounts = self.chance, self.home.accounts
        for place, day in enumerate(_every(date(2024, 1, 5), 14)):
            self.move("everyday", "savings", day, chance.choice((20_000, 30_000, 45_000)), "savings")
            if couple and place % 2 == 0:
                self.move("partner", "joint", day, 140_000, "bills")
            if couple:
                self.move("everyday", "joint", day + timedelta(days=1), 120_000, "household")
        for day in _every(date(2024, 2, 20), 61):
            self.move("savings", "everyday", day, chance.choice((30_000, 50_000, 80_000)), "top up")
        if "card" in accounts:
            for month in range(1, 27):
                first = date(2024 + month // 12, month % 12 + 1, 1)
                spent = -sum(
                    r.cents for r in self.home.movements if r.account.name == "card" and _last_month(r.day, first)
                )
                if spent > 0:
                    self.move("everyday", "card", _business(first + timedelta(days=17)), spent, "card")
        if owner:
            for month in range(27):
                day = _business(date(2024 + month // 12, month % 12 + 1, 15))
                self.move("everyday", "loan", day, 318_540, "loan")
                end = (date(2024 + month // 12, month % 12 + 1, 28) + timedelta(days=4)).replace(day=1) - timedelta(
                    days=1
                )
                self.write("loan", end, -(223_000 - 300 * month), "INTEREST CHARGED", "Bank")
                key = "Home loan monthly everyday"
                self.home.about[key] = ("Home loan", "monthly")
                self.home.paid.setdefault(key, []).append((day, -318_540))

    def move(self, source: str, target: str, day: date, cents: int, why: str) -> None:
        one, two = self.home.accounts[source], self.home.accounts[target]
        later = day + timedelta(days=self.chance.choice((0, 0, 0, 1, 2)) if one.bank != two.bank else 0)
        if later > LAST:
            return
        out, into = self.words(one, two, why)
        self.pairs += 1
        self.home.movements.append(Movement(one, day, -cents, out, pair=self.pairs))
        self.home.movements.append(Movement(two, later, cents, into, pair=self.pairs))

    def words(self, one: Account, two: Account, why: str) -> tuple[str, str]:
        chance = self.chance
        if why == "loan":
            return chance.choice(
                ((f"HOME LOAN REPAYMENT {two.number}", "LOAN REPAYMENT RECEIVED"), ("HOME LOAN REPAYMENT", "REPAYMENT"))
            )
        if why == "card":
            return (f"CREDIT CARD PAYMENT XX{two.number[-4:]}", "PAYMENT RECEIVED THANK YOU")
        if one.bank != two.bank:
            name = self.home.people[two.person]
            return (f"Osko Payment To {name} {why}", f"Osko Deposit From {self.home.people[one.person]}")
        return chance.choice(
            (
                (f"Transfer to xx{two.number[-4:]} CommBank app {why}",
                 f"Transfer from xx{one.number[-4:]} CommBank app {why}"),
                (f"TFR WDL BPAY INTERNET TO {two.number}", f"INTERNET TRANSFER FROM {one.number}"),
                (f"INTERNET BANKING FUNDS TFER TRANSFER {chance.randrange(10**5, 10**6)} TO {two.number}",
                 f"INTERNET BANKING FUNDS TFER TRANSFER {chance.randrange(10**5, 10**6)} FROM {one.number}"),
            )
        )  # fmt: skip

    def decoys(self) -> None:
        """Write what looks like a transfer and is none: friends, and equal amounts by chance."""
        for day in _every(date(2024, 1, 20), 23):
            friend = self.chance.choice(("SAM CARTER", "JO WILLIAMS", "R SINGH"))
            cents = self.chance.choice((2000, 4000, 5000, 20_000))
            out = self.chance.random() < 0.5
            words = f"Osko Payment To {friend} dinner" if out else f"Osko Deposit From {friend} thanks"
            self.write("everyday", day, -cents if out else cents, words, friend)


def _step(start: date, cadence: str, place: int) -> date:
    if cadence in STEPS:
        return start + timedelta(days=STEPS[cadence] * place)
    year, month = divmod(start.month - 1 + MONTHS[cadence] * place, 12)
    return date(start.year + year, month + 1, min(start.day, 28))


def _every(first: date, days: int) -> list[date]:
    return [first + timedelta(days=n) for n in range(0, (LAST - first).days + 1, days)]


def _business(day: date) -> date:
    return day + timedelta(days=7 - day.weekday()) if day.weekday() >= 5 else day


def _last_month(day: date, first: date) -> bool:
    return (day.year, day.month) == ((first - timedelta(days=1)).year, (first - timedelta(days=1)).month)


def csv(home: Household, account: Account, today: date) -> str:
    """Return a bank's export of one account up to a day: at the second bank with the account's number, else without."""
    rows = [row for row in home.movements if row.account == account and row.day <= today]
    balance, lines = home.opening[account.name], []
    for row in rows:
        balance += row.cents
        text = row.text.replace(",", " ")
        written = f"{Decimal(row.cents) / 100:.2f}", f"{Decimal(balance) / 100:.2f}"
        if account.bank == "first":
            lines.append(f'{row.day:%d/%m/%Y},"{written[0]}","{text}","{written[1]}"')
        else:
            debit, credit = (written[0].lstrip("-"), "") if row.cents < 0 else ("", written[0])
            lines.append(f"{account.number},{row.day:%d/%m/%Y},{text},{debit},{credit},{written[1]},OTHER,")
    head = (
        []
        if account.bank == "first"
        else ["Bank Account,Date,Narrative,Debit Amount,Credit Amount,Balance,Categories,Serial"]
    )
    return "\n".join([*head, *lines, ""])
