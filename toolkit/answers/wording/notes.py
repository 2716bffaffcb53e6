"""The sentence of each note, by its code: names of figures in braces, names of remedies in capitals."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.answers.wording.high_bill import HIGH_BILL
from toolkit.answers.wording.insights import INSIGHTS
from toolkit.answers.wording.usage import USAGE

WORDING: Mapping[str, str] = {
    **INSIGHTS,
    **HIGH_BILL,
    # How a file was read
    "read_quality_unknown": (
        "{count:read has|reads have} a quality that is not known ({quality!r}) and {count:counts|count} as actual."
    ),
    "usage_without_unit": "The file does not say its unit, so its figures are read as kWh.",
    "usage_without_meter": "The file names no meter (NMI): its reads are stored under the name “usage”.",
    "clock_read_as_aest": (
        "The file has values in an hour that daylight saving leaves out: its clock is read as AEST."
    ),
    "controlled_load_register_missing": "There is no register {unknown} for controlled load; the file has {found}.",
    "controlled_load_possible": "Register {register} is often controlled load; {SET_CONTROLLED_LOAD}.",
    "register_is_controlled": "Register {register} is controlled load, on all its days.",
    "register_is_not_controlled": "Register {register} is not controlled load any more, on all its days.",
    "dates_month_first": "Dates are read with the month first, because some of them are only possible that way.",
    "generation_below_zero": ("{count:value|values} below zero (the inverter's own use at night) are taken as 0."),
    "generation_beside_battery": (
        "Meter {meter} exports in the dark, as where a battery sells: this generation is not compared with its export."
    ),
    "generation_not_compared": "Meter {meter} has no reads of export on these days to compare with.",
    "generation_off_noon": (
        "Generation in this file is centred about an hour {side} noon by the sun: the roof faces {facing}, or the "
        "clock of the file is an hour or two off."
    ),
    "investments_left_out": "{count:investment record is|investment records are} left out: only money is read.",
    "read_by_plugin": "The plug-in {plugin} of package {package} read this file.",
    "account_of_earlier_files": (
        "The file does not say which account it is of, so its transactions are in {account!r}: {NAME_ACCOUNT}."
    ),
    "file_clock_off": (
        "Judging by {evidence}, the times in this file are about {hours:hour|hours} {side}, as if its time zone "
        "were wrong: {FILE_CLOCK}."
    ),
    "file_clock_off_fixed": (
        "Judging by {evidence}, the times in this file are about {hours:hour|hours} {side}, although this kind of "
        "file states its time zone. Ask whoever made the file for a new one."
    ),
    "file_clock_in_summer": (
        "Judging by {evidence}, the times in this file are an hour {side} while daylight saving is in force: "
        "{FILE_CLOCK}."
    ),
    "file_clock_in_summer_fixed": (
        "Judging by {evidence}, the times in this file are an hour {side} while daylight saving is in force, "
        "although this kind of file has no daylight saving. Ask whoever made the file for a new one."
    ),
    # How a plan was read
    "prices_in_cents": (
        "Prices are taken as cents (the highest usage price is {price:f} per {unit}): usage, supply, demand, "
        "controlled load, feed-in and metering are divided by 100."
    ),
    "unusual_energy_price": "{label}: {price:f} AUD per {unit} is out of the usual range.",
    "unusual_supply_charge": "{label}: a supply charge of {price:f} AUD a day is out of the usual range.",
    "unusual_demand_charge": "{label}: {price:f} AUD per kW is out of the usual range.",
    "rising_block_volumes": (
        "{label}: its blocks ({volumes}) are each taken as so much energy, not as where the next one begins."
    ),
    "unreachable_blocks": "{label}: a block without a limit stands before others, which therefore never apply.",
    "block_period_missing": "{label}: a tiered rate has no period; its volumes are taken per {period}.",
    "block_period_unreadable": (
        "{label}: a tiered rate has an unreadable period {written}; its volumes are taken per {period}."
    ),
    "above_quota": "{label}: energy above the quota costs {price:f} AUD per {unit}, GST included.",
    "windows_overlap": "{label}: some of its times overlap; the shorter ones count.",
    "windows_leave_gaps": "{label}: {minutes} minutes of the week have no price.",
    "several_time_zones": "Tariff periods name different time zones; dates are in the first.",
    "date_order": "{kind} dates are read as {order}.",
    "only_season_unreadable": (
        "{label}: dates {first} to {last} are unreadable; the only period is taken to hold all year."
    ),
    "seasons_leave_gaps": "The tariff periods leave out {days} days of the year.",
    "seasons_overlap": "Tariff periods overlap: on each day the first listed counts.",
    "dates_unreadable": "{label}: dates {first} to {last} are unreadable and taken as always.",
    "not_on_offer": "{label}: not included, as it is on offer only from {first} to {last}.",
    "on_offer": "{label}: on offer from {first} to {last}; it is priced on all days.",
    "demand_unit": "{label}: charged by {unit}, priced as kW.",
    "demand_monthly": "{label}: {price:f} AUD per kW is taken as a price per month.",
    "demand_rolling": "{label}: its text names the last twelve months; each month is priced by itself.",
    "controlled_loads_first": "{count} controlled loads are published; the first ({label}) is used.",
    "controlled_loads_by_day": "{count} controlled loads are published; on each day the first in force is used.",
    "several_daily_charges": "{label}: its bands name different daily charges; the first is used.",
    "feed_in_not_on_plan": (
        "The account is on the feed-in tariff {label!r}, which is not part of the plan: export earns nothing."
    ),
    "feed_in_closed": (
        "Its feed-in tariffs are government or premium schemes, closed to new customers: export earns nothing."
    ),
    "feed_in_alternatives": "{count} alternative feed-in tariffs are published; the first ({label}) is used.",
    "feed_in_block_periods": "{label}: its steps are per different periods; the first one's counts for all.",
    "fixed_discount": "{label}: a fixed discount of ${amount:f} is not included in the bill.",
    "occasional_fees": (
        "Not included: {count:fee that applies|fees that apply} only sometimes (card payment, late payment …)."
    ),
    "metering_not_billed": "{label}: a metering charge without a period or an amount is not billed.",
    "metering_range": "{label}: between {least:f} and {most:f} per {period}; the lower is billed.",
    "green_power_not_billed": "Not included: green power that can be added ({names}).",
    "incentives_not_billed": "Not included: one-off offers ({names}).",
    # How a bill was priced
    "controlled_load_as_usage": "Controlled load without a tariff of its own is billed as usage.",
    "export_without_feed_in": "{energy:.3f} {unit} of export earns nothing because no feed-in tariff covers it.",
    "no_supply_charge": "No daily supply charge is published for {days} days between {first} and {last}.",
    "supply_band_assumed": (
        "{label}: the supply charge depends on the year's energy, which is unknown; the first band is used."
    ),
    "supply_band": "{label}: the supply charge is that for {energy:.0f} {unit} a year.",
    "month_demand": "{label}: {kw:.3f} kW in {month:month}, {days:day|days}.",
    "condition_assumed": "{label}: its condition is assumed to be met.",
    "condition_not_met": "{label}: not included, as it has a condition.",
    "discount_on_some_days": "{label}: applies on {days} of {period_days} days and counts in that proportion.",
    "concession_without_amount": "{label}: a concession without an amount or percentage is not in the bill.",
    "concession_lapsed": (
        "{label} ended on {day} and is not counted after that; if it continues, enter its figures from that day on: "
        "{SET_CONCESSION}."
    ),
    "concession_secondary": (
        "{label}: its amount was read at {site}, not on a government page. Check it on a bill; if the bill says "
        "another amount, enter that."
    ),
    "concession_of_account": (
        "{label} is not counted, as the energy account brings the concessions of this home with their amounts."
    ),
    "substituted_reads": "{substituted:,.3f} of {energy:,.3f} {unit} are estimated reads, not measured ones.",
    "missing_reads": "Reads are missing for {share:.1%} of the time; that energy is not included in this bill.",
    "missing_at_edge": (
        "The meter's days begin at midnight AEST: {hours:hour|hours} at the edge of these local days have no reads and "
        "are not included in this bill."
    ),
    "no_whole_month": "No whole month was read yet: the days from {first} to {last} are billed.",
    # The home and its plan
    "energy_from_bills": (
        "There is no meter data: the energy of each bill is spread evenly over its days, so hours are unknown. "
        "{SEE_HOURS}."
    ),
    "place_unknown": (
        "The home's postcode is not known, so times are in Sydney's time zone. Set the postcode{SET_POSTCODE}."
    ),
    "prices_changed": "Plan or prices changed on {day}. Each day is priced at those in force.",
    "plan_assumed": (
        "It is not known which plan applied from {first} to {last}, so these days are priced at today's "
        "prices of {plan}."
    ),
    "prices_known_from": "We know this plan's prices only from {day}.",
    "account_without_plan": "The account names no plan for {day}.",
    "plan_since_unknown": "We do not know when this home started on {plan}: {SET_SINCE}.",
    "plan_since_unknown_with_prices": (
        "We do not know when this home started on {plan} (we know its prices from {day}): {SET_SINCE}."
    ),
    "plan_not_named": "We do not know which plan this home was on: {SET_PLAN_SINCE}.",
    "plan_gap": "No plan of the account applies on {day}; the nearest one is used.",
    "plan_not_used": "The energy account shows the current plan, so {plan}, which was set for this home, is not used.",
    "plan_before_known": "The plan of this home is known from {day}; it is also used for earlier days.",
    "only_stored_plan": "This home has no plan set, so the only stored {fuel} plan is used.",
    # A comparison
    "network_gas": "Gas networks are not known here: plans of all gas networks are compared.",
    "network_not_known": "The electricity distributor set for this home, {network!r}, is not known here.",
    "network_of_meter": "The electricity distributor, {network}, is taken from the meter number; {OTHER_NETWORK}.",
    "network_missing": (
        "The home's electricity distributor is not known, so plans of several distributors are compared, also of those "
        "that do not supply it: {SET_NETWORK}."
    ),
    "place_missing": (
        "Savings are not shown, as plans depend on where the home is. Enter its postcode{GIVE_POSTCODE}."
    ),
    "postcode_mismatch": "The postcode and the distributor {network} do not match: {why}. Check both.",
    "embedded_network": "This building sells its power to its residents, so most plans are not available here.",
    "choice_in_wa": (
        "Homes in Western Australia cannot choose their electricity retailer, and plans there are not published."
    ),
    "choice_in_nt": (
        "Homes in the Northern Territory have next to no choice of electricity retailer, and plans are not published."
    ),
    "choice_in_tas": "Homes in Tasmania can choose between a few electricity retailers only.",
    "choice_in_regional_qld": (
        "Homes in regional Queensland have next to no choice of electricity retailer: most are with Ergon."
    ),
    "customer_assumed": ("Plans for homes are compared, not those for businesses: {OTHER_CUSTOMER}."),
    "prices_old": "These prices are as of {day} or earlier, {age} days ago. {FETCH_PLANS}.",
    "plans_expired": "{count:plan|plans} not included, as they have ended.",
    "plans_not_here": (
        "{count:plan|plans} not included, as they are not available to this home (postcode, kind of customer, solar or "
        "controlled load)."
    ),
    "plans_other_networks": "{count:plan|plans} not included, as they are for homes of other electricity distributors.",
    "plans_left_out": "{count:plan|plans} not included by {filter}.",
    "current_plan_unknown": "Today's plan is not known, so savings are not: {SET_PLAN}.",
    "current_plan_incomplete": "Today's plan cannot be priced in full, so savings are not known: {reason}.",
    "current_plan_dated": (
        "Today's plan, as stored, has no {component} price on {day}, so no saving is shown. {ADD_CURRENT_PLAN}."
    ),
    "missing_reads_compared": (
        "Reads are missing for {share:.1%} of the time; that energy is not included in any total."
    ),
    "paid_as_plan": (
        "From {first} to {last} the bank shows ${amount:,.2f} paid to {payees}: about what your plan gives for these "
        "days."
    ),
    "paid_less_than_plan": (
        "From {first} to {last}, the same days, the bank shows ${amount:,.2f} paid to {payees} in "
        "{payments:payment|payments}: ${by:,.2f} less than your plan gives."
    ),
    "paid_more_than_plan": (
        "From {first} to {last}, the same days, the bank shows ${amount:,.2f} paid to {payees} in "
        "{payments:payment|payments}: ${by:,.2f} more than your plan gives."
    ),
    "paid_bank_begins": "The bank data begins on {first}, so earlier payments are not in it.",
    "paid_bank_ends": "The bank data ends on {last}, so later payments are not in it.",
    "paid_evenly": "The payments are the same each time, whatever the bills come to.",
    "paid_fewer_bills": (
        "A bill comes every {every}, so {payments:payment is|payments are} for {months:month|months}, not {of}."
    ),
    "paid_both_fuels": "They may be for gas and electricity together; the plan here is for one of them.",
    "paid_prices_then": "Plan or prices changed on {day}; earlier payments were at the prices before.",
    "paid_with_concessions": "Concessions of your energy account come off the bills, not off the totals here.",
    "paid_with_billed_concessions": (
        "The bills of these days had ${amount:,.2f} of concessions taken off; the totals here have none."
    ),
    "paid_later": "A payment is for the bill of earlier days, at the use and the prices of those.",
    "not_for_everyone": "Not for everyone: {condition}.",
    # Usage
    "no_reads": "There are no reads in this range.",
    "reads_elsewhere": "The reads of {service_point} lie from {first} to {last}.",
    "no_reads_within_day": (
        "The meter gives no reads within the day, so what is always on, the highest half-hour and the average day are "
        "not known."
    ),
    "hourly_reads": "Some reads are hourly: within those hours both half-hours count as the same power.",
    "meter_days": (
        "Days and months are added up as meters count them, from midnight eastern standard time (AEST) all year. "
        "Half-hours are shown in local time, and bills count days as their plan does."
    ),
    # The next bill
    "forecast_method": (
        "Days without meter data are estimated from this home's own past, mostly from {past}: that came closest in "
        "tests on its past billing periods."
    ),
    "next_bill_against": "The best guess is {by} than your last bill (${total:,.2f}, {first} to {last}): {causes}.",
    "next_bill_against_reads": (
        "The best guess is {by} than what {first} to {last} comes to at your plan's prices (${total:,.2f}): {causes}."
    ),
    "use_rose": (
        "Use has been about {ratio:.2g} times as high since {since}; the forecast rests on the days since then."
    ),
    "use_fell": (
        "Use has been about {ratio:.0%} of what it was since {since}; the forecast rests on the days since then."
    ),
    "solar_began": "Solar has been exported since {since}; the forecast rests on the days since then.",
    "night_use_rose": (
        "Use at night has been higher since {since} (all use about {ratio:.2g} times as high); the forecast rests on "
        "the days since then."
    ),
    "empty_meter": (
        "Every read from {first} to {last} is zero, so the forecast is the daily charges alone. If power is used here, "
        "check that the right meter was imported."
    ),
    "year_other_days": (
        "The bills ahead come to ${together:,.2f} for {first} to {until}, the twelve months to ${year:,.2f} for "
        "{first} to {last}: they are of other days."
    ),
    "year_not_the_sum": (
        "The best guess of the twelve months (${year:,.2f}) is not those of the bills ahead added up "
        "(${together:,.2f}): a bill can end further {side} its best guess than {other} it, and over a year that counts."
    ),
    "past_bills_recomputed": (
        "Past bills are worked out from the meter data at this plan's prices; they are not what you were billed."
    ),
    "few_past_bills": (
        "A likely range needs meter data of {needed} past bills to test the forecast on; so far there is that of "
        "{tested}. "
        "{OLDER_DATA} to get a range sooner."
    ),
    "short_history": (
        "Only {days:complete day|complete days} of meter data so far, so the forecast is rough; even payments for a "
        "year need {needed}. {OLDER_DATA}."
    ),
    "long_gap": (
        "There is no meter data for {days:day|days} from {first} to {last}, so the forecast rests on the other days. "
        "{IMPORT_MISSING_DAYS}."
    ),
    "incomplete_days": ("{days:day|days} up to {through} have incomplete reads; they are forecast like future days."),
    "price_season": (
        "Plans often change prices on 1 July or 1 August. Only changes that are already stored are in the forecast."
    ),
    "range_wider": (
        "Meter data ends on {last_read}, {age} days before {today}: the range is wider than with newer data."
    ),
    "too_few_days_to_forecast": (
        "Meter data covers fewer than {needed} days, too few to forecast the next bill. {TWO_WEEKS}."
    ),
    "too_old_to_forecast": (
        "Meter data ends on {last_read}, {age} days before {today}: too long ago to forecast the next bill. "
        "{NEWER_DATA}."
    ),
    "bill_in_past": (
        "Meter data ends on {last_read}, so this bill is in the past. Import newer meter data to see the next one."
    ),
    "prices_will_change": "Plan or prices change on {day}: the days from then on are priced at the new ones.",
    "switched_on": "The days from {day} on are priced on plan {plan}, earlier ones on the home's own plan.",
    "smoothing_in_credit": (
        "Payments of ${payment:,.2f} a {every} to {name} come to ${yearly:,.2f} a year: the account would stand about "
        "${amount:,.2f} higher in twelve months than today."
    ),
    "smoothing_owing": (
        "Payments of ${payment:,.2f} a {every} to {name} come to ${yearly:,.2f} a year, less than the bills ahead: the "
        "account would owe about ${amount:,.2f} more in twelve months than today."
    ),
    "last_known_prices": (
        "No price change after {day} is known, so the last known prices are used. Plans mostly change prices once "
        "a year."
    ),
    "billing_as_set": (
        "Bills are {every}, as set for this household. No bill's dates are stored, so the periods are counted from "
        "1 January of each year."
    ),
    "billing_of_plan": (
        "Bills are {every}, by the plan. No bill's dates are stored, so the periods are counted from 1 January of each "
        "year."
    ),
    "billing_of_payments": (
        "Bills are {every}, as the payments to the retailer show. A bill is taken to end three weeks before its "
        "payment, so its days may be off by a week or two."
    ),
    # Solar
    "sunshine_of_sydney": (
        "The home's postcode is not known, so Sydney's sunshine is assumed. Set the postcode{GIVE_POSTCODE}."
    ),
    "roof_assumed": (
        "Assumed: panels facing north at 20°, which is not recorded anywhere; another roof shifts the estimate."
    ),
    "solar_used_estimated": (
        "Power used at home straight from the panels is not measured. It is inferred from the shape of the export over "
        "the days: the range holds the truth for about nine homes in ten. The inverter's own export would measure it."
    ),
    "generation_on_days": (
        "Generation was measured on {days} of the {of} days with meter reads; generation and shares are of those days."
    ),
    "generation_too_much": (
        "The panels would have generated up to {kwh:,.0f} kWh a day, more than a home's can, so that figure is not "
        "used. A file in Wh may say that it is in kWh: {FILE_UNIT}."
    ),
    "generation_too_little": (
        "The panels would have generated {kwh:,.1f} kWh on days on which {export:,.0f} kWh was exported, so that "
        "figure is not used. A file in MWh may say that it is in kWh: {FILE_UNIT}."
    ),
    "generation_clock_off": (
        "The clock of the inverter's file is about {hours:g} h {side} the meter's, so its hours are not judged: "
        "{FILE_ZONE}."
    ),
    "generation_clock_in_summer": (
        "The clock of the inverter's file is about {hours:g} h {side} the meter's in summer only, so its hours are not "
        "judged: {FILE_ZONE}."
    ),
    "generation_unlike_export": (
        "The meter's export and the inverter's generation do not rise and fall together from day to day: the file may "
        "be of another home."
    ),
    "clock_off": (
        "By the sun, the clock of these reads is about {hours} hours {side}: the time zone of the file may be wrong. "
        "If it is a table with times of its own, {FILE_ZONE}. A NEM12 file is in AEST: ask whoever made it for another."
    ),
    "clock_in_summer": (
        "By the sun, the clock of these reads is an hour {side} while daylight saving is in force: the file may follow "
        "other daylight-saving rules. If it is a table with times of its own, {FILE_ZONE}. A NEM12 file is in AEST: "
        "ask whoever made it for another."
    ),
    "export_off_noon": (
        "Export is centred about an hour {side} noon by the sun: the roof faces {facing}, or the clock of the reads "
        "is an hour or two off."
    ),
    "export_limited": (
        "The export stops rising at {kw:.1f} kW, which looks like a limit of the inverter or the connection. "
        "Energy above the limit is not measured."
    ),
    "generation_low": (
        "The panels seem to have made less than is typical for their size and place ({low:,.0f} to {high:,.0f} kWh): "
        "shade, another orientation, an export limit or a fault."
    ),
    "generation_high": (
        "The panels seem to have made more than is typical for their size and place ({low:,.0f} to {high:,.0f} kWh): "
        "they may be larger than entered, or better placed; figures based on their size are then too low."
    ),
    # A change to the home
    "priced_as_in_force": "Every day is priced on plan {plan}, the plan in force on {day}.",
    "priced_as_requested": "Every day is priced on plan {plan}, as requested.",
    "too_old_for_year": (
        "Meter data ends on {last_read}, {age} days before {today}: too long ago for a yearly figure. "
        "The saving is for these days only."
    ),
    "too_few_days_for_year": (
        "Meter data covers {read:g} of {days} days. A yearly figure needs at least {needed} days: add more meter data."
    ),
    "part_of_year": (
        "Meter data covers {read:g} of {days} days, scaled up to 365, so the yearly figure may not reflect every "
        "season."
    ),
    "most_of_year": "Meter data covers {read:g} of {days} days; the yearly figure scales them up to 365.",
    "battery_assumed": (
        "A battery of {kwh:g} kWh usable and {kw:g} kW, empty at first; it returns {efficiency:.0%} of the energy put "
        "in. Ageing is ignored."
    ),
    "battery_there": "The home already has a battery of {kwh:g} kWh; this one is added to it.",
    "battery_self_consumption": (
        "Run for self-consumption: it stores surplus solar, and supplies the home whenever it would buy from the grid."
    ),
    "battery_tariff": (
        "Run by the tariff: it keeps energy for dearer hours, and buys in the cheapest hours where a later price pays "
        "for the losses; each day's use is taken as known beforehand."
    ),
    "battery_demand": (
        "Run for the demand charge: it holds each month's demand at the lowest that it can, then keeps energy for "
        "dearer hours; every half-hour is taken as known beforehand, which no battery knows, so this is the most that "
        "can be saved."
    ),
    "battery_supplies": "It supplies {kwh:,.0f} kWh over these days.",
    "battery_lowers_demand": "Monthly demand of {before} kW is reduced to {after} kW.",
    "battery_without_foresight": (
        "Run for self-consumption alone, which needs to know nothing beforehand, it saves ${saving:,.2f} over the "
        "range."
    ),
    "panels_like_own": (
        "{kw:g} kW more panels, as productive per kW as the home's own {own_kw:g} kW, by their export."
    ),
    "panels_typical": (
        "{kw:g} kW of panels facing north at 20°, with typical generation in {city} on clear days; real days vary."
    ),
    "panels_without_limit": "Ignores export limits and any inverter upgrade.",
    "vehicle_charging": (
        "{kwh:g} kWh every day, charged from the start of {window} at up to {kw:g} kW; surplus solar is used first."
    ),
    "vehicle_days_without_reads": (
        "On {without} of {days} days there are no reads for these hours: no charging is included."
    ),
    "vehicle_partly_read": (
        "On {partly} of {days} days there are reads for only some of these hours, and charging covers those: "
        "{given:.1f} of {wanted:g} kWh."
    ),
    "vehicle_short_nights": "{kwh:.1f} kWh could not be charged on nights shortened by daylight saving.",
    "gas_split": (
        "Of {mj:,.0f} MJ of gas on these days, {hot_water:,.0f} MJ are counted as hot water (with any cooktop): the "
        "use of days without heating, and {heating:,.0f} MJ as heating."
    ),
    "gas_hot_water": (
        "The gas water heater turns {efficiency:.0%} of its gas into hot water; a heat pump with a COP of {cop:g} "
        "makes the same heat, {window} each day."
    ),
    "gas_heating": (
        "Gas heating turns {efficiency:.0%} of its gas into warmth; reverse-cycle heating with a COP of {cop:g} makes "
        "the same heat, {window} each day."
    ),
    "gas_electricity": "This takes {kwh:,.0f} kWh more electricity on these days.",
    "gas_disconnected": (
        "Nothing is left on gas, so its supply charge is saved, too. What disconnecting costs is not included."
    ),
    "gas_stays": "Some use stays on gas, so its supply charge stays.",
    "gas_days_without_reads": (
        "On {days:day|days} there are no electricity reads for these hours: their gas is saved, but no electricity is "
        "added."
    ),
    "best_needs_place": (
        "The best plan is not shown, as plans depend on where the home is. Enter its postcode{GIVE_POSTCODE}."
    ),
    "whatif_account_concessions": (
        "These bills have the concessions of your energy account taken off. The comparison of plans leaves them out, "
        "as it is not known whether another retailer grants the same."
    ),
    "best_without_plans": "The best plan is not shown, as no published plans are stored. {FETCH_PLANS}.",
    "best_of_plans": "{count:plan|plans} that this home can have are priced with and without the change.",
    "best_battery_reruns": (
        "The battery is run by the prices of the {count:plan|plans} that came nearest, and for self-consumption on the "
        "others."
    ),
    "load_saved": (
        "{share:.0%} of grid power in {window} is not used at all: {kwh:.1f} kWh. Controlled load does not move."
    ),
    "load_moved": (
        "{share:.0%} of grid power in {window} moves evenly into {to_window} of the same day: {kwh:.1f} kWh. "
        "Controlled load does not move."
    ),
    "load_moved_outside": (
        "{share:.0%} of grid power in {window} moves evenly into {to_window}, as far as it is outside {window}, of the "
        "same day: {kwh:.1f} kWh. Controlled load does not move."
    ),
    "window_cuts_reads": (
        "{window} starts or ends within a read of {minutes} minutes: the part of the read inside the window "
        "counts, as if its energy were spread evenly."
    ),
    **USAGE,
    # An invoice
    "recomputed_at_new_prices": ("The prices changed on {day}: the days from then on are recomputed at the new ones."),
    # Spending
    "compared_with_nothing": (
        "The transactions begin on {first}, after the period that this one is compared with: a change cannot be known."
    ),
    "compared_with_a_part": (
        "The transactions begin on {first}, so the earlier days of the period that this one is compared with are not "
        "known."
    ),
    "compared_without_account": (
        "The transactions of {account} begin on {first}: without them the earlier period looks cheaper than it was."
    ),
    "compared_before_its_end": ("The transactions end on {last}, so the same days of both periods are compared."),
    "repayments_hold_principal": (
        "Loan repayments of ${spent:,.2f} count as spending and include principal: their interest is not known, as no "
        "account here is known to be that loan's."
    ),
    "deposits_without_category": (
        "${came_in:,.2f} came in without a category. It counts as money back, not as income, so spending looks too "
        "small. {REVIEW}."
    ),
    "transfers_count_as_spending": (
        "${spent:,.2f} went to accounts that are not in this data, and counts as spending. {OWN_ACCOUNT}."
    ),
    # Income and expenses
    "statement_without_transactions": (
        "There are no transactions in these days, so only what the person stated is listed."
    ),
    "statement_whole_cycles": (
        "Payments that come each week, fortnight, month or quarter are averaged over as many whole weeks, fortnights, "
        "months or quarters as there are payments; all others over the days of the transactions."
    ),
    "statement_of_few_days": (
        "The averages rest on {days:day|days} of transactions, so bills that come less often may be missing."
    ),
    "account_part_known": (
        "{account} is known from {first} to {last} only. What was paid or received there is averaged over "
        "{days:day|days}, not over all days of the averages."
    ),
    "own_name_not_counted": (
        "{name} is a name of this household: ${came:,.2f} that came from there and ${went:,.2f} that went there are "
        "taken for moves between own accounts and count neither as income nor as expenses."
    ),
    "cash_may_count_twice": (
        "Cash withdrawals of ${cash:,.2f} are listed under Other spending: what was paid from this cash and is "
        "also among the stated lines counts twice."
    ),
    "debt_grew": (
        "Purchases, fees and interest on {name} came to ${charged:,.2f} over these days, ${growth:,.2f} more than its "
        "repayments: the debt grew by that much, which “Left” does not show."
    ),
    "gas_paid_only": (
        "No gas bill and no gas meter data is stored: it is known from payments alone, ${amount:,.2f} each {per} to "
        "{payees}."
    ),
    "even_payment_without": "The even payments leave out {fuels}: no year can be forecast for it.",
    # Net worth
    "accounts_without_balance": (
        "{count:account has|accounts have} no known balance and {count:is|are} not included in any figure. "
        "{SET_BALANCE}."
    ),
    "debts_elsewhere": (
        "You pay {names} each month, and none of your accounts here is that debt, so no figure has what you owe on it. "
        "{ADD_DEBT}."
    ),
    # Cash flow
    "card_elsewhere": (
        "You pay {names} each month, and none of your accounts here is that card, so what you buy with it counts only "
        "when you pay it. {ADD_DEBT}."
    ),
    "balances_estimated_since": (
        "Your transactions end on {day}. What came in and went out since then is estimated, as the days ahead are."
    ),
    "balances_read": "The balances are those read on {day}.",
    "balances_read_later": "The balances are those read on {day}, after {today}: earlier balances are not stored.",
    "no_balance": ("No balance of an everyday or card account is stored, so only what is known to come is listed."),
    "debt_left_out": (
        "Account {account} owes money and has never been in credit, so it is left out as a debt. {SET_ACCOUNT_KIND}."
    ),
    "balance_missing": (
        "The balance of {account} is not known, so this account and what is paid with it are left out. {SET_BALANCE}."
    ),
    "few_weeks_of_spending": (
        "Fewer than {needed} whole weeks of other spending are stored, so no likely range is shown."
    ),
    "weeks_of_spending": "Other spending is estimated from the last {weeks} weeks.",
    "energy_bill_issued": "Your {fuel} bill of ${bill:,.2f}, due on {due}, is counted: no payment of it is known.",
    "energy_bill_issued_part": (
        "${left:,.2f} of your {fuel} bill of ${bill:,.2f}, due on {due}, is counted: the rest is paid."
    ),
    "energy_bill_overdue": (
        "Your {fuel} bill of ${bill:,.2f}, which was due on {due}, is counted as paid today: no payment of it is known."
    ),
    "energy_bill_overdue_part": (
        "${left:,.2f} of your {fuel} bill of ${bill:,.2f}, which was due on {due}, is counted as paid today: the rest "
        "is paid."
    ),
    "energy_bill_not_seen": (
        "Your {fuel} bill of ${bill:,.2f}, which was due on {due}, is not counted: your transactions begin after it "
        "came, so they do not show whether it is paid."
    ),
    "energy_bill_added": "The next energy bill is forecast at ${bill:,.2f} and is due on {due}.",
    "energy_bill_due_assumed": (
        "The next energy bill is forecast at ${bill:,.2f}. Its due date is not known: {due} is three weeks after the "
        "billing period ends."
    ),
    "energy_bill_spread": "Equal payments to your energy retailer are in the cash flow, so no energy bill is added.",
    "range_checked": (
        "Tried out from {origins:past day|past days} on: of the days that followed, the real balance was inside the "
        "range on {share:.0%}. The range is meant for 8 days in 10."
    ),
    "range_not_checked": "The range could not be checked on the past yet: it needs about five months of transactions.",
    # Published plans
    "brands_not_read": (
        "The plan register's list of brands could not be read, so the built-in brands were used. {reason}"
    ),
    "brands_elsewhere": (
        "Of the {count} brands in the plan register's list, {elsewhere} have their plans at another address, or one "
        "that cannot be read; the built-in ones were requested as well."
    ),
    "retailers_without_plans": "The plan register has no plans from {names}.",
    "no_plans_here": (
        "None of the {count:published plan is|published plans is} for a home {place}. Check the postcode; if it is "
        "right, none of the retailers asked publishes a plan there."
    ),
    "missing_plans_kept": (
        "{retailer}: {doubt}, so none of the {count} plans missing from it was marked as no longer offered. Get the "
        "plans again in a few days."
    ),
    "request_limit": "At most {requests} requests are sent to the register at a time.",
    "plans_to_go": "{count:plan is|plans are} still to be read. Get the plans again to continue.",
    # Households and decisions
    "rows_of_both_households": ("{count:row|rows} of {table} were in both households; those of {household} were kept."),
    "same_decision": "Decision {number} already does this.",
    "rule_without_payee": "Your rule for {payee} has no effect today: no transaction has that payee.",
    # Bills, typed or read from a PDF
    "bill_also_from_retailer": (
        "Your bill of {first} to {last} came from the retailer too, and that one counts. Remove yours."
    ),
    "bill_stored_elsewhere": "Another household here has a bill with this number. Is the bill of this home?",
    "bill_meter_elsewhere": (
        "The meter on this bill is not one of this household's: another household here has it. The bill may be theirs."
    ),
    "bill_other_meter": "The meter on this bill is not one of this household's. Is the bill of this home?",
    "draft_to_check": "Please check every field against the bill. Nothing is saved yet.",
    "draft_no_bill": (
        "Neither energy nor amount nor retailer was found, so this may not be an energy bill. A bank's transactions go "
        "in as CSV, not as a statement in PDF."
    ),
    "draft_fields_missing": "Not found on the bill: {fields}.",
    "draft_both_fuels": (
        "The bill is for electricity and gas. Add one bill for each, with its own days, amount and energy."
    ),
    "draft_days": "The bill states one day fewer than its dates count. Check the first and the last day.",
    "draft_due": "The amount due is not the sum of the new charges and the balance. Check the amounts.",
    "draft_new_charges": (
        "The bill does not state the new charges separately, so they are taken as the amount due less the balance. "
        "Check the amount."
    ),
    "draft_fuel": "The bill names no NMI or MIRN, so the fuel is taken from its units. Check it.",
    # Recurring payments
    "regular_payments_missed": "{count:regular payment|regular payments} did not come when due: {names}.",
}
"""The sentence of each code. A new code needs one entry here; a test checks that every use names the right figures."""
