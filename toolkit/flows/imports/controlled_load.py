"""Whether a meter channel is controlled load: a meter file does not say it, so a person is asked once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import typed_invoices
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import RegisterRow
from toolkit.tables.schema.typed import TypedInvoiceRow

USUAL = "E2"
"""Suffix of most channels of controlled load; of some meters it is a second channel of general use."""
_LOAD = "controlled load"
_METER_TABLES = ("registers", "register_days", "meter_reads")
_NEAR = Decimal("0.01")
"""Share by which a bill's energy may differ from the channel's: bills count some days to the hour of a read."""


@dataclass(frozen=True, slots=True)
class BilledLoad:
    """Controlled load on a bill beside what a channel measured on the same days. Energy in kWh."""

    first: date
    last: date
    """Inclusive."""
    stated: Decimal
    measured: Decimal

    @property
    def agrees(self) -> bool:
        """Return whether the two are the same within 1%."""
        return abs(self.stated - self.measured) <= _NEAR * self.stated


@dataclass(frozen=True, slots=True)
class LoadChannel:
    """A channel of a meter file that may be controlled load."""

    service_point_id: str
    meter_id: str
    register: str
    """Its NMI suffix."""
    is_controlled_load: bool | None
    """None: nobody has said."""
    a_day: Decimal | None
    """Mean of its stored days, kWh; None without interval reads."""
    billed: BilledLoad | None
    """Of the newest bill with controlled load of which the channel has every day."""


def load_channels(ctx: Context) -> tuple[LoadChannel, ...]:
    """Return the channels E2 of meter files beside another channel of the same meter that counts what is bought.

    Raises StoreError where nothing is stored.
    """
    with open_home(ctx) as (store, household):
        said_general = _said_general(household)
        bills = [bill for bill in typed_invoices(store, household.household_id) if bill.fuel == "ELECTRICITY"]
        return tuple(
            _channel(store, register, bills, said_general=_key(register) in said_general)
            for register in _possible(store.load(RegisterRow, household.household_id, where={"source": "file"}))
        )


def set_controlled_load(ctx: Context, channel: LoadChannel, *, is_controlled_load: bool) -> None:
    """Count a channel as controlled load, or as general use, on all stored days and those of files to come."""
    key = (channel.service_point_id, channel.meter_id, channel.register)
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        where = dict(zip(("service_point_id", "meter_id", "register_suffix"), key, strict=True))
        for of_meters in _METER_TABLES:
            store.update(of_meters, {"controlled_load": is_controlled_load}, {"household_id": home, **where})
        general = [other for other in _said_general(household) if other != key]
        general += [] if is_controlled_load else [key]
        stored = json.dumps(sorted(general)) if general else None
        store.update("households", {"general_channels": stored}, {"household_id": home})


def _possible(registers: list[RegisterRow]) -> Iterator[RegisterRow]:
    bought = [each for each in registers if each.direction == "import" and each.unit == "KWH"]
    for register in bought:
        others = [each for each in bought if each.service_point_id == register.service_point_id and each != register]
        if register.register_suffix.upper() == USUAL and others:
            yield register


def _channel(store: Store, register: RegisterRow, bills: list[TypedInvoiceRow], *, said_general: bool) -> LoadChannel:
    where = dict(zip(("service_point_id", "meter_id", "register_suffix"), _key(register), strict=True))
    columns = ("date", "total_nano", "present", "intervals")
    rows = store.read("register_days", register.household_id, where=where, columns=columns).iter_rows()
    days = {day: Decimal(nano).scaleb(-9) for day, nano, present, intervals in rows if present == intervals}
    return LoadChannel(
        *_key(register),
        is_controlled_load=True if register.controlled_load else False if said_general else None,
        a_day=sum(days.values(), Decimal(0)) / len(days) if days else None,
        billed=next(filter(None, (_billed(bill, days) for bill in reversed(bills))), None),
    )


def _billed(bill: TypedInvoiceRow, days: dict[date, Decimal]) -> BilledLoad | None:
    stated = [Decimal(each["quantity"]) for each in json.loads(bill.energy or "[]") if each["register"] == _LOAD]
    span = [bill.period_start + timedelta(n) for n in range((bill.period_end - bill.period_start).days + 1)]
    if not stated or not all(day in days for day in span):
        return None
    return BilledLoad(
        bill.period_start, bill.period_end, sum(stated, Decimal(0)), sum((days[day] for day in span), Decimal(0))
    )


def _said_general(household: HouseholdRow) -> list[tuple[str, str, str]]:
    """Return the channels of which somebody said that they are general use: service point, meter, suffix."""
    return [(point, meter, suffix) for point, meter, suffix in json.loads(household.general_channels or "[]")]


def _key(register: RegisterRow) -> tuple[str, str, str]:
    return register.service_point_id, register.meter_id, register.register_suffix
