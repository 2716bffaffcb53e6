"""Invoices, billing transactions, service points, usage, distributed energy resources, concessions."""

from __future__ import annotations

from toolkit.wire.records.base import Address, EndUserRecord, Number, Wire


class InvoiceCharge(Wire):
    amount: str | None = None
    description: str | None = None
    type: str | None = None


class InvoiceFuel(Wire):
    other_charges: list[InvoiceCharge] | None = None
    total_generation_credits: str | None = None
    total_gst: str | None = None
    total_once_off_charges: str | None = None
    total_once_off_discounts: str | None = None
    total_usage_charges: str | None = None


class InvoicePeriod(Wire):
    start_date: str | None = None
    end_date: str | None = None


class PayOnTimeDiscount(Wire):
    date: str | None = None
    discount_amount: str | None = None
    gst_amount: str | None = None


class AccountCharges(Wire):
    total_charges: str | None = None
    total_discounts: str | None = None
    total_gst: str | None = None


class Invoice(EndUserRecord, kw_only=True):
    account_id: str
    balance_at_issue: str | None = None
    due_date: str | None = None
    gst_amount: str | None = None
    invoice_amount: str | None = None
    invoice_number: str | None = None
    issue_date: str | None = None
    payment_status: str | None = None
    service_points: list[str] | None = None
    period: InvoicePeriod | None = None
    pay_on_time_discount: PayOnTimeDiscount | None = None
    account_charges: AccountCharges | None = None
    electricity: InvoiceFuel | None = None
    gas: InvoiceFuel | None = None


class Adjustment(Wire):
    amount: str | None = None
    description: str | None = None


class CalculationFactor(Wire):
    type: str | None = None
    value: Number | None = None


class BilledQuantity(Wire):
    """What billed demand and billed usage share. start_date and end_date are date-times."""

    adjustments: list[Adjustment] | None = None
    amount: str | None = None
    calculation_factors: list[CalculationFactor] | None = None
    description: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    invoice_number: str | None = None
    is_estimate: bool | None = None
    measure_unit: str | None = None
    service_point_id: str | None = None
    time_of_use_type: str | None = None


class BilledDemand(BilledQuantity):
    rate: Number | None = None


class BilledUsage(BilledQuantity):
    usage: Number | None = None


class OnceOffCharge(Wire):
    amount: str | None = None
    description: str | None = None
    invoice_number: str | None = None
    service_point_id: str | None = None


class OtherCharges(Wire):
    """start_date and end_date are dates here."""

    adjustments: list[Adjustment] | None = None
    amount: str | None = None
    calculation_factors: list[CalculationFactor] | None = None
    description: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    invoice_number: str | None = None
    service_point_id: str | None = None
    type: str | None = None


class BillPayment(Wire):
    amount: str | None = None
    method: str | None = None


class BillingTransaction(EndUserRecord, kw_only=True):
    account_id: str
    execution_date_time: str | None = None
    gst: str | None = None
    transaction_u_type: str | None = None
    demand: BilledDemand | None = None
    usage: BilledUsage | None = None
    once_off: OnceOffCharge | None = None
    other_charges: OtherCharges | None = None
    payment: BillPayment | None = None


class ConsumerProfile(Wire):
    classification: str | None = None
    threshold: str | None = None


class DistributionLossFactor(Wire):
    code: str | None = None
    description: str | None = None
    loss_value: str | None = None


class Participant(Wire):
    party: str | None = None
    role: str | None = None


class MeterSpecifications(Wire):
    installation_type: str | None = None
    manufacturer: str | None = None
    model: str | None = None
    next_scheduled_read_date: str | None = None
    read_type: str | None = None
    status: str | None = None


class Register(Wire):
    averaged_daily_load: Number | None = None
    consumption_type: str | None = None
    controlled_load: bool | None = None
    multiplier: Number | None = None
    network_tariff_code: str | None = None
    register_consumption_type: str | None = None
    register_id: str | None = None
    register_suffix: str | None = None
    time_of_day: str | None = None
    unit_of_measure: str | None = None


class Meter(Wire):
    meter_id: str | None = None
    specifications: MeterSpecifications | None = None
    registers: list[Register] | None = None


class ServicePoint(EndUserRecord, kw_only=True):
    service_point_id: str
    is_generator: bool | None = None
    jurisdiction_code: str | None = None
    last_consumer_change_date: str | None = None
    last_update_date_time: str | None = None
    national_metering_id: str | None = None
    service_point_classification: str | None = None
    service_point_status: str | None = None
    valid_from_date: str | None = None
    location: Address | None = None
    consumer_profile: ConsumerProfile | None = None
    distribution_loss_factor: DistributionLossFactor | None = None
    related_participants: list[Participant] | None = None
    meters: list[Meter] | None = None


class BasicRead(Wire):
    quality: str | None = None
    value: Number | None = None


class ReadQuality(Wire):
    """Interval numbers count from 1, both ends inclusive."""

    start_interval: int | None = None
    end_interval: int | None = None
    quality: str | None = None


class IntervalRead(Wire):
    """interval_reads: a null inside is a missing read. read_interval_length in minutes."""

    aggregate_value: Number | None = None
    interval_reads: list[Number | None] | None = None
    read_interval_length: int | None = None
    read_qualities: list[ReadQuality] | None = None


class UsageRecord(EndUserRecord, kw_only=True):
    service_point_id: str
    controlled_load: bool | None = None
    meter_id: str | None = None
    read_start_date: str | None = None
    read_end_date: str | None = None
    read_u_type: str | None = None
    register_id: str | None = None
    register_suffix: str | None = None
    unit_of_measure: str | None = None
    basic_read: BasicRead | None = None
    interval_read: IntervalRead | None = None


class ProtectionMode(Wire):
    export_limit_kva: Number | None = None
    frequency_rate_of_change: Number | None = None
    inter_trip_scheme: str | None = None
    neutral_voltage_displacement: Number | None = None
    over_frequency_protection: Number | None = None
    over_frequency_protection_delay: Number | None = None
    over_voltage_protection: Number | None = None
    over_voltage_protection_delay: Number | None = None
    sustained_over_voltage: Number | None = None
    sustained_over_voltage_delay: Number | None = None
    under_frequency_protection: Number | None = None
    under_frequency_protection_delay: Number | None = None
    under_voltage_protection: Number | None = None
    under_voltage_protection_delay: Number | None = None
    voltage_vector_shift: Number | None = None


class DerDevice(Wire):
    """Capacities in kVA or kW as rated; storage in kWh."""

    count: int | None = None
    device_identifier: int | None = None
    manufacturer: str | None = None
    model_number: str | None = None
    nominal_rated_capacity: Number | None = None
    nominal_storage_capacity: Number | None = None
    status: str | None = None
    subtype: str | None = None
    type: str | None = None


class AcConnection(Wire):
    commissioning_date: str | None = None
    connection_identifier: int | None = None
    count: int | None = None
    equipment_type: str | None = None
    inverter_device_capacity: Number | None = None
    inverter_model_number: str | None = None
    inverter_series: str | None = None
    manufacturer_name: str | None = None
    status: str | None = None
    der_devices: list[DerDevice] | None = None


class DerRecord(EndUserRecord, kw_only=True):
    service_point_id: str
    approved_capacity: Number | None = None
    available_phases_count: int | None = None
    installed_phases_count: int | None = None
    has_central_protection_control: bool | None = None
    islandable_installation: bool | None = None
    protection_mode: ProtectionMode | None = None
    ac_connections: list[AcConnection] | None = None


class Concession(EndUserRecord, kw_only=True):
    account_id: str
    additional_info: str | None = None
    additional_info_uri: str | None = None
    amount: str | None = None
    applied_to: list[str] | None = None
    discount_frequency: str | None = None
    display_name: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    percentage: str | None = None
    type: str | None = None
