"""The world of the sandbox, and the records of each household, made on first use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from threading import Lock

from toolkit.sandbox.world.days import history_start
from toolkit.sandbox.world.money import accounts, orders
from toolkit.sandbox.world.money.ledger import Ledger, Merchant, transaction_records
from toolkit.sandbox.world.money.routine import pay_off_card, write_routine
from toolkit.sandbox.world.money.shopping import write_shopping
from toolkit.sandbox.world.people import Person, seeded_people
from toolkit.sandbox.world.power import home as power
from toolkit.wire import JsonObject

Records = list[JsonObject]


class World:
    """All households of the sandbox on the day `today`.

    History begins `years` before the day `born` (today if None). The same arguments give the same records, to the
    byte. Safe to use from several threads.
    """

    def __init__(self, seed: int, today: date, households: int = 3, years: int = 2, born: date | None = None) -> None:
        self.seed, self.today, self.born, self._years = seed, today, born or today, years
        self.first = history_start(self.born, years)
        self.people = seeded_people(seed, households)
        self._households = {
            person.index: Household(person, seed, self.first, today, self.born) for person in self.people
        }

    def on(self, today: date) -> World:
        """Return the same world on a later day: what was posted, read or billed stays, and the days since are added."""
        return World(self.seed, today, len(self.people), self._years, self.born)

    def records(self, person: Person, resource: str) -> Records:
        """Return the records of a resource, such as `banking.transactions`, without the fields that a consent adds."""
        household = self._households[person.index]
        return household.banking[resource] if resource.startswith("banking.") else household.energy[resource]


@dataclass
class Household:
    """One person's accounts and home."""

    person: Person
    seed: int
    first: date
    """First day of the history."""
    today: date
    born: date
    """Day on which the world began."""

    def __post_init__(self) -> None:
        self._lock = Lock()

    @property
    def home(self) -> power.Home:
        """Return the home, generated once even if two threads ask at the same time."""
        with self._lock:
            return self._home

    @cached_property
    def _home(self) -> power.Home:
        return power.generate_home(self.person, self.seed, (self.first, self.today), self.born)

    @cached_property
    def energy(self) -> dict[str, Records]:
        """Return the energy records by resource."""
        return power.energy_records(self.home)

    @cached_property
    def banking(self) -> dict[str, Records]:
        """Return the banking records by resource."""
        own = accounts.accounts_of(self.person, self.seed)
        ledger = Ledger(self.person, self.seed, self.first, self.today, self.born, own)
        write_routine(ledger)
        write_shopping(ledger)
        self._pay_energy_bills(ledger)
        pay_off_card(ledger)
        return {
            "banking.accounts": accounts.account_records(ledger),
            "banking.balances": accounts.balance_records(ledger),
            "banking.transactions": transaction_records(ledger),
            "banking.payees": orders.payee_records(ledger),
            "banking.scheduled_payments": orders.scheduled_payment_records(ledger),
            "banking.direct_debits": orders.direct_debit_records(ledger),
        }

    def _pay_energy_bills(self, ledger: Ledger) -> None:
        """Pay every energy invoice when due, to the cent; monthly bills by direct debit, others by BPAY."""
        name = self.person.retailer.name
        retailer = Merchant(name, name.upper(), "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY", "ENERGY")
        for invoice in self.home.bills:
            pay = ledger.direct_debit if invoice.account.months == 1 else ledger.bpay
            if invoice.amount > 0:
                pay(invoice.due, int(invoice.amount * 100), retailer)
