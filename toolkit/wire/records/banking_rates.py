"""Rates with their tiers and conditions, and fees with their discounts, as accounts carry them."""

from __future__ import annotations

from toolkit.wire.records.base import Wire


class RateCondition(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    rate_applicability_type: str | None = None


class Tier(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    applicability_conditions: list[RateCondition] | None = None
    maximum_value: str | None = None
    minimum_value: str | None = None
    name: str | None = None
    rate_application_method: str | None = None
    unit_of_measure: str | None = None


class BankRate(Wire):
    """What deposit and lending rates share. rate: a fraction, "0.05" is 5 %."""

    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    applicability_conditions: list[RateCondition] | None = None
    application_frequency: str | None = None
    application_type: str | None = None
    calculation_frequency: str | None = None
    rate: str | None = None
    tiers: list[Tier] | None = None


class DepositRate(BankRate):
    deposit_rate_type: str | None = None


class LendingRate(BankRate):
    comparison_rate: str | None = None
    interest_payment_due: str | None = None
    lending_rate_type: str | None = None
    loan_purpose: str | None = None
    repayment_type: str | None = None


class FixedAmount(Wire):
    amount: str | None = None


class FeeRange(Wire):
    fee_maximum: str | None = None
    fee_minimum: str | None = None


class RateBasedFee(Wire):
    accrual_frequency: str | None = None
    amount_range: FeeRange | None = None
    rate: str | None = None
    rate_type: str | None = None


class DiscountRange(Wire):
    discount_maximum: str | None = None
    discount_minimum: str | None = None


class RateBasedDiscount(Wire):
    amount_range: DiscountRange | None = None
    rate: str | None = None
    rate_type: str | None = None


class DiscountEligibility(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    discount_eligibility_type: str | None = None


class FeeDiscount(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    description: str | None = None
    discount_method_u_type: str | None = None
    discount_type: str | None = None
    eligibility: list[DiscountEligibility] | None = None
    fixed_amount: FixedAmount | None = None
    rate_based: RateBasedDiscount | None = None


class Fee(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    currency: str | None = None
    fee_cap: str | None = None
    fee_cap_period: str | None = None
    fee_method_u_type: str | None = None
    fee_type: str | None = None
    name: str | None = None
    fixed_amount: FixedAmount | None = None
    rate_based: RateBasedFee | None = None
    variable: FeeRange | None = None
    discounts: list[FeeDiscount] | None = None
