"""Service points, meter registers, reads and solar devices. Energy is ≥ 0 with a direction."""

import datetime as dt

from toolkit.tables.schema.columns import (
    GIVEN_BY_FILE,
    JSON,
    Annotated,
    Arrangement,
    Household,
    Identity,
    Institution,
    Raw,
    Source,
    SupersededBy,
    TableRow,
    Unit,
    VanishedAt,
    table_row,
)


@table_row("service_points", key=("household_id", "id"), resource="energy.service_points")
class ServicePointRow(TableRow, frozen=True):
    """Connection points (NMI for electricity, MIRN for gas)."""

    household_id: Household
    id: Identity
    source: Source
    arrangement_id: Arrangement
    institution_id: Institution
    service_point_id: Annotated[str, "what reads refer to; of a file: the NMI"]
    national_metering_id: Annotated[str | None, "NMI; masked when shown"]
    fuel: Annotated[str, "ELECTRICITY or GAS"]
    jurisdiction_code: Annotated[str | None, "NSW, VIC, … NEM, ALL"]
    state: Annotated[str | None, "from the location"]
    postcode: Annotated[str | None, "from the location"]
    network: Annotated[str | None, "distribution network, from the related participants (LNSP)"]
    timezone: Annotated[str | None, "IANA zone; null: from state or postcode"]
    service_point_status: Annotated[str | None, "ACTIVE …"]
    service_point_classification: Annotated[str | None, "SMALL …"]
    customer_type: Annotated[str | None, "RESIDENTIAL or BUSINESS"]
    is_generator: Annotated[bool | None, "as given; not to be relied on to find solar"]
    valid_from_date: Annotated[dt.date | None, "as given"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("registers", key=("household_id", "service_point_id", "meter_id", "register_suffix"))
class RegisterRow(TableRow, frozen=True):
    """Registers of the meters at a service point."""

    household_id: Household
    service_point_id: Annotated[str, "service point"]
    meter_id: Annotated[str, "meter serial; empty where not given"]
    register_suffix: Annotated[str, "NMI suffix such as E1, B1; or register id"]
    register_id: Annotated[str | None, "identity at the service"]
    unit: Annotated[str, "KWH, MJ, KVARH …"]
    direction: Annotated[str, "import, export, generation, reactive or other"]
    controlled_load: Annotated[bool, "whether the register measures controlled load"]
    consumption_type: Annotated[str | None, "ACTUAL or CUMULATIVE"]
    time_of_day: Annotated[str | None, "ALLDAY, PEAK, CONTROLLED …"]
    network_tariff_code: Annotated[str | None, "as given"]
    source: Source
    arrangement_id: Arrangement


@table_row(
    "register_days",
    key=("household_id", "service_point_id", "meter_id", "register_suffix", "date"),
    resource="energy.usage",
    references=GIVEN_BY_FILE,
)
class RegisterDayRow(TableRow, frozen=True):
    """Interval reads: one row for a register and a meter day (AEST, midnight to midnight, no daylight saving)."""

    household_id: Household
    service_point_id: Annotated[str, "service point"]
    meter_id: Annotated[str, "meter serial; empty where not given"]
    register_suffix: Annotated[str, "NMI suffix"]
    date: Annotated[dt.date, "meter day"]
    interval_minutes: Annotated[int, "length of an interval", Unit("minutes")]
    intervals: Annotated[int, "number of values, flagged-null ones included"]
    exponent: Annotated[int, "a value is its integer × 10^-exponent"]
    width: Annotated[int, "bytes of one little-endian signed integer: 2, 4 or 8"]
    reads: Annotated[bytes, "the scaled integers, ≥ 0, in order of the day; 0 where flagged missing"]
    qualities: Annotated[
        str | None,
        "[[first, last, quality], …], 1-based, inclusive; unlisted intervals are ACTUAL",
        JSON,
    ]
    total_nano: Annotated[int, "exact sum of present values", Unit("10^-9 of unit")]
    present: Annotated[int, "number of values not flagged missing"]
    unit: Annotated[str, "KWH, MJ, KVARH …"]
    direction: Annotated[str, "import, export, generation, reactive or other"]
    controlled_load: Annotated[bool, "whether the register measures controlled load"]
    updated_at: Annotated[str | None, "update time of the read as written (NEM12): of two reads the later counts"]
    source: Source
    id: Annotated[str | None, "the service's platform_id"]
    file_id: Annotated[str | None, "the import that it came from (files)"]
    arrangement_id: Arrangement
    digest: Annotated[str | None, "digest of the row's reads, so that bit rot is seen"]
    raw: Annotated[str | None, "the record as given but for its array of values"]


@table_row(
    "meter_reads",
    key=("household_id", "service_point_id", "meter_id", "register_suffix", "start_date", "end_date"),
    resource="energy.usage",
    references=GIVEN_BY_FILE,
)
class MeterReadRow(TableRow, frozen=True):
    """Accumulation reads: energy between two dates (basic meters, gas, NEM13, daily totals without a profile)."""

    household_id: Household
    service_point_id: Annotated[str, "service point"]
    meter_id: Annotated[str, "meter serial; empty where not given"]
    register_suffix: Annotated[str, "NMI suffix"]
    start_date: Annotated[dt.date, "first meter day, inclusive"]
    end_date: Annotated[dt.date, "last meter day, inclusive"]
    value: Annotated[str, "energy as written"]
    value_nano: Annotated[int, "energy, ≥ 0", Unit("10^-9 of unit")]
    unit: Annotated[str, "KWH or MJ …"]
    direction: Annotated[str, "import, export, generation, reactive or other"]
    controlled_load: Annotated[bool, "whether the register measures controlled load"]
    quality: Annotated[str, "ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED"]
    updated_at: Annotated[str | None, "update time as written"]
    source: Source
    id: Annotated[str | None, "the service's platform_id"]
    file_id: Annotated[str | None, "the import that it came from (files)"]
    arrangement_id: Arrangement
    raw: Raw


@table_row("der_records", key=("household_id", "id"), resource="energy.der_records")
class DerRecordRow(TableRow, frozen=True):
    """Solar, storage and inverters at a service point (distributed energy resources)."""

    household_id: Household
    id: Identity
    arrangement_id: Arrangement
    institution_id: Institution
    service_point_id: Annotated[str, "service point"]
    approved_capacity: Annotated[float | None, "approved capacity", Unit("kVA")]
    panels_kw: Annotated[
        float | None,
        "sum of active solar devices, count × rated; null where unknown or 0",
        Unit("kW"),
    ]
    inverter_kw: Annotated[float | None, "sum of active inverters' capacity; null where unknown or 0", Unit("kVA")]
    storage_kwh: Annotated[float | None, "sum of active storage devices, count × rated; null where none", Unit("kWh")]
    export_limit_kva: Annotated[float | None, "export limit; null where none", Unit("kVA")]
    commissioning_date: Annotated[dt.date | None, "first active connection"]
    vanished_at: VanishedAt
    superseded_by: SupersededBy
    raw: Raw


@table_row("reads", key=("service_point_id", "meter_id", "register_suffix", "starts_at"), stored=False)
class ReadRow(TableRow, frozen=True):
    """Interval reads, one row per interval. `energy_nano` counts 10^-9 of `unit` (kWh, gas MJ): whole and exact."""

    service_point_id: Annotated[str, "service point"]
    meter_id: Annotated[str, "meter"]
    register_suffix: Annotated[str, "register"]
    unit: Annotated[str, "KWH, MJ, KVARH …"]
    direction: Annotated[str, "import, export, generation, reactive or other"]
    controlled_load: Annotated[bool, "whether the register measures controlled load"]
    date: Annotated[dt.date, "meter day (AEST)"]
    interval_minutes: Annotated[int, "length; 1440 for a day of an accumulation read spread evenly", Unit("minutes")]
    starts_at: Annotated[dt.datetime, "start of the interval, inclusive"]
    energy_nano: Annotated[int | None, "energy ≥ 0; null where flagged missing", Unit("10^-9 of unit")]
    quality: Annotated[str, "ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED, MISSING; BILLED: energy of a typed bill"]


TABLES = (
    ServicePointRow.table,
    RegisterRow.table,
    RegisterDayRow.table,
    MeterReadRow.table,
    DerRecordRow.table,
)
