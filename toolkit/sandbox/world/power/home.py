"""One person's energy: accounts with plans, meters, reads and invoices that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from toolkit.sandbox.biller import Series, Span, series
from toolkit.sandbox.world.chance import digest, digits, random_stream
from toolkit.sandbox.world.days import add_months, every
from toolkit.sandbox.world.people import Person
from toolkit.sandbox.world.power import invoices, plans, points
from toolkit.sandbox.world.power.former_plan import former_plan
from toolkit.sandbox.world.power.meters import LAG_DAYS, Register, registers_of, usage_records
from toolkit.wire import JsonObject

FAR = date(9999, 12, 31)
"""Last day of a contract without an end."""
ROLES = {"E1": "general", "E2": "controlled", "B1": "export"}
"""What the biller calls the reads of each register suffix."""
Records = list[JsonObject]


GAS_MONTHS = 2
"""Between two reads of a gas meter, and two bills."""


@dataclass(frozen=True, slots=True)
class GasRead:
    """One read of a gas meter."""

    span: Span
    megajoules: int


@dataclass(frozen=True, slots=True)
class Home:
    """Energy of one person; `energy_records` makes records of it."""

    person: Person
    seed: int
    first: date
    today: date
    registers: tuple[Register, ...]
    gas_reads: tuple[GasRead, ...]
    accounts: tuple[invoices.Account, ...]
    bills: tuple[invoices.Invoice, ...]


def generate_home(person: Person, seed: int, span: tuple[date, date], born: date) -> Home:
    """Generate reads and invoices.

    span: first day and today. born: the day from which the change of the meter is counted back.
    """
    first, today = span
    registers = registers_of(person, seed, span, born)
    gas = _gas_reads(person, seed, first, today) if person.gas else ()
    accounts = [_account(person, seed, (first, today), "electricity")]
    accounts += [_account(person, seed, (first, today), "gas")] if person.gas else []
    bills = []
    for account in accounts:
        meter = _gas_meter(gas) if account.fuel == "gas" else _meter(person, registers, account)
        bills += invoices.invoices_of(account, meter, first, today)
    return Home(person, seed, first, today, registers, gas, tuple(accounts), tuple(bills))


def _account(person: Person, seed: int, span: tuple[date, date], fuel: str) -> invoices.Account:
    number = points.mirn(person, seed) if fuel == "gas" else points.nmi(person, seed)
    contracts = tuple(
        (
            Span(start, end or FAR),
            plans.gas_contract(start) if fuel == "gas" else plans.electricity_contract(person, start),
        )
        for start, end in plans.plan_years(*span)
    )
    name = (seed, "energy", fuel, person.index)
    months = GAS_MONTHS if fuel == "gas" else person.bill_months
    point = points.service_point_id(number)
    return invoices.Account(f"energy-{digest(*name)}", point, digits(9, *name), fuel, months, contracts)


def _meter(person: Person, registers: tuple[Register, ...], account: invoices.Account) -> dict[str, Series]:
    """Return the reads that are served, on the clock of the plan."""
    local = account.plans[0][1].get("time_zone") == "LOCAL"
    zone = person.place.timezone if local else None
    return {
        ROLES[register.suffix]: series(
            (
                (stretch.day(nth), stretch.minutes, stretch.wh[nth])
                for stretch in register.stretches
                for nth in range(len(stretch.wh))
                if stretch.day(nth) not in register.missing
            ),
            zone,
        )
        for register in registers
    }


def _gas_reads(person: Person, seed: int, first: date, today: date) -> tuple[GasRead, ...]:
    """Generate reads on the days that bills end, every two months from January; higher in winter."""
    chance = random_stream(seed, "gas", person.index)
    reads = []
    whole = invoices.first_period(first, GAS_MONTHS)
    for start in ([first] if first < whole else []) + list(every(whole, today, months=GAS_MONTHS)):
        last = min(add_months(start, GAS_MONTHS), whole if start < whole else date.max) - timedelta(days=1)
        if last + timedelta(days=LAG_DAYS) <= today:
            cold = 1.0 + 1.4 * (start.month in (5, 6, 7)) + 0.5 * (start.month in (4, 8, 9))
            span = Span(start, last)
            reads.append(GasRead(span, round(span.days * 42 * cold * chance.uniform(0.9, 1.1))))
    return tuple(reads)


def _gas_meter(reads: tuple[GasRead, ...]) -> dict[str, Series]:
    """Turn each read into one interval on its last day, in thousandths of a megajoule."""
    days = np.array([read.span.last.toordinal() for read in reads], np.int64)
    thousandths = np.array([read.megajoules * 1000 for read in reads], np.int64)
    return {"general": Series(days, np.zeros_like(days), np.full_like(days, 1440), thousandths)}


def energy_records(home: Home) -> dict[str, Records]:
    """Return records by resource, without the fields that a consent adds."""
    person, seed, span = home.person, home.seed, (home.first, home.today)
    service_points = [points.electricity_point(person, seed, span, home.registers)]
    if person.gas:
        service_points.append(points.gas_point(person, seed, span))
    return {
        "energy.accounts": [_account_record(home, account) for account in home.accounts],
        "energy.invoices": [invoices.invoice_record(bill, home.today) for bill in home.bills],
        "energy.billing": [record for bill in home.bills for record in invoices.billing_records(bill, home.today)],
        "energy.service_points": service_points,
        "energy.usage": _usage(home),
        "energy.der_records": [points.der_record(person, seed, home.first)] if person.panels_kw else [],
        "energy.concessions": [
            record
            for account in home.accounts[:1]
            if person.weekly_rent
            for record in points.concession_records(account.account_id, home.first)
        ],
    }


def _usage(home: Home) -> Records:
    """Return the interval reads of every register, then the reads of the gas meter."""
    point = points.service_point_id(points.nmi(home.person, home.seed))
    meter = points.meter_id(home.person, home.seed)
    negative = home.person.battery_kwh > 0
    reads = [
        record for register in home.registers for record in usage_records(register, point, meter, negative=negative)
    ]
    gas = {
        "service_point_id": points.service_point_id(points.mirn(home.person, home.seed)),
        "meter_id": f"G{meter}",
        "register_id": f"G{meter}-11",
        "register_suffix": "11",
        "controlled_load": False,
        "unit_of_measure": "MJ",
        "read_u_type": "basicRead",
    }
    return reads + [
        {
            **gas,
            "read_start_date": str(read.span.first),
            "read_end_date": str(read.span.last),
            "basic_read": {"quality": "ACTUAL", "value": read.megajoules},
        }
        for read in home.gas_reads
    ]


def _account_record(home: Home, account: invoices.Account) -> JsonObject:
    name = "Gas" if account.fuel == "gas" else "Electricity"
    former = [former_plan(home.first, account.service_point_id)] if home.person.battery_kwh else []
    return {
        "account_id": account.account_id,
        "account_number": account.number,
        "creation_date": str(add_months(home.first, -18)),
        "display_name": f"{name} {home.person.place.suburb}",
        "open_status": "OPEN",
        "plans": former + [_plan(home, account, span, contract) for span, contract in account.plans],
    }


def _plan(home: Home, account: invoices.Account, span: Span, contract: JsonObject) -> JsonObject:
    given, family = home.person.name.split(" ", 1)
    title = "Everyday Gas" if account.fuel == "gas" else plans.NAMES[home.person.tariff]
    overview = {"display_name": title, "start_date": str(span.first)}
    if span.last != FAR:
        overview["end_date"] = str(span.last)
    contact = {"first_name": given, "last_name": family, "middle_names": ["Lee"], "prefix": "Mx", "suffix": ""}
    return {
        "nickname": f"Home {account.fuel}",
        "service_point_ids": [account.service_point_id],
        "authorised_contacts": [contact],
        "plan_overview": overview,
        "plan_detail": {
            "fuel_type": account.fuel.upper(),
            "is_contingent_plan": False,
            f"{account.fuel}_contract": contract,
        },
    }
