"""The solar, storage and inverters that the distributor has on record."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.energy.devices import RegisteredDevices
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.devices import registered_devices
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import sentence


def show(ctx: Context) -> None:
    """Show the record of the chosen meter in an expander; nothing where there is none."""
    record = ask(registered_devices, ctx).get(ctx.service_point or "")
    if record is None:
        return
    with st.expander("Solar and battery equipment on record"):
        st.caption("What your distributor has on record as connected at this meter. It came with your energy account.")
        st.markdown(_limits(record))
        columns = {
            "what": widgets.words("Equipment"),
            "count": widgets.count("Number"),
            "size": widgets.words("Size of one"),
            "maker": widgets.words("Maker and model"),
            "since": widgets.day("In use since"),
            "status": widgets.words("Status"),
        }
        widgets.table(list(_rows(record)), columns, name="equipment")
        for finding in record.findings:
            st.caption(sentence(finding))


def _limits(record: RegisteredDevices) -> str:
    approved = f"{record.approved_kva:g} kVA" if record.approved_kva else "not stated"
    limit = f"{record.export_limit_kva:g} kVA" if record.export_limit_kva else "none on record"
    phases = f" Phases: {record.phases}." if record.phases else ""
    return f"Approved capacity: {approved}. Export limit: {limit}.{phases}"


def _rows(record: RegisteredDevices) -> list[widgets.Row]:
    rows: list[widgets.Row] = []
    for connection in record.connections:
        rows.append(
            {
                "what": style.words(connection.equipment or "Connection"),
                "count": connection.count,
                "size": f"{connection.inverter_kva:g} kVA" if connection.inverter_kva else None,
                "maker": " ".join(filter(None, [connection.manufacturer, connection.model])),
                "since": connection.commissioned,
                "status": "Active" if connection.is_active else "Not active",
            }
        )
        for device in connection.devices:
            sizes = [f"{device.rated_kw:g} kW" if device.rated_kw else None]
            sizes.append(f"{device.storage_kwh:g} kWh" if device.storage_kwh else None)
            rows.append(
                {
                    "what": {"SOLAR_PV": "Solar panels", "STORAGE": "Battery"}.get(
                        device.type, style.words(device.type)
                    ),
                    "count": device.count,
                    "size": ", ".join(filter(None, sizes)) or None,
                    "maker": " ".join(filter(None, [device.manufacturer, device.model])),
                    "since": None,
                    "status": "Active" if device.is_active else "Not active",
                }
            )
    return rows
