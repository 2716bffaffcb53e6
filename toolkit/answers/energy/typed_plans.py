"""A plan as a person types it from a bill: the tables of the TOML file of `plans new`, and the fields of the form."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

PriceUnit = Literal["cents with GST", "cents without GST", "dollars with GST", "dollars without GST"]
BlockPeriod = Literal["day", "month", "quarter", "year"]


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One block of a price."""

    price: Decimal
    """Per kWh (gas: MJ), in the plan's `prices`."""
    first: Decimal | None = None
    """kWh (MJ) that the price is for, in each `per`; the last tier has none."""


class TypedPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A price of energy: one, or tiers."""

    name: str = ""
    price: Decimal | None = None
    """Per kWh (gas: MJ), in the plan's `prices`."""
    tiers: tuple[Tier, ...] = ()
    per: BlockPeriod = "day"
    """How long the energy of a tier lasts."""


class TypedRate(TypedPrice, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A price of energy by time. Without days and hours it is for every time that no other rate is for."""

    days: str = ""
    """`Mon-Fri`, `Sat, Sun`; every day where empty."""
    hours: str | tuple[str, ...] = ""
    """`15:00-21:00` or `3pm-9pm`, several in a list; the whole day where empty."""
    months: str = ""
    """`Jun-Sep`; all other months where empty. Of usage only."""


class TypedLoad(TypedPrice, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A controlled load: hot water, slab heating or a pool pump on a circuit of its own."""

    supply: Decimal = Decimal(0)
    """Its own daily charge, in the plan's `prices`."""


class TypedDemand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A charge for the highest half hour of each month."""

    price: Decimal
    """Per kW and `per`, in the plan's `prices`."""
    per: Literal["day", "month"] = "day"
    name: str = "Demand"
    days: str = ""
    hours: str = ""


class TypedDiscount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A discount in per cent."""

    percent: Decimal
    of: Literal["bill", "usage"] = "bill"
    name: str = "Discount"
    conditional: bool = False
    """Whether it has to be earned, for example by paying on time."""


class TypedPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A plan typed from a bill."""

    name: str
    fuel: Literal["electricity", "gas"]
    supply: Decimal
    """A day, in `prices`."""
    usage: tuple[TypedRate, ...]
    retailer: str = ""
    from_: date | None = msgspec.field(name="from", default=None)
    """First day of these prices; None: not known, or that of the version they correct."""
    prices: PriceUnit = "cents with GST"
    """The unit of every price here. Feed-in has no GST either way."""
    clock: Literal["local", "AEST"] = "local"
    """What the hours are in: local time, or AEST all year."""
    controlled_load: TypedLoad | None = None
    feed_in: tuple[TypedRate, ...] = ()
    demand: TypedDemand | None = None
    discounts: tuple[TypedDiscount, ...] = ()
