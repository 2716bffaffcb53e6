"""The record of solar, storage and inverters, down to each device."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from toolkit.flows.household.context import Context
from toolkit.flows.household.devices import registered_devices
from toolkit.store import open_store

SAMPLE = Path(__file__).parents[2] / "samples" / "energy.der_records" / "200.json"


def test_each_connection_has_its_devices(tmp_path: Path) -> None:
    record = json.loads(SAMPLE.read_text())["der_records"][0]
    record["ac_connections"][0]["der_devices"].append({"type": "STORAGE", "nominal_storage_capacity": "13.5"})
    db = tmp_path / "home.db"
    row = {"household_id": "h", "id": "der", "service_point_id": "sp_1", "approved_capacity": 5.0}
    with open_store(db) as store, store.transaction():
        store.upsert("households", [{"household_id": "h", "name": "Home"}])
        store.upsert("der_records", [{**row, "export_limit_kva": 5.0, "raw": json.dumps(record)}])
    devices = registered_devices(Context(db, date(2026, 1, 1)))["sp_1"]
    (inverter,) = devices.connections
    panels, battery = inverter.devices
    assert (inverter.inverter_kva, inverter.model, inverter.commissioned) == (5.0, "SB SB5", date(2021, 2, 3))
    assert (panels.type, panels.count, panels.rated_kw, panels.storage_kwh) == ("SOLAR_PV", 20, 0.33, None)
    assert (battery.type, battery.count, battery.storage_kwh, battery.is_active) == ("STORAGE", 1, 13.5, True)
    assert (devices.export_limit_kva, devices.phases, devices.findings) == (5.0, 1, ())
