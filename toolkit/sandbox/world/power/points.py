"""Service points with their meters, distributed energy resources (panels, battery), and concessions."""

from __future__ import annotations

from datetime import date, timedelta

from toolkit.sandbox.world.chance import digits
from toolkit.sandbox.world.days import add_months
from toolkit.sandbox.world.money.terms import postal_address, street_address
from toolkit.sandbox.world.people import Person
from toolkit.sandbox.world.power.meters import LAG_DAYS, Register
from toolkit.sandbox.world.power.profiles import inverter_kw
from toolkit.wire import JsonObject

PANEL_KW = 0.44
"""Capacity of one panel."""


def nmi(person: Person, seed: int) -> str:
    """Return the national metering identifier of the electricity connection."""
    return f"41{digits(8, seed, 'nmi', person.index)}"


def mirn(person: Person, seed: int) -> str:
    """Return the meter installation registration number of the gas connection."""
    return f"53{digits(8, seed, 'mirn', person.index)}"


def service_point_id(number: str) -> str:
    """Return the id of the service point with that NMI or MIRN."""
    return f"sp-{number}"


def meter_id(person: Person, seed: int) -> str:
    """Return the serial number of the electricity meter; the gas meter's has a G before it."""
    return digits(8, seed, "meter", person.index)


def electricity_point(
    person: Person, seed: int, span: tuple[date, date], registers: tuple[Register, ...]
) -> JsonObject:
    """Return the electricity connection with its one meter. span: first day of the reads and today."""
    number, (first, today) = nmi(person, seed), span
    meter = meter_id(person, seed)
    return {
        **_point(person, number, first, today),
        "is_generator": person.panels_kw > 0,
        "related_participants": [
            {"party": person.retailer.name, "role": "FRMP"},
            {"party": person.place.network, "role": "LNSP"},
        ],
        "meters": [
            {
                "meter_id": meter,
                "specifications": {
                    "installation_type": "COMMS4",
                    "manufacturer": "Wedgetail Metering",
                    "model": "WT-5",
                    "next_scheduled_read_date": str(today + timedelta(days=1)),
                    "read_type": "RWDA" if person.five_minute_from_days_ago else "RWDC",
                    "status": "CURRENT",
                },
                "registers": [_register(meter, register) for register in registers],
            }
        ],
    }


def _point(person: Person, number: str, first: date, today: date) -> JsonObject:
    return {
        "service_point_id": service_point_id(number),
        "national_metering_id": number,
        "jurisdiction_code": person.place.state,
        "last_consumer_change_date": str(add_months(first, -18)),
        "last_update_date_time": f"{today - timedelta(days=LAG_DAYS)}T04:30:00+10:00",
        "service_point_classification": "SMALL",
        "service_point_status": "ACTIVE",
        "valid_from_date": str(add_months(first, -18)),
        "location": street_address(person) if person.index % 2 else postal_address(person),
        "consumer_profile": {"classification": "RESIDENTIAL", "threshold": "LOW"},
        "distribution_loss_factor": {"code": "B1LV", "description": "Low voltage", "loss_value": "1.0412"},
    }


def _register(meter: str, register: Register) -> JsonObject:
    total = sum(int(stretch.wh.sum()) for stretch in register.stretches)
    days = sum(len(stretch.wh) for stretch in register.stretches)
    return {
        "register_id": f"{meter}-{register.suffix}",
        "register_suffix": register.suffix,
        "averaged_daily_load": round(total / days / 1000, 2),
        "consumption_type": "ACTUAL",
        "controlled_load": register.controlled_load,
        "multiplier": 1,
        "network_tariff_code": "EA030" if register.controlled_load else "EA025",
        "register_consumption_type": "INTERVAL",
        "time_of_day": "CONTROLLED" if register.controlled_load else "ALLDAY",
        "unit_of_measure": "KWH",
    }


def gas_point(person: Person, seed: int, span: tuple[date, date]) -> JsonObject:
    """Return the gas connection, with a basic meter that is read every second month. span: as above."""
    number, (first, today) = mirn(person, seed), span
    meter = f"G{meter_id(person, seed)}"
    return {
        **_point(person, number, first, today),
        "is_generator": False,
        "related_participants": [{"party": person.retailer.name, "role": "FRMP"}],
        "meters": [
            {
                "meter_id": meter,
                "specifications": {
                    "installation_type": "BASIC",
                    "manufacturer": "Wedgetail Metering",
                    "model": "G-2",
                    "next_scheduled_read_date": str(add_months(today, 1)),
                    "read_type": "MV3",
                    "status": "CURRENT",
                },
                "registers": [
                    {
                        "register_id": f"{meter}-11",
                        "register_suffix": "11",
                        "averaged_daily_load": 55.0,
                        "consumption_type": "ACTUAL",
                        "controlled_load": False,
                        "multiplier": 1,
                        "register_consumption_type": "BASIC",
                        "time_of_day": "ALLDAY",
                        "unit_of_measure": "MJ",
                    }
                ],
            }
        ],
    }


def der_record(person: Person, seed: int, first: date) -> JsonObject:
    """Return the record of panels behind an inverter, and of a battery if there is one."""
    inverter, count = inverter_kw(person.panels_kw), round(person.panels_kw / PANEL_KW)
    panels = _device(1, "SOLAR_PV", "Sunbird", count) | {
        "nominal_rated_capacity": PANEL_KW,
        "subtype": "Monocrystalline",
    }
    connections = [_connection(1, inverter, str(add_months(first, -11)), panels)]
    if person.battery_kwh:
        battery = _device(2, "STORAGE", "Numbat Storage", 1) | {
            "nominal_rated_capacity": 5.0,
            "nominal_storage_capacity": person.battery_kwh,
            "subtype": "Lithium-ion",
        }
        connections.append(_connection(2, 5.0, str(add_months(first, -8)), battery))
    return {
        "service_point_id": service_point_id(nmi(person, seed)),
        "approved_capacity": inverter * len(connections),
        "available_phases_count": 1,
        "installed_phases_count": 1,
        "has_central_protection_control": False,
        "islandable_installation": person.battery_kwh > 0,
        "protection_mode": PROTECTION,
        "ac_connections": connections,
    }


def _connection(identifier: int, kva: float, since: str, device: JsonObject) -> JsonObject:
    return {
        "connection_identifier": identifier,
        "commissioning_date": since,
        "count": 1,
        "equipment_type": "INVERTER",
        "inverter_device_capacity": kva,
        "inverter_model_number": f"HB-{kva:g}",
        "inverter_series": "Heron",
        "manufacturer_name": "Heron Inverters",
        "status": "ACTIVE",
        "der_devices": [device],
    }


def _device(identifier: int, kind: str, maker: str, count: int) -> JsonObject:
    return {
        "device_identifier": identifier,
        "count": count,
        "manufacturer": maker,
        "model_number": f"{maker[:2].upper()}-{identifier}40",
        "status": "ACTIVE",
        "type": kind,
    }


PROTECTION = {
    "export_limit_kva": 5.0,
    "frequency_rate_of_change": 4.0,
    "inter_trip_scheme": "None",
    "neutral_voltage_displacement": 0.0,
    "over_frequency_protection": 52.0,
    "over_frequency_protection_delay": 0.2,
    "over_voltage_protection": 260.0,
    "over_voltage_protection_delay": 1.0,
    "sustained_over_voltage": 258.0,
    "sustained_over_voltage_delay": 15.0,
    "under_frequency_protection": 47.0,
    "under_frequency_protection_delay": 1.0,
    "under_voltage_protection": 180.0,
    "under_voltage_protection_delay": 10.0,
    "voltage_vector_shift": 0.0,
}


def concession_records(account_id: str, first: date) -> list[JsonObject]:
    """Return one concession of every kind.

    The first two ended before the history begins, the third is not paid on bills: no invoice shows them.
    """
    ended = {"start_date": str(add_months(first, -24)), "end_date": str(first - timedelta(days=1))}
    info = {"account_id": account_id, "additional_info_uri": "https://concessions.example"}
    return [
        {
            **info,
            **ended,
            "display_name": "Household rebate",
            "type": "FIXED_AMOUNT",
            "amount": "71.25",
            "discount_frequency": "P3M",
            "applied_to": ["INVOICE"],
        },
        {
            **info,
            **ended,
            "display_name": "Hot water concession",
            "type": "FIXED_PERCENTAGE",
            "percentage": "0.175",
            "discount_frequency": "P1M",
            "applied_to": ["CONTROLLED_LOAD", "USAGE"],
        },
        {
            **info,
            "display_name": "Medical cooling concession",
            "type": "VARIABLE",
            "additional_info": "Paid once a year by the state revenue office into a bank account.",
            "start_date": str(first),
        },
    ]
