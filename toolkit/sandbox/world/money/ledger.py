"""The ledger of a person's accounts, and the transaction records made from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from toolkit.sandbox.world.chance import digest, digits, random_stream
from toolkit.sandbox.world.days import business_day
from toolkit.sandbox.world.people import Person
from toolkit.wire import JsonObject

FUEL_CODE, FUEL_HOLD = "5541", 15_000
"""Category code of fuel merchants, and the cents that a pump authorises until the purchase is posted."""


@dataclass(frozen=True, slots=True)
class Account:
    """A bank account."""

    kind: str
    """everyday, savings, card, loan or deposit."""
    account_id: str
    bsb: str
    number: str

    @property
    def tail(self) -> str:
        """Return the last four digits."""
        return self.number[-4:]


@dataclass(frozen=True, slots=True)
class Movement:
    """One line on one account."""

    account: Account
    day: date
    cents: int
    """Negative for money out."""
    description: str
    type: str
    category: str
    """Secondary category."""
    extras: JsonObject = field(default_factory=dict)
    """Further fields of the record."""


@dataclass
class Ledger:
    """All movements of one person from `first` to `today`; `write` ignores other days."""

    person: Person
    seed: int
    first: date
    today: date
    born: date
    """Day on which the world began; opening balances depend on it, so that they do not change later."""
    accounts: dict[str, Account]
    """By kind."""
    movements: list[Movement] = field(default_factory=list)

    def write(self, kind: str, day: date, cents: int, description: str, label: tuple[str, str], **extras: Any) -> None:
        """Add a line to the account of that kind, if there is one.

        label: (type, secondary category). extras: further fields of the record.
        """
        if self.first <= day <= self.today and kind in self.accounts:
            account = self.accounts[kind]
            self.movements.append(Movement(account, day, cents, description, *label, extras))

    def spend(self, day: date, cents: int, merchant: Merchant, *, kind: str = "everyday") -> None:
        """Write a card purchase at a merchant; a refund if `cents` is negative."""
        verb = "PURCHASE" if cents >= 0 else "REFUND"
        words = f"VISA DEBIT {verb} CARD {self.accounts[kind].tail} {merchant.statement} {self.person.place.state}"
        extras = {"merchant_name": merchant.name, "merchant_category_code": merchant.code}
        self.write(kind, day, -cents, words, ("PAYMENT", merchant.category), **extras)

    def direct_debit(self, day: date, cents: int, merchant: Merchant, *, kind: str = "everyday") -> None:
        """Write a direct debit on the day or the next business day."""
        extras = {"merchant_name": merchant.name, "apca_number": digits(6, merchant.name), "reference": merchant.code}
        words = f"Direct Debit {extras['apca_number']} {merchant.statement}"
        self.write(kind, business_day(day), -cents, words, ("DIRECT_DEBIT", merchant.category), **extras)

    def bpay(self, day: date, cents: int, merchant: Merchant) -> None:
        """Write a BPAY payment from the everyday account."""
        crn = digits(10, self.seed, self.person.index, merchant.name)
        extras = {"biller_code": digits(6, merchant.name), "biller_name": merchant.statement, "crn": crn}
        words = f"BPAY {extras['biller_code']} {merchant.statement} {crn}"
        self.write("everyday", day, -cents, words, ("PAYMENT", merchant.category), **extras)


@dataclass(frozen=True, slots=True)
class Merchant:
    """A shop, biller or other payee."""

    name: str
    """As people know it."""
    statement: str
    """As the bank prints it."""
    category: str
    """Secondary category of its transactions."""
    code: str = ""
    """Category code (ISO 18245); of direct debits the reference."""


def transaction_records(ledger: Ledger) -> list[JsonObject]:
    """Return transaction records in order of day, without the fields that a consent adds."""
    zone = ZoneInfo(ledger.person.place.timezone)
    ordered = sorted(enumerate(ledger.movements), key=lambda item: (item[1].day, item[0]))
    return [_record(ledger, movement, nth, zone) for nth, (_, movement) in enumerate(ordered)]


def _record(ledger: Ledger, movement: Movement, nth: int, zone: ZoneInfo) -> JsonObject:
    extras = dict(movement.extras)
    pending = is_pending(ledger, movement)
    status = "PENDING" if pending else "POSTED"
    is_fuel_hold = pending and extras.get("merchant_category_code") == FUEL_CODE
    record = {
        "account_id": movement.account.account_id,
        "transaction_id": digest(ledger.seed, ledger.person.index, status, nth, size=10),
        "status": status,
        "type": movement.type,
        "amount": dollars(-FUEL_HOLD if is_fuel_hold else movement.cents),
        "currency": extras.pop("currency", "AUD"),
        "description": movement.description,
        "reference": extras.pop("reference", ""),
        "is_detail_available": "extended_data" in extras,
        **_date_times(ledger, movement, nth, zone, status),
        "category": {
            "confidence_level": extras.pop("confidence", "VERY_HIGH"),
            "primary_category": next(name for name in PRIMARIES if movement.category.startswith(f"{name}_")),
            "secondary_category": movement.category,
        },
        **extras,
    }
    return {name: value for name, value in record.items() if value is not None}


def is_pending(ledger: Ledger, movement: Movement) -> bool:
    """Return whether a movement is not posted yet: card purchases of the last two days."""
    return movement.day > ledger.today - timedelta(days=2) and "merchant_category_code" in movement.extras


def _date_times(ledger: Ledger, movement: Movement, nth: int, zone: ZoneInfo, status: str) -> dict[str, str]:
    """Write date-times as banks do: local with offset, in UTC, or a date as midnight UTC. Pending rows have no posting.

    Interest paid has a value date only, as at some banks: such rows are outside any `from` and `to`.
    """
    # The name of the stream is part of the seed: another name would give other times.
    chance = random_stream(ledger.seed, ledger.person.index, "moment", nth)
    timestamp = datetime.combine(
        movement.day, time(chance.randint(7, 21), chance.randint(0, 59), chance.randint(1, 59))
    )
    local = timestamp.replace(tzinfo=zone)
    midnight = f"{movement.day}T00:00:00Z"
    style = chance.random()
    if movement.type == "INTEREST_PAID":
        return {"value_date_time": midnight}
    if movement.type != "PAYMENT":
        return {"posting_date_time": midnight, "value_date_time": midnight}
    shown = local.astimezone(UTC) if style < 0.4 else local
    executed = midnight if style < 0.15 else shown.isoformat(timespec="seconds").replace("+00:00", "Z")
    if status == "PENDING":
        return {"execution_date_time": executed}
    posted = f"{business_day(movement.day)}T00:00:00Z"
    if posted[:10] > str(ledger.today):
        posted = midnight
    return {"execution_date_time": executed, "posting_date_time": posted, "value_date_time": midnight}


PRIMARIES = (
    "FOOD_AND_DRINK", "RENT_AND_UTILITIES", "SERVICES", "GENERAL_MERCHANDISE", "INCOME", "TRANSFER_IN", "TRANSFER_OUT",
    "LOAN_PAYMENTS", "BANK_FEES", "ENTERTAINMENT", "HOME_IMPROVEMENT", "MEDICAL", "PERSONAL_CARE", "GENERAL_SERVICES",
    "GOVERNMENT_AND_NON_PROFIT", "TRANSPORTATION", "TRAVEL",
)  # fmt: skip


def dollars(cents: int) -> str:
    """Write cents as the service writes money: `-12.30`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"
