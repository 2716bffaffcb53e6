"""Service points with their registers, and solar and storage devices, as rows."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from toolkit.problems import Problem
from toolkit.tables.reference.places import network_of_nmi
from toolkit.tables.registers import direction, unit_and_factor
from toolkit.tables.rows.banking import common_columns
from toolkit.tables.rows.values import RecordRow, Scope, day, real
from toolkit.wire.records.base import Address
from toolkit.wire.records.energy import DerDevice, DerRecord, Register, ServicePoint

_PANEL_KW_AT_MOST = 1.0  # one panel is 0.1 to 0.7 kW: a rated capacity in the hundreds is meant in watts


def service_point(record: ServicePoint, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `service_points`."""
    place = _place(record.location)
    profile = record.consumer_profile
    # LNSP: local network service provider.
    parties = [p.party for p in record.related_participants or [] if (p.role or "").upper() == "LNSP"]
    network = next((party for party in parties if party), None) or network_of_nmi(record.national_metering_id)
    # The units of the registers are the only sign of the fuel in the record.
    units = {(r.unit_of_measure or "").upper() for meter in record.meters or [] for r in meter.registers or []}
    fuel = "GAS" if units & {"MJ", "GJ", "M3"} else "ELECTRICITY"
    return {
        **common_columns(record, scope, raw, record.service_point_id),
        "source": "service",
        "service_point_id": record.service_point_id,
        "national_metering_id": record.national_metering_id,
        "fuel": fuel,
        "jurisdiction_code": record.jurisdiction_code,
        "state": place[0],
        "postcode": place[1],
        "network": network,
        "service_point_status": record.service_point_status,
        "service_point_classification": record.service_point_classification,
        "customer_type": profile.classification if profile else None,
        "is_generator": record.is_generator,
        "valid_from_date": day("valid_from_date", record.valid_from_date),
    }


def registers(record: ServicePoint, scope: Scope) -> list[RecordRow]:
    """Return a row for each register with a suffix or an id."""
    pairs = [(meter, register) for meter in record.meters or [] for register in meter.registers or []]
    rows: list[RecordRow] = []
    for meter, register in pairs:
        if not (suffix := _suffix(register)):
            continue
        unit, _ = unit_and_factor(register.unit_of_measure)
        is_reactive = (register.register_consumption_type or "").upper().startswith("REACTIVE")
        rows.append(
            {
                "household_id": scope.household_id,
                "service_point_id": record.service_point_id,
                "meter_id": meter.meter_id or "",
                "register_suffix": suffix,
                "register_id": register.register_id,
                "unit": unit,
                "direction": "reactive" if is_reactive else direction(suffix, unit),
                "controlled_load": bool(register.controlled_load),
                "consumption_type": register.consumption_type,
                "time_of_day": register.time_of_day,
                "network_tariff_code": register.network_tariff_code,
                "source": "service",
                "arrangement_id": record.arrangement_id,
            }
        )
    return rows


def register_problems(record: ServicePoint) -> list[Problem]:
    """Warn if registers have neither suffix nor id, as no read can be assigned to them."""
    registers = [register for meter in record.meters or [] for register in meter.registers or []]
    unnamed = sum(not _suffix(register) for register in registers)
    text = f"{unnamed} of its {len(registers)} registers have neither suffix nor id: they are left out"
    return [Problem(record.platform_id or record.service_point_id, text, "warning")] if unnamed else []


def _suffix(register: Register) -> str:
    return register.register_suffix or register.register_id or ""


def _place(location: Address | None) -> tuple[str | None, str | None]:
    """Return state and postcode, from whichever form of the address is filled."""
    for form in (location.simple, location.paf) if location else ():
        if form is not None and (form.state or form.postcode):
            return form.state, form.postcode
    return None, None


def der_record(record: DerRecord, scope: Scope, raw: str) -> RecordRow:
    """Return the row of table `der_records`.

    Active devices only, count × rated, summed; 0 and absent both mean unknown (the standard's default is 0).
    """
    connections = [connection for connection in record.ac_connections or [] if _is_active(connection.status)]
    devices = [device for c in connections for device in c.der_devices or [] if _is_active(device.status)]
    protection = record.protection_mode
    days = [
        day(f"ac_connections[{number}].commissioning_date", connection.commissioning_date)
        for number, connection in enumerate(record.ac_connections or [])
        if _is_active(connection.status)
    ]
    first_commissioned = min((found for found in days if found), default=None)
    return {
        **common_columns(record, scope, raw, record.service_point_id),
        "service_point_id": record.service_point_id,
        "approved_capacity": _known("approved_capacity", record.approved_capacity),
        "panels_kw": _sum("panels_kw", (_panels(device) for device in devices if device.type == "SOLAR_PV")),
        "inverter_kw": _sum(
            "inverter_kw",
            (
                (connection.inverter_device_capacity or Decimal(0)) * (connection.count or 1)
                for connection in connections
                if (connection.equipment_type or "INVERTER") == "INVERTER"
            ),
        ),
        "storage_kwh": _sum(
            "storage_kwh",
            (
                (device.nominal_storage_capacity or Decimal(0)) * (device.count or 1)
                for device in devices
                if device.type == "STORAGE"
            ),
        ),
        "export_limit_kva": _known(
            "protection_mode.export_limit_kva", protection.export_limit_kva if protection else None
        ),
        "commissioning_date": first_commissioned,
    }


def der_problems(record: DerRecord) -> list[Problem]:
    """Warn where a panel's rated capacity can only be meant in watts; it was read so."""
    devices = [d for c in record.ac_connections or [] for d in c.der_devices or [] if d.type == "SOLAR_PV"]
    odd = [d.nominal_rated_capacity for d in devices if _is_in_watts(d)]
    where = record.platform_id or record.service_point_id
    text = "a solar device rated {} is taken as watts, not kilowatts"
    return [Problem(where, text.format(rated), "warning") for rated in odd]


def _panels(device: DerDevice) -> Decimal:
    rated = (device.nominal_rated_capacity or Decimal(0)) * (device.count or 1)
    return rated / 1000 if _is_in_watts(device) else rated


def _is_in_watts(device: DerDevice) -> bool:
    """Whether a capacity is in watts: no home has several devices of over 100 kW each, or one of over 1000 kW."""
    rated = float(device.nominal_rated_capacity or 0)
    return rated > (100 * _PANEL_KW_AT_MOST if (device.count or 1) > 1 else 1000 * _PANEL_KW_AT_MOST)


def _is_active(status: str | None) -> bool:
    return (status or "ACTIVE").upper() == "ACTIVE"


def _sum(name: str, values: Iterable[Decimal]) -> float | None:
    return _known(name, sum(values, Decimal(0)))


def _known(name: str, value: Decimal | None) -> float | None:
    return real(name, value) or None
