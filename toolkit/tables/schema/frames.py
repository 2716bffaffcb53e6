"""Frames that only travel in memory: what the centre takes and gives."""

from __future__ import annotations

from toolkit.tables.schema.columns import Table, boolean, date, instant, integer, real, text

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

BILL_LINES = Table(
    "bill_lines",
    "A bill: one row per billing period × tariff period × charge or band × block.",
    (
        text(
            "component",
            "supply, usage, demand, controlled_load, metering, green_power, fee, discount, feed_in, concession",
            required=True,
        ),
        text("label", "the line's name: `price_label`, and its block where the price has blocks", required=True),
        text("price_label", "the price in the plan's words; blocks of a price share it", required=True),
        integer("block", "number of the block from 1; null where the price has no blocks"),
        text("tariff_period", "the plan's name for the tariff period, for usage and daily supply"),
        date("from", "first day, inclusive, on the plan's clock", required=True),
        date("to", "last day, inclusive, on the plan's clock", required=True),
        real("quantity", "how much", unit="unit"),
        text("unit", "kWh, MJ, day, kW, $, month …"),
        text("unit_price", "price of one unit as decimal text, before GST where `gst` is added", unit="AUD per unit"),
        text("gst", "added, included or none", required=True),
        integer(
            "amount_minor",
            "with GST, rounded half away from zero; charges positive, credits negative",
            unit="cents",
            required=True,
        ),
        integer("gst_minor", "amount ÷ 11 rounded, where the line carries tax", unit="cents", required=True),
    ),
    key=(),
    stored=False,
)

TABLES = (READS, BILL_LINES)
