"""The book that a life is written into, line by line; records are made from it at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from toolkit.sandbox.world.cast import Person
from toolkit.sandbox.world.chance import dice, digest, digits
from toolkit.sandbox.world.days import business_day

FUEL_CODE, FUEL_HOLD = "5541", 15_000
"""A pump holds this much until the bank knows what was filled."""


@dataclass(frozen=True, slots=True)
class Account:
    """kind: everyday, savings, card, loan or deposit."""

    kind: str
    account_id: str
    bsb: str
    number: str

    @property
    def tail(self) -> str:
        return self.number[-4:]


@dataclass(frozen=True, slots=True)
class Movement:
    """One line on one account; money out is negative. extras: further fields of the record."""

    account: Account
    day: date
    cents: int
    description: str
    type: str
    category: str
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Ledger:
    """All movements of one person from `first` to `today`; later days are left out, they have not happened.

    born: the day the world was told up to at first; what was there before `first` is settled by it and stays.
    """

    person: Person
    seed: int
    first: date
    today: date
    born: date
    accounts: dict[str, Account]
    movements: list[Movement] = field(default_factory=list)

    def write(self, kind: str, day: date, cents: int, description: str, label: tuple[str, str], **extras: Any) -> None:
        """Add a line to the account of that `kind`; label is (type, secondary category)."""
        if self.first <= day <= self.today and kind in self.accounts:
            account = self.accounts[kind]
            self.movements.append(Movement(account, day, cents, description, *label, extras))

    def spend(self, day: date, cents: int, merchant: Merchant, *, kind: str = "everyday") -> None:
        """A purchase of `cents` (> 0) at `merchant`; a refund where negative."""
        verb = "PURCHASE" if cents >= 0 else "REFUND"
        words = f"VISA DEBIT {verb} CARD {self.accounts[kind].tail} {merchant.statement} {self.person.place.state}"
        extras = {"merchant_name": merchant.name, "merchant_category_code": merchant.code}
        self.write(kind, day, -cents, words, ("PAYMENT", merchant.category), **extras)

    def direct_debit(self, day: date, cents: int, merchant: Merchant, *, kind: str = "everyday") -> None:
        """Money taken by an authorised entity on the next business day."""
        extras = {"merchant_name": merchant.name, "apca_number": digits(6, merchant.name), "reference": merchant.code}
        words = f"Direct Debit {extras['apca_number']} {merchant.statement}"
        self.write(kind, business_day(day), -cents, words, ("DIRECT_DEBIT", merchant.category), **extras)

    def bpay(self, day: date, cents: int, merchant: Merchant) -> None:
        crn = digits(10, self.seed, self.person.index, merchant.name)
        extras = {"biller_code": digits(6, merchant.name), "biller_name": merchant.statement, "crn": crn}
        words = f"BPAY {extras['biller_code']} {merchant.statement} {crn}"
        self.write("everyday", day, -cents, words, ("PAYMENT", merchant.category), **extras)


@dataclass(frozen=True, slots=True)
class Merchant:
    """name as people know it, statement as the bank prints it, code: ISO 18245 (or the reference of a debit)."""

    name: str
    statement: str
    category: str
    code: str = ""


def records_of(ledger: Ledger) -> list[dict[str, Any]]:
    """Transaction records in order of day, without the fields that a consent adds."""
    zone = ZoneInfo(ledger.person.place.timezone)
    ordered = sorted(enumerate(ledger.movements), key=lambda item: (item[1].day, item[0]))
    return [_record(ledger, movement, nth, zone) for nth, (_, movement) in enumerate(ordered)]


def _record(ledger: Ledger, movement: Movement, nth: int, zone: ZoneInfo) -> dict[str, Any]:
    extras = dict(movement.extras)
    pending = is_pending(ledger, movement)
    status = "PENDING" if pending else "POSTED"
    is_fuel_hold = pending and extras.get("merchant_category_code") == FUEL_CODE
    primary, secondary = split_category(movement.category)
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
        **_moments(ledger, movement, nth, zone, status),
        "category": {
            "confidence_level": extras.pop("confidence", "VERY_HIGH"),
            "primary_category": primary,
            "secondary_category": secondary,
        },
        **extras,
    }
    return {name: value for name, value in record.items() if value is not None}


def is_pending(ledger: Ledger, movement: Movement) -> bool:
    """Card purchases of the last two days are not booked yet."""
    return movement.day > ledger.today - timedelta(days=2) and "merchant_category_code" in movement.extras


def _moments(ledger: Ledger, movement: Movement, nth: int, zone: ZoneInfo, status: str) -> dict[str, str]:
    """Date-times as banks write them: local with offset, UTC, or a bare date as midnight; pending has no posting.

    Interest paid has a value date only, as some banks give it: such rows are outside any `from` and `to`.
    """
    chance = dice(ledger.seed, ledger.person.index, "moment", nth)
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
    written = midnight if style < 0.15 else _rfc3339(local.astimezone(UTC) if style < 0.4 else local)
    if status == "PENDING":
        return {"execution_date_time": written}
    booked = f"{business_day(movement.day)}T00:00:00Z"
    if booked[:10] > str(ledger.today):
        booked = midnight
    return {"execution_date_time": written, "posting_date_time": booked, "value_date_time": midnight}


def _rfc3339(timestamp: datetime) -> str:
    return timestamp.isoformat(timespec="seconds").replace("+00:00", "Z")


PRIMARIES = (
    "FOOD_AND_DRINK", "RENT_AND_UTILITIES", "SERVICES", "GENERAL_MERCHANDISE", "INCOME", "TRANSFER_IN", "TRANSFER_OUT",
    "LOAN_PAYMENTS", "BANK_FEES", "ENTERTAINMENT", "HOME_IMPROVEMENT", "MEDICAL", "PERSONAL_CARE", "GENERAL_SERVICES",
    "GOVERNMENT_AND_NON_PROFIT", "TRANSPORTATION", "TRAVEL",
)  # fmt: skip


def split_category(secondary: str) -> tuple[str, str]:
    """(primary, secondary): a secondary code starts with its primary."""
    return next(primary for primary in PRIMARIES if secondary.startswith(f"{primary}_")), secondary


def dollars(cents: int) -> str:
    """Cents as the service writes money: `-12.30`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"
