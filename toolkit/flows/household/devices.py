"""The record of solar, storage and inverters at each service point, down to each device."""

from __future__ import annotations

from decimal import Decimal

from toolkit.analytics.energy.devices import findings, in_kw
from toolkit.answers.energy.devices import Connection, Device, RegisteredDevices
from toolkit.flows.household.context import Context, open_home
from toolkit.tables.rows.values import day_or_none
from toolkit.tables.schema.meters import DerRecordRow
from toolkit.wire.decoding.lenient import read
from toolkit.wire.records.energy import AcConnection, DerDevice, DerRecord


def registered_devices(ctx: Context) -> dict[str, RegisteredDevices]:
    """Return the record of each service point that has one, by its id."""
    with open_home(ctx) as (store, household):
        rows = store.load(DerRecordRow, household.household_id, where={"vanished_at": None})
        return {row.service_point_id: _record(row, household.panels_kw) for row in rows if row.raw}


def _record(row: DerRecordRow, home_kw: float | None) -> RegisteredDevices:
    record, _ = read(DerRecord, (row.raw or "{}").encode())
    assert isinstance(record, DerRecord)
    connections = tuple(_connection(connection) for connection in record.ac_connections or [])
    devices = [device for connection in record.ac_connections or [] for device in connection.der_devices or []]
    rated = [float(device.nominal_rated_capacity) for device in devices if device.nominal_rated_capacity]
    return RegisteredDevices(
        service_point_id=row.service_point_id,
        approved_kva=row.approved_capacity,
        phases=record.installed_phases_count or None,
        export_limit_kva=row.export_limit_kva,
        connections=connections,
        findings=tuple(findings(connections, approved_kva=row.approved_capacity, rated=rated, home_kw=home_kw)),
    )


def _connection(given: AcConnection) -> Connection:
    return Connection(
        equipment=given.equipment_type or "",
        count=given.count or 1,
        inverter_kva=in_kw(_known(given.inverter_device_capacity)),
        manufacturer=given.manufacturer_name,
        model=" ".join(filter(None, (given.inverter_series, given.inverter_model_number))) or None,
        commissioned=day_or_none(given.commissioning_date),
        is_active=_is_active(given.status),
        devices=tuple(_device(device) for device in given.der_devices or []),
    )


def _device(given: DerDevice) -> Device:
    return Device(
        type=(given.type or "").upper(),
        count=given.count or 1,
        rated_kw=in_kw(_known(given.nominal_rated_capacity)),
        storage_kwh=_known(given.nominal_storage_capacity),
        manufacturer=given.manufacturer,
        model=given.model_number,
        is_active=_is_active(given.status),
    )


def _known(value: Decimal | None) -> float | None:
    """Return a capacity; the standard's default of 0 means that it is not known."""
    return float(value) if value else None


def _is_active(status: str | None) -> bool:
    return (status or "ACTIVE").upper() == "ACTIVE"
