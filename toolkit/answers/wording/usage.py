"""The sentences about usage and the equipment behind a meter, by code; part of `wording.notes.WORDING`."""

from __future__ import annotations

USAGE: dict[str, str] = {
    # Energy that cannot be a home's
    "energy_too_much": (
        "A register of this meter counts up to {kwh:,.0f} kWh a day, more than a home's connection carries, so these "
        "figures cannot be right. A file in Wh may say that it is in kWh: {FILE_UNIT}."
    ),
    "energy_too_little": (
        "No register of this meter counts more than {kwh:.2g} kWh on any day, less than an empty home uses, so these "
        "figures cannot be right. A file in MWh may say that it is in kWh: {FILE_UNIT}."
    ),
    # How much data a figure of usage rests on
    "too_few_nights": (
        "Always on: {days:night is|nights are} metered between 1 am and 5 am; at least {needed} are needed."
    ),
    "more_at_night": (
        "Always on: at least {night} kW is bought between 1 am and 5 am, but only {evening} kW in quiet evenings, so "
        "some of it runs at night alone, such as hot water or a vehicle, or a battery serves the evenings."
    ),
    "nothing_at_night": (
        "Always on: in some nights nothing is bought, as where a battery serves them, so what runs all night is not "
        "known."
    ),
    "too_few_days": "{figure}: {days:day is|days are} metered; at least {needed} are needed.",
    "too_many_gaps": "{figure}: only {coverage:.0%} of the time is metered; at least {needed:.0%} is needed.",
    "read_spread": (
        "The meter was read every {days} days or so; between two reads the energy is spread evenly over the days."
    ),
    # Usage in dollars
    "costs_by_hour": (
        "Usage and controlled-load prices are shared out by hour, GST included. Daily supply, demand, fees, discounts "
        "and feed-in credits have no hour and are listed apart; concessions are left out."
    ),
    "costs_of_blocks": (
        "The plan has price blocks: within a month, each kWh is costed at the average price of its blocks."
    ),
    "costs_without_demand": (
        "The plan has a demand charge: it depends on the highest half-hour of a month and is not shared out by hour."
    ),
    "costs_unknown": "Usage is not priced. {why}",
    "costs_need_intervals": "Usage is not priced by hour: the meter gives no reads within the day.",
    # Equipment on record
    "der_in_watts": "A device is recorded with a rating of {rated:g} kW; it is read as {rated:g} W.",
    "der_device_without_inverter": "{count:device is|devices are} active behind an inverter that is not.",
    "der_nothing_active": "Nothing on record is active.",
    "der_panels_without_size": "Solar panels are recorded without their size.",
    "der_storage_without_size": "A battery is recorded without its size.",
    "der_panels_exceed_inverter": (
        "The panels ({panels:.2f} kW) are more than a third larger than the inverters ({inverter:.2f} kVA): one of the "
        "two may be recorded wrongly."
    ),
    "der_inverter_exceeds_approval": (
        "The inverters ({inverter:.2f} kVA) are larger than the approved capacity ({approved:.2f} kVA)."
    ),
    "der_differs_from_home": "The panels are recorded with {panels:.2f} kW, and {home:.2f} kW are set for this home.",
    # Usage against the year before
    "year_changed": (
        "From {first} to {last} you bought {used:,.0f} {unit}, {change:,.0f} {unit} ({share:.0%}) {direction} than on "
        "the same dates a year earlier ({before:,.0f} {unit})."
    ),
    "year_unchanged": (
        "From {first} to {last} you bought {used:,.0f} {unit}, about as much as on the same dates a year earlier."
    ),
    "year_changed_on_days": (
        "On the {days} of the {of} days from {first} to {last} that were metered a year earlier too, you bought "
        "{used:,.0f} {unit}, {change:,.0f} {unit} ({share:.0%}) {direction} than then ({before:,.0f} {unit})."
    ),
    "year_unchanged_on_days": (
        "On the {days} of the {of} days from {first} to {last} that were metered a year earlier too, you bought "
        "{used:,.0f} {unit}, about as much as then."
    ),
    "no_year_before": (
        "There is no comparison with the year before: it takes meter data of the same dates in both years, at least "
        "{needed} of them."
    ),
}
