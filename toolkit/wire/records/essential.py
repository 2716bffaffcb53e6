"""Which fields a record cannot do without, and which may be left empty where they cannot be read.

A field is essential where the record without it would say something false, not merely less: by it the record is
recognised (under a renewed consent too), counted, placed in time, or priced. Such a field takes its object with it,
and so on outwards: an object that is not essential itself is left empty, an entry of a list that is not is left out,
and otherwise the whole record is refused. Whatever is not named here is left empty alone; the record as it was given
keeps it. Fields that a struct requires are essential; the tests hold this list to the tables' required columns and
keys, and to what distinguishes records of two consents.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from typing import Any

from msgspec.structs import fields, replace

from toolkit.wire.records import banking, energy, energy_plans, identity, payments
from toolkit.wire.records.base import EndUserRecord, Wire


def _all_but(struct: type[Wire], *descriptive: str) -> frozenset[str]:
    return frozenset(struct.__struct_fields__) - frozenset(descriptive)


_IDENTITY: dict[type[Wire], Set[str]] = {
    EndUserRecord: {"platform_id", "arrangement_id"},
    identity.EndUser: {"email"},
    identity.ConsentRecord: _all_but(identity.ConsentRecord, "account_ids", "permissions"),
}
"""What it is and under which consent it came: a row that is not recognised comes twice, or stays when forgotten."""

_MONEY: dict[type[Wire], Set[str]] = {
    # product_category: it distinguishes debts and locked accounts
    banking.BankAccount: {"account_number", "bsb", "masked_number", "product_category"},
    banking.Balance: {"current_balance", "currency"},
    banking.Purse: {"amount", "currency"},
    banking.Transaction: {
        *("amount", "currency", "status", "type", "description"),
        *("execution_date_time", "posting_date_time", "value_date_time"),
    },
    banking.DirectDebit: {"authorised_entity"},
    banking.AuthorisedEntity: {"abn", "description"},
    banking.BankProduct: {"institution_id"},
    payments.ScheduledPayment: {"status", "from_", "payment_set", "recurrence"},
    payments.PaymentFrom: {"account_id"},
    payments.Payment: {"amount", "currency", "to"},
    payments.PaymentTo: {"account_id"},
    payments.Recurrence: {"next_payment_date", "interval_schedule", "last_week_day", "once_off"},
    payments.IntervalSchedule: {"final_payment_date", "intervals", "payments_remaining"},
    payments.PaymentInterval: {"interval"},
    payments.LastWeekDay: {"final_payment_date", "interval", "last_week_day", "payments_remaining"},
    payments.OnceOffPayment: {"payment_date"},
}

_ENERGY: dict[type[Wire], Set[str]] = {
    energy.Invoice: _all_but(
        energy.Invoice, "institution_id", "balance_at_issue", "pay_on_time_discount", "payment_status"
    ),
    energy.InvoicePeriod: {"start_date", "end_date"},
    energy.InvoiceFuel: _all_but(energy.InvoiceFuel, "total_gst"),
    energy.InvoiceCharge: {"amount"},
    energy.AccountCharges: {"total_charges", "total_discounts"},
    energy.PayOnTimeDiscount: {"date", "discount_amount"},
    energy.BillingTransaction: _all_but(energy.BillingTransaction, "institution_id"),
    # adjustments and factors stand in the record as given alone
    energy.BilledQuantity: _all_but(energy.BilledQuantity, "adjustments", "calculation_factors"),
    energy.BilledDemand: {"rate"},
    energy.BilledUsage: {"usage"},
    energy.OnceOffCharge: _all_but(energy.OnceOffCharge),
    energy.OtherCharges: _all_but(energy.OtherCharges, "adjustments", "calculation_factors", "type"),
    energy.BillPayment: {"amount"},
    # meters: fuel, units, directions and controlled load of the reads
    energy.ServicePoint: {"national_metering_id", "meters"},
    energy.Meter: {"meter_id", "registers"},
    energy.Register: {
        *("controlled_load", "register_consumption_type", "register_id", "register_suffix", "unit_of_measure"),
    },
    energy.UsageRecord: _all_but(energy.UsageRecord, "institution_id", "read_u_type"),
    energy.BasicRead: {"quality", "value"},
    energy.IntervalRead: {"interval_reads", "read_interval_length", "read_qualities"},
    energy.ReadQuality: _all_but(energy.ReadQuality),
    energy.DerRecord: {"ac_connections"},
    energy.AcConnection: {"count", "equipment_type", "inverter_device_capacity", "status", "der_devices"},
    energy.DerDevice: {"count", "nominal_rated_capacity", "nominal_storage_capacity", "status", "type"},
    energy.Concession: _all_but(energy.Concession, "institution_id", "additional_info", "additional_info_uri"),
}

_p = energy_plans
_PLANS: dict[type[Wire], Set[str]] = {
    _p.EnergyAccount: {"account_number", "plans"},
    _p.AccountPlan: {"service_point_ids", "plan_overview", "plan_detail"},
    _p.PlanOverview: {"start_date", "end_date"},
    _p.PlanDetail: _all_but(_p.PlanDetail, "is_contingent_plan"),
    _p.Contract: {
        *(
            "pricing_model",
            "time_zone",
            "tariff_period",
            "controlled_load",
            "solar_feed_in_tariff",
            "discounts",
            "fees",
        ),
    },
    _p.MeteringCharge: _all_but(_p.MeteringCharge, "description", "display_name"),
    _p.TariffPeriod: _all_but(_p.TariffPeriod, "display_name", "type"),
    _p.ControlledLoad: _all_but(_p.ControlledLoad, "display_name"),
    _p.SingleRate: _all_but(_p.SingleRate, "description", "display_name"),
    _p.TimeOfUseRate: _all_but(_p.TimeOfUseRate, "description", "display_name", "type"),
    _p.TimeOfUse: {"days", "start_time", "end_time"},
    _p.Rate: _all_but(_p.Rate),
    _p.DemandCharge: _all_but(_p.DemandCharge, "description", "display_name"),
    # display_name: entries that share one are one tariff
    _p.SolarFeedIn: _all_but(_p.SolarFeedIn, "description"),
    _p.SingleTariff: _all_but(_p.SingleTariff),
    _p.TimeVaryingTariff: _all_but(_p.TimeVaryingTariff, "display_name", "type"),
    _p.TimeVariation: _all_but(_p.TimeVariation),
    _p.PlanDiscount: _all_but(_p.PlanDiscount, "category", "description", "display_name"),
    _p.PlanAmount: {"amount"},
    _p.Percentage: {"rate"},
    _p.PercentOverThreshold: {"rate", "usage_amount"},
    _p.PlanFee: _all_but(_p.PlanFee, "description"),
}
"""A plan that lost a part would be cheaper than it is: an account on a plan with an unreadable price is refused."""

_ESSENTIAL = _IDENTITY | _MONEY | _ENERGY | _PLANS
_STEPS = re.compile(r"[^.\[\]]+")


@cache
def essential(struct: type[Wire]) -> frozenset[str]:
    """Return the names of the fields without which an object of this kind is refused, those it inherits among them."""
    required = {field.name for field in fields(struct) if field.required}
    return frozenset(required.union(*(_ESSENTIAL.get(kind, ()) for kind in struct.__mro__)))


def without(record: Wire, field: str) -> Any | None:
    """Return the record with `field` (`period.end_date`, `meters[0].meter_id`) left empty; None if it is essential."""
    return _without(record, _STEPS.findall(field))


def _without(holder: Any, steps: list[str]) -> Any | None:
    if isinstance(holder, list) and steps:
        at = int(steps[0])
        entry = _without(holder[at], steps[1:])
        return None if entry is None else [*holder[:at], entry, *holder[at + 1 :]]
    if not steps or not isinstance(holder, Wire) or getattr(holder, steps[0], None) is None:
        return None
    if len(steps) > 1:
        inside = _without(getattr(holder, steps[0]), steps[1:])
        return None if inside is None else replace(holder, **{steps[0]: inside})
    return None if steps[0] in essential(type(holder)) else replace(holder, **{steps[0]: None})
