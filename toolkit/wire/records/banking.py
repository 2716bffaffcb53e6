"""Accounts, balances, transactions, direct debits and products."""

from __future__ import annotations

from toolkit.wire.records.banking_rates import DepositRate, Fee, LendingRate
from toolkit.wire.records.base import Address, EndUserRecord, Wire


class CreditCard(Wire):
    min_payment_amount: str | None = None
    payment_currency: str | None = None
    payment_due_amount: str | None = None
    payment_due_date: str | None = None


class TermDeposit(Wire):
    lodgement_date: str | None = None
    maturity_amount: str | None = None
    maturity_currency: str | None = None
    maturity_date: str | None = None
    maturity_instructions: str | None = None


class Loan(Wire):
    loan_end_date: str | None = None
    max_redraw: str | None = None
    max_redraw_currency: str | None = None
    min_instalment_amount: str | None = None
    min_instalment_currency: str | None = None
    min_redraw: str | None = None
    min_redraw_currency: str | None = None
    next_instalment_date: str | None = None
    offset_account_enabled: bool | None = None
    offset_account_ids: list[str] | None = None
    original_loan_amount: str | None = None
    original_loan_currency: str | None = None
    original_start_date: str | None = None
    repayment_frequency: str | None = None
    repayment_type: str | None = None


class Feature(Wire):
    additional_info: str | None = None
    additional_info_uri: str | None = None
    additional_value: str | None = None
    feature_type: str | None = None
    is_activated: str | None = None


class BankAccount(EndUserRecord, kw_only=True):
    account_id: str
    account_number: str | None = None
    account_ownership: str | None = None
    addresses: list[Address] | None = None
    bsb: str | None = None
    bundle_name: str | None = None
    creation_date: str | None = None
    display_name: str | None = None
    is_owned: bool | None = None
    masked_number: str | None = None
    nickname: str | None = None
    open_status: str | None = None
    product_category: str | None = None
    product_name: str | None = None
    specific_account_u_type: str | None = None
    deposit_rate: str | None = None
    lending_rate: str | None = None
    credit_card: CreditCard | None = None
    term_deposit: list[TermDeposit] | None = None
    loan: Loan | None = None
    features: list[Feature] | None = None
    deposit_rates: list[DepositRate] | None = None
    lending_rates: list[LendingRate] | None = None
    fees: list[Fee] | None = None


class Purse(Wire):
    amount: str | None = None
    currency: str | None = None


class Balance(EndUserRecord, kw_only=True):
    account_id: str
    amortised_limit: str | None = None
    available_balance: str | None = None
    credit_limit: str | None = None
    currency: str | None = None
    current_balance: str | None = None
    purses: list[Purse] | None = None


class Category(Wire):
    confidence_level: str | None = None
    primary_category: str | None = None
    secondary_category: str | None = None


class NppPayload(Wire):
    """New Payments Platform, the real-time payments of Australia."""

    end_to_end_id: str | None = None
    extended_description: str | None = None
    purpose_code: str | None = None
    service: str | None = None
    service_version: str | None = None


class ExtendedData(Wire):
    extension_u_type: str | None = None
    payee: str | None = None
    payer: str | None = None
    npp_payload: NppPayload | None = None


class Transaction(EndUserRecord, kw_only=True):
    """amount: negative is money out of the account."""

    account_id: str
    amount: str | None = None
    apca_number: str | None = None
    biller_code: str | None = None
    biller_name: str | None = None
    crn: str | None = None
    currency: str | None = None
    description: str | None = None
    execution_date_time: str | None = None
    posting_date_time: str | None = None
    value_date_time: str | None = None
    is_detail_available: bool | None = None
    merchant_category_code: str | None = None
    merchant_name: str | None = None
    reference: str | None = None
    status: str | None = None
    transaction_id: str | None = None
    type: str | None = None
    category: Category | None = None
    extended_data: ExtendedData | None = None


class LastUpdated(Wire):
    account_id: str | None = None
    updated_at: str | None = None


class TransactionsMeta(Wire):
    last_updated: list[LastUpdated] | None = None


class AuthorisedEntity(Wire):
    abn: str | None = None
    acn: str | None = None
    arbn: str | None = None
    description: str | None = None
    financial_institution: str | None = None


class DirectDebit(EndUserRecord, kw_only=True):
    account_id: str
    last_debit_amount: str | None = None
    last_debit_date_time: str | None = None
    authorised_entity: AuthorisedEntity | None = None


class CardArt(Wire):
    image_uri: str | None = None
    title: str | None = None


class DescribedUri(Wire):
    additional_info_uri: str | None = None
    description: str | None = None


class AdditionalInformation(Wire):
    bundle_uri: str | None = None
    eligibility_uri: str | None = None
    fees_and_pricing_uri: str | None = None
    overview_uri: str | None = None
    terms_uri: str | None = None
    additional_bundle_uris: list[DescribedUri] | None = None
    additional_eligibility_uris: list[DescribedUri] | None = None
    additional_fees_and_pricing_uris: list[DescribedUri] | None = None
    additional_overview_uris: list[DescribedUri] | None = None
    additional_terms_uris: list[DescribedUri] | None = None


class BankProduct(Wire):
    product_id: str
    platform_id: str | None = None
    institution_id: str | None = None
    name: str | None = None
    brand: str | None = None
    brand_name: str | None = None
    description: str | None = None
    product_category: str | None = None
    application_uri: str | None = None
    effective_from: str | None = None
    effective_to: str | None = None
    last_updated: str | None = None
    is_tailored: bool | None = None
    card_art: list[CardArt] | None = None
    additional_information: AdditionalInformation | None = None
