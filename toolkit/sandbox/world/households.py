"""A household's records, made when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from threading import Lock
from typing import Any

from toolkit.sandbox.world.cast import Person, cast
from toolkit.sandbox.world.days import history_start
from toolkit.sandbox.world.money import accounts, orders
from toolkit.sandbox.world.money.ledger import Ledger, Merchant, records_of
from toolkit.sandbox.world.money.routine import live, pay_off_card
from toolkit.sandbox.world.money.shopping import shop
from toolkit.sandbox.world.power import home as power

Records = list[dict[str, Any]]


class World:
    """Everyone who lives in the sandbox on `today`, with `years` of history before the day it was `born`.

    The same arguments give the same records, to the byte. Safe to use from several threads.
    """

    def __init__(self, seed: int, today: date, households: int = 3, years: int = 2, born: date | None = None) -> None:
        self.seed, self.today, self.born, self._years = seed, today, born or today, years
        self.first = history_start(self.born, years)
        self.people = cast(seed, households)
        self._households = {person.index: self._household(person) for person in self.people}

    def _household(self, person: Person) -> Household:
        return Household(person, self.seed, self.first, self.today, self.born)

    def on(self, today: date) -> World:
        """The same world later: what was posted, read or billed stays, and the days since are added."""
        return World(self.seed, today, len(self.people), self._years, self.born)

    def records(self, person: Person, resource: str) -> Records:
        """Records of one resource, such as `banking.transactions`, without the fields that a consent adds."""
        household = self._households[person.index]
        return household.banking[resource] if resource.startswith("banking.") else household.energy[resource]


@dataclass
class Household:
    person: Person
    seed: int
    first: date
    today: date
    born: date

    def __post_init__(self) -> None:
        self._lock = Lock()

    @property
    def home(self) -> power.Home:
        with self._lock:
            return self._home

    @cached_property
    def _home(self) -> power.Home:
        return power.home(self.person, self.seed, (self.first, self.today), self.born)

    @cached_property
    def energy(self) -> dict[str, Records]:
        return power.records(self.home)

    @cached_property
    def banking(self) -> dict[str, Records]:
        ledger = self._ledger()
        return {
            "banking.accounts": accounts.account_records(ledger),
            "banking.balances": accounts.balance_records(ledger),
            "banking.transactions": records_of(ledger),
            "banking.payees": orders.payee_records(ledger),
            "banking.scheduled_payments": orders.scheduled_payment_records(ledger),
            "banking.direct_debits": orders.direct_debit_records(ledger),
        }

    def _ledger(self) -> Ledger:
        own = accounts.accounts_of(self.person, self.seed)
        ledger = Ledger(self.person, self.seed, self.first, self.today, self.born, own)
        live(ledger)
        shop(ledger)
        self._pay_bills(ledger)
        pay_off_card(ledger)
        return ledger

    def _pay_bills(self, ledger: Ledger) -> None:
        """Every energy invoice is paid when due, to the cent, by direct debit or BPAY as the retailer books it."""
        name = self.person.retailer.name
        retailer = Merchant(name, name.upper(), "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY", "ENERGY")
        for invoice in self.home.bills:
            pay = ledger.direct_debit if invoice.account.months == 1 else ledger.bpay
            if invoice.amount > 0:
                pay(invoice.due, int(invoice.amount * 100), retailer)
