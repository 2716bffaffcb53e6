"""The fields of the service's specification, "Resources and their fields", copied from its text as data.

`name` text · `name:n` number · `name:i` integer · `name:b` boolean · `name[]` array of text or numbers ·
`name{…}` object · `name[…]` array of objects · `@NAME` a shape that several resources share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SHAPES = {
    "RECORD": "platform_id arrangement_id institution_id",
    "ADDRESS": """
        address_u_type
        simple{address_line1 address_line2 address_line3 city country mailing_name postcode state}
        paf{building_name_1 building_name_2 dpid flat_unit_number flat_unit_type floor_level_number floor_level_type
            locality_name lot_number postal_delivery_number:i postal_delivery_number_prefix
            postal_delivery_number_suffix postal_delivery_type postcode state street_name street_suffix street_type
            thoroughfare_number1:i thoroughfare_number1_suffix thoroughfare_number2:i thoroughfare_number2_suffix}""",
    "CONDITIONS": """applicability_conditions[additional_info additional_info_uri additional_value
        rate_applicability_type]""",
    "TIERS": """tiers[additional_info additional_info_uri @CONDITIONS maximum_value minimum_value name
        rate_application_method unit_of_measure]""",
    "BANK_RATE": """additional_info additional_info_uri additional_value @CONDITIONS application_frequency
        application_type calculation_frequency rate @TIERS""",
    "DESTINATION": """
        biller{biller_code biller_name crn}
        digital_wallet{identifier name provider type}
        domestic{account{account_name account_number bsb} card{card_number} pay_id{identifier name type}
            payee_account_u_type}
        international{
            bank_details{account_number bank_address{address name} beneficiary_bank_bic chip_number country
                fed_wire_number legal_entity_identifier routing_number sort_code}
            beneficiary_details{country message name}}""",
    "RATES": "rates[measure_unit unit_price volume:n]",
    "TOU": "time_of_use[additional_info additional_info_uri days[] start_time end_time]",
    "VARYING": "display_name period @RATES time_variations[days[] start_time end_time] type",
    "CONTRACT": """
        additional_fee_information is_fixed:b on_expiry_description pricing_model time_zone variation payment_option[]
        intrinsic_green_power{green_percentage}
        controlled_load[display_name start_date end_date rate_block_u_type
            single_rate{daily_supply_charge description display_name general_unit_price period @RATES}
            time_of_use_rates[daily_supply_charge description display_name period @RATES @TOU type]]
        discounts[category description display_name end_date type method_u_type fixed_amount{amount}
            percent_of_bill{rate} percent_of_use{rate} percent_over_threshold{rate usage_amount}]
        eligibility[description information type]
        fees[amount description rate term type]
        green_power_charges[description display_name scheme type tiers[amount percent_green rate]]
        incentives[category description display_name eligibility]
        solar_feed_in_tariff[description display_name start_date end_date payer_type scheme tariff_u_type
            single_tariff{period @RATES} time_varying_tariffs{@VARYING} time_varying_tariffs_v2[@VARYING]]
        tariff_period[banded_daily_supply_charges[measure_unit unit_price volume:n] daily_supply_charge
            daily_supply_charge_type daily_supply_charges display_name start_date end_date rate_block_u_type time_zone
            type single_rate{description display_name general_unit_price period @RATES}
            time_of_use_rates[description display_name period @RATES @TOU type]
            demand_charges[amount charge_period days[] description display_name start_time end_time max_demand
                min_demand measure_unit measurement_period]]""",
    "INVOICE_FUEL": """other_charges[amount description type] total_generation_credits total_gst
        total_once_off_charges total_once_off_discounts total_usage_charges""",
    "BILLED": """adjustments[amount description] amount calculation_factors[type value:n] description start_date
        end_date invoice_number service_point_id""",
}

FIELDS = {
    "end_users.get": "id name email phone",
    "institutions.get": """id name industry icon logo is_accessible:b priority:i
        status{connections{status}}""",
    "token": "token expires_in:i",
    "consents.get": """consent_id arrangement_id status app_name customer_id scopes[] account_ids[] granted_at
        expires_at updated_at revoked_at""",
    "consents.create": "consent_id status request_uri authorization_url expires_in:i",
    "banking.accounts": """@RECORD account_id account_number account_ownership addresses[@ADDRESS] bsb bundle_name
        creation_date display_name is_owned:b masked_number nickname open_status product_category product_name
        specific_account_u_type deposit_rate lending_rate
        credit_card{min_payment_amount payment_currency payment_due_amount payment_due_date}
        term_deposit[lodgement_date maturity_amount maturity_currency maturity_date maturity_instructions]
        loan{loan_end_date max_redraw max_redraw_currency min_instalment_amount min_instalment_currency min_redraw
            min_redraw_currency next_instalment_date offset_account_enabled:b offset_account_ids[]
            original_loan_amount original_loan_currency original_start_date repayment_frequency repayment_type}
        features[additional_info additional_info_uri additional_value feature_type is_activated]
        deposit_rates[@BANK_RATE deposit_rate_type]
        lending_rates[@BANK_RATE comparison_rate interest_payment_due lending_rate_type loan_purpose repayment_type]
        fees[additional_info additional_info_uri additional_value currency fee_cap fee_cap_period fee_method_u_type
            fee_type name fixed_amount{amount}
            rate_based{accrual_frequency amount_range{fee_maximum fee_minimum} rate rate_type}
            variable{fee_maximum fee_minimum}
            discounts[additional_info additional_info_uri additional_value description discount_method_u_type
                discount_type
                eligibility[additional_info additional_info_uri additional_value discount_eligibility_type]
                fixed_amount{amount}
                rate_based{amount_range{discount_maximum discount_minimum} rate rate_type}]]""",
    "banking.balances": """@RECORD account_id amortised_limit available_balance credit_limit currency current_balance
        purses[amount currency]""",
    "banking.transactions": """@RECORD account_id amount apca_number biller_code biller_name crn currency description
        execution_date_time posting_date_time value_date_time is_detail_available:b merchant_category_code
        merchant_name reference status transaction_id type
        category{confidence_level primary_category secondary_category}
        extended_data{extension_u_type payee payer
            npp_payload{end_to_end_id extended_description purpose_code service service_version}}""",
    "banking.payees": """@RECORD creation_date description nickname payee_id payee_u_type type @DESTINATION""",
    "banking.scheduled_payments": """@RECORD nickname payee_reference payer_reference scheduled_payment_id status
        from{account_id}
        payment_set[amount currency is_amount_calculated:b
            to{account_id @DESTINATION nickname payee_id payee_reference to_utype}]
        recurrence{recurrence_utype next_payment_date event_based{description}
            interval_schedule{final_payment_date intervals[day_in_interval interval] non_business_day_treatment
                payments_remaining:i}
            last_week_day{final_payment_date interval last_week_day non_business_day_treatment payments_remaining:i}
            once_off{payment_date}}""",
    "banking.direct_debits": """@RECORD account_id last_debit_amount last_debit_date_time
        authorised_entity{abn acn arbn description financial_institution}""",
    "banking.products": """name product_id brand brand_name description product_category application_uri
        effective_from effective_to last_updated is_tailored:b card_art[image_uri title]
        additional_information{bundle_uri eligibility_uri fees_and_pricing_uri overview_uri terms_uri
            additional_bundle_uris[additional_info_uri description]
            additional_eligibility_uris[additional_info_uri description]
            additional_fees_and_pricing_uris[additional_info_uri description]
            additional_overview_uris[additional_info_uri description]
            additional_terms_uris[additional_info_uri description]}""",
    "energy.accounts": """@RECORD account_id account_number creation_date display_name open_status
        plans[nickname service_point_ids[]
            authorised_contacts[first_name last_name middle_names[] prefix suffix]
            plan_overview{display_name start_date end_date}
            plan_detail{fuel_type is_contingent_plan:b electricity_contract{@CONTRACT} gas_contract{@CONTRACT}
                metering_charges[description display_name maximum_value minimum_value period]}]""",
    "energy.invoices": """@RECORD account_id balance_at_issue due_date gst_amount invoice_amount invoice_number
        issue_date payment_status service_points[] period{start_date end_date}
        pay_on_time_discount{date discount_amount gst_amount}
        account_charges{total_charges total_discounts total_gst}
        electricity{@INVOICE_FUEL} gas{@INVOICE_FUEL}""",
    "energy.billing": """@RECORD account_id execution_date_time gst transaction_u_type
        demand{@BILLED is_estimate:b measure_unit rate:n time_of_use_type}
        usage{@BILLED is_estimate:b measure_unit usage:n time_of_use_type}
        once_off{amount description invoice_number service_point_id}
        other_charges{@BILLED type}
        payment{amount method}""",
    "energy.service_points": """@RECORD is_generator:b jurisdiction_code last_consumer_change_date
        last_update_date_time national_metering_id service_point_classification service_point_id
        service_point_status valid_from_date location{@ADDRESS} consumer_profile{classification threshold}
        distribution_loss_factor{code description loss_value} related_participants[party role]
        meters[meter_id
            specifications{installation_type manufacturer model next_scheduled_read_date read_type status}
            registers[averaged_daily_load:n consumption_type controlled_load:b multiplier:n network_tariff_code
                register_consumption_type register_id register_suffix time_of_day unit_of_measure]]""",
    "energy.usage": """@RECORD controlled_load:b meter_id read_start_date read_end_date read_u_type register_id
        register_suffix service_point_id unit_of_measure basic_read{quality value:n}
        interval_read{aggregate_value:n interval_reads[] read_interval_length:i
            read_qualities[start_interval:i end_interval:i quality]}""",
    "energy.der_records": """@RECORD service_point_id approved_capacity:n available_phases_count:i
        installed_phases_count:i has_central_protection_control:b islandable_installation:b
        protection_mode{export_limit_kva:n frequency_rate_of_change:n inter_trip_scheme
            neutral_voltage_displacement:n over_frequency_protection:n over_frequency_protection_delay:n
            over_voltage_protection:n over_voltage_protection_delay:n sustained_over_voltage:n
            sustained_over_voltage_delay:n under_frequency_protection:n under_frequency_protection_delay:n
            under_voltage_protection:n under_voltage_protection_delay:n voltage_vector_shift:n}
        ac_connections[commissioning_date connection_identifier:i count:i equipment_type inverter_device_capacity:n
            inverter_model_number inverter_series manufacturer_name status
            der_devices[count:i device_identifier:i manufacturer model_number nominal_rated_capacity:n
                nominal_storage_capacity:n status subtype type]]""",
    "energy.concessions": """@RECORD account_id additional_info additional_info_uri amount applied_to[]
        discount_frequency display_name start_date end_date percentage type""",
}

_TOKEN = re.compile(r"@(?P<shape>\w+)|(?P<name>\w+)(?P<kind>:[nib])?(?P<open>\[\]|[\[{])?|(?P<close>[\]}])")


def paths(text: str) -> Iterator[tuple[str, str]]:
    """Dotted path and kind (`text`, `n`, `i`, `b`, `[]`) of every leaf in a description."""
    within: list[str] = []
    for token in _TOKEN.finditer(_expanded(text)):
        if token["close"]:
            within.pop()
        elif token["open"] in ("{", "["):
            within.append(token["name"])
        else:
            yield ".".join([*within, token["name"]]), token["open"] or (token["kind"] or ":text")[1:]


def _expanded(text: str) -> str:
    while "@" in text:
        text = re.sub(r"@(\w+)", lambda shape: SHAPES[shape[1]], text)
    return text
