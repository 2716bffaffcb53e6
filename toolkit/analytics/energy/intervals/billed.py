"""The energy on bills as accumulation reads, for homes without meter data: one read a bill and use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

import polars as pl

from toolkit.tables.schema.typed import TypedInvoiceRow
from toolkit.units import NANO

BILLED = "BILLED"
"""Quality of energy that is known from a bill alone; `ESTIMATED` where the bill states an estimated read."""
GENERAL, CONTROLLED, SOLAR = "general", "controlled load", "solar"
_CONTROLLED = re.compile(r"controlled|hot water|dedicated", re.IGNORECASE)
_EXPORT = re.compile(r"solar|feed.?in|export|generation", re.IGNORECASE)
_SCHEMA = {
    "service_point_id": pl.String(),
    "meter_id": pl.String(),
    "register_suffix": pl.String(),
    "start_date": pl.Date(),
    "end_date": pl.Date(),
    "value_nano": pl.Int64(),
    "unit": pl.String(),
    "direction": pl.String(),
    "controlled_load": pl.Boolean(),
    "quality": pl.String(),
    "updated_at": pl.String(),
}


def billed_reads(bills: Iterable[TypedInvoiceRow], service_point: str) -> pl.DataFrame:
    """Return the energy of typed bills in the columns of table `meter_reads` that `combine` takes.

    Peak, shoulder and off-peak of a bill are one read of general use: which hours they were in, a bill does not say.
    """
    rows = (
        {
            "service_point_id": service_point,
            "meter_id": "",
            "register_suffix": use,
            "start_date": bill.period_start,
            "end_date": bill.period_end,
            "value_nano": int(energy * NANO),
            "unit": "MJ" if bill.fuel == "GAS" else "KWH",
            "direction": "export" if use == SOLAR else "import",
            "controlled_load": use == CONTROLLED,
            "quality": "ESTIMATED" if bill.estimated else BILLED,
            "updated_at": None,
        }
        for bill in bills
        for use, energy in _by_use(bill)
    )
    return pl.DataFrame(list(rows), schema=_SCHEMA)


def _by_use(bill: TypedInvoiceRow) -> Iterator[tuple[str, Decimal]]:
    sums: dict[str, Decimal] = {}
    for entry in json.loads(bill.energy or "[]"):
        name = entry["register"]
        use = SOLAR if _EXPORT.search(name) else CONTROLLED if _CONTROLLED.search(name) else GENERAL
        sums[use] = sums.get(use, Decimal(0)) + Decimal(entry["quantity"])
    yield from sums.items()
