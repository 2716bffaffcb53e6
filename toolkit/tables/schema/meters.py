"""Service points, meter registers, reads and solar devices. Energy is ≥ 0 with a direction."""

from __future__ import annotations

import datetime as dt

from toolkit.tables.schema.columns import (
    ARRANGEMENT,
    HOUSEHOLD,
    ID,
    INSTITUTION,
    RAW,
    SOURCE,
    SUPERSEDED,
    VANISHED,
    Table,
    TableRow,
    blob,
    boolean,
    date,
    instant,
    integer,
    json,
    real,
    text,
)

SERVICE_POINTS = Table(
    "service_points",
    "Connection points (NMI for electricity, MIRN for gas).",
    (
        HOUSEHOLD,
        ID,
        SOURCE,
        ARRANGEMENT,
        INSTITUTION,
        text("service_point_id", "what reads refer to; of a file: the NMI", required=True),
        text("national_metering_id", "NMI; masked when shown"),
        text("fuel", "ELECTRICITY or GAS", required=True),
        text("jurisdiction_code", "NSW, VIC, … NEM, ALL"),
        text("state", "from the location"),
        text("postcode", "from the location"),
        text("network", "distribution network, from the related participants (LNSP)"),
        text("timezone", "IANA zone; null: from state or postcode"),
        text("service_point_status", "ACTIVE …"),
        text("service_point_classification", "SMALL …"),
        text("customer_type", "RESIDENTIAL or BUSINESS"),
        boolean("is_generator", "as given; not to be relied on to find solar"),
        date("valid_from_date", "as given"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.service_points",
)


class ServicePointRow(TableRow, frozen=True):
    """A row of table `service_points`."""

    table = SERVICE_POINTS

    household_id: str
    id: str
    source: str
    arrangement_id: str | None
    institution_id: str | None
    service_point_id: str
    national_metering_id: str | None
    fuel: str
    jurisdiction_code: str | None
    state: str | None
    postcode: str | None
    network: str | None
    timezone: str | None
    service_point_status: str | None
    service_point_classification: str | None
    customer_type: str | None
    is_generator: bool | None
    valid_from_date: dt.date | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


REGISTERS = Table(
    "registers",
    "Registers of the meters at a service point.",
    (
        HOUSEHOLD,
        text("service_point_id", "service point", required=True),
        text("meter_id", "meter serial; empty where not given", required=True),
        text("register_suffix", "NMI suffix such as E1, B1; or register id", required=True),
        text("register_id", "identity at the service"),
        text("unit", "KWH, MJ, KVARH …", required=True),
        text("direction", "import, export, reactive or other", required=True),
        boolean("controlled_load", "whether the register measures controlled load", required=True),
        text("consumption_type", "ACTUAL or CUMULATIVE"),
        text("time_of_day", "ALLDAY, PEAK, CONTROLLED …"),
        text("network_tariff_code", "as given"),
        SOURCE,
        ARRANGEMENT,
    ),
    key=("household_id", "service_point_id", "meter_id", "register_suffix"),
)


class RegisterRow(TableRow, frozen=True):
    """A row of table `registers`."""

    table = REGISTERS

    household_id: str
    service_point_id: str
    meter_id: str
    register_suffix: str
    register_id: str | None
    unit: str
    direction: str
    controlled_load: bool
    consumption_type: str | None
    time_of_day: str | None
    network_tariff_code: str | None
    source: str
    arrangement_id: str | None


REGISTER_DAYS = Table(
    "register_days",
    "Interval reads: one row for a register and a meter day (AEST, midnight to midnight, no daylight saving).",
    (
        HOUSEHOLD,
        text("service_point_id", "service point", required=True),
        text("meter_id", "meter serial; empty where not given", required=True),
        text("register_suffix", "NMI suffix", required=True),
        date("date", "meter day", required=True),
        integer("interval_minutes", "length of an interval", unit="minutes", required=True),
        integer("intervals", "number of values, flagged-null ones included", required=True),
        integer("exponent", "a value is its integer × 10^-exponent", required=True),
        integer("width", "bytes of one little-endian signed integer: 2, 4 or 8", required=True),
        blob("reads", "the scaled integers, ≥ 0, in order of the day; 0 where flagged missing", required=True),
        json("qualities", "[[first, last, quality], …], 1-based, inclusive; unlisted intervals are ACTUAL"),
        integer("total_nano", "exact sum of present values", unit="10^-9 of unit", required=True),
        integer("present", "number of values not flagged missing", required=True),
        text("unit", "KWH, MJ, KVARH …", required=True),
        text("direction", "import, export, reactive or other", required=True),
        boolean("controlled_load", "whether the register measures controlled load", required=True),
        text("updated_at", "update time of the read as written (NEM12): of two reads the later counts"),
        SOURCE,
        text("id", "the service's platform_id"),
        text("file_id", "the import that it came from (files)"),
        ARRANGEMENT,
        text("digest", "digest of the row's reads, so that bit rot is seen"),
        text("raw", "the record as given but for its array of values"),
    ),
    key=("household_id", "service_point_id", "meter_id", "register_suffix", "date"),
    resource="energy.usage",
)

METER_READS = Table(
    "meter_reads",
    "Accumulation reads: energy between two dates (basic meters, gas, NEM13, daily totals without a profile).",
    (
        HOUSEHOLD,
        text("service_point_id", "service point", required=True),
        text("meter_id", "meter serial; empty where not given", required=True),
        text("register_suffix", "NMI suffix", required=True),
        date("start_date", "first meter day, inclusive", required=True),
        date("end_date", "last meter day, inclusive", required=True),
        text("value", "energy as written", required=True),
        integer("value_nano", "energy, ≥ 0", unit="10^-9 of unit", required=True),
        text("unit", "KWH or MJ …", required=True),
        text("direction", "import, export, reactive or other", required=True),
        boolean("controlled_load", "whether the register measures controlled load", required=True),
        text("quality", "ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED", required=True),
        text("updated_at", "update time as written"),
        SOURCE,
        text("id", "the service's platform_id"),
        text("file_id", "the import that it came from (files)"),
        ARRANGEMENT,
        RAW,
    ),
    key=("household_id", "service_point_id", "meter_id", "register_suffix", "start_date", "end_date"),
    resource="energy.usage",
)

DER_RECORDS = Table(
    "der_records",
    "Solar, storage and inverters at a service point (distributed energy resources).",
    (
        HOUSEHOLD,
        ID,
        ARRANGEMENT,
        INSTITUTION,
        text("service_point_id", "service point", required=True),
        real("approved_capacity", "approved capacity", unit="kVA"),
        real("panels_kw", "sum of active solar devices, count × rated; null where unknown or 0", unit="kW"),
        real("inverter_kw", "sum of active inverters' capacity; null where unknown or 0", unit="kVA"),
        real("storage_kwh", "sum of active storage devices, count × rated; null where none", unit="kWh"),
        real("export_limit_kva", "export limit; null where none", unit="kVA"),
        date("commissioning_date", "first active connection"),
        VANISHED,
        SUPERSEDED,
        RAW,
    ),
    key=("household_id", "id"),
    resource="energy.der_records",
)


class DerRecordRow(TableRow, frozen=True):
    """A row of table `der_records`."""

    table = DER_RECORDS

    household_id: str
    id: str
    arrangement_id: str | None
    institution_id: str | None
    service_point_id: str
    approved_capacity: float | None
    panels_kw: float | None
    inverter_kw: float | None
    storage_kwh: float | None
    export_limit_kva: float | None
    commissioning_date: dt.date | None
    vanished_at: dt.datetime | None
    superseded_by: str | None
    raw: str | None


READS = Table(
    "reads",
    "Interval reads, one row per interval. `energy_nano` counts 10^-9 of `unit` (kWh, gas MJ): whole and exact.",
    (
        text("service_point_id", "service point", required=True),
        text("meter_id", "meter", required=True),
        text("register_suffix", "register", required=True),
        text("unit", "KWH, MJ, KVARH …", required=True),
        text("direction", "import, export, reactive or other", required=True),
        boolean("controlled_load", "whether the register measures controlled load", required=True),
        date("date", "meter day (AEST)", required=True),
        integer(
            "interval_minutes",
            "length; 1440 for a day of an accumulation read spread evenly",
            unit="minutes",
            required=True,
        ),
        instant("starts_at", "start of the interval, inclusive", required=True),
        integer("energy_nano", "energy ≥ 0; null where flagged missing", unit="10^-9 of unit"),
        text("quality", "ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED, MISSING", required=True),
    ),
    key=("service_point_id", "meter_id", "register_suffix", "starts_at"),
    stored=False,
)

TABLES = (SERVICE_POINTS, REGISTERS, REGISTER_DAYS, METER_READS, DER_RECORDS)
