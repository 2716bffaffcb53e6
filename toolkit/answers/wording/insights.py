"""The sentences about what needs attention, by code; part of `wording.notes.WORDING`."""

from __future__ import annotations

_TO_PAY = {
    "insight_bill_due": "Your {fuel} bill of ${amount:,.2f} is due on {day}.",
    "insight_bill_overdue": (
        "Your {fuel} bill of ${amount:,.2f} was due on {day}. Your bank's transactions to {last} show no payment of it."
    ),
    "insight_bill_not_seen": (
        "Your {fuel} bill of ${amount:,.2f} was due on {day}. Your bank's transactions end on {last}, so they do not "
        "show whether it is paid."
    ),
    "insight_bill_begun_later": (
        "Your {fuel} bill of ${amount:,.2f} was due on {day}. Your bank's transactions begin on {first}, so they do "
        "not show whether it is paid."
    ),
    "insight_bill_paid_less": (
        "Your accounts show ${paid:,.2f} paid to {retailer} so far of the ${amount:,.2f} on your {fuel} bill due on "
        "{day}: ${difference:,.2f} is left."
    ),
    "insight_bill_paid_more": (
        "Your accounts show ${paid:,.2f} paid to {retailer} since your {fuel} bill of ${amount:,.2f} due on {day} "
        "came: ${difference:,.2f} more than it asks for."
    ),
}
INSIGHTS: dict[str, str] = {
    "insight_bill_higher": (
        "Your {fuel} bill for {first} to {last} is ${amount:,.2f} higher than your use and your plan's prices give."
    ),
    "insight_bill_lower": (
        "Your {fuel} bill for {first} to {last} is ${amount:,.2f} lower than your use and your plan's prices give."
    ),
    **_TO_PAY,
    **{
        f"{code}_differs": f"{words} The bill is ${{apart:,.2f}} {{side}} than your use and your plan's prices give."
        for code, words in _TO_PAY.items()
    },
    "insight_saving": "You could save about ${amount:,.0f} a year on {fuel} with {plan} from {retailer}.",
    "insight_saving_dated": (
        "You could save about ${amount:,.0f} a year on {fuel} with {plan} from {retailer}, at its prices as of {day}."
    ),
    "insight_saving_network": (
        "Another plan may cost less. Say which distributor supplies your home ({networks}), and see how much you would "
        "save."
    ),
    "insight_price": "{name} went up from ${before:,.2f} to ${after:,.2f} on {day}: ${amount:,.0f} more a year.",
    "insight_price_of_year": (
        "{name} went up from ${before:,.2f} on {paid} to ${after:,.2f} on {day}: ${amount:,.0f} more a year."
    ),
    "insight_solar": "Your solar panels generated less than the sky allowed on {count} days from {first} to {last}.",
    "insight_solar_value": (
        "Your solar panels generated less than the sky allowed on {count} days from {first} to {last}, "
        "which cost about ${amount:,.0f}."
    ),
    "insight_balance_low": "Your accounts are likely to be ${amount:,.2f} below zero on {day}.",
    "insight_balance_risk": (
        "Your accounts may run short: in a bad month they could be ${amount:,.2f} below zero on {day}."
    ),
    "insight_balance_low_without": (
        "Leaving out {accounts}, your accounts are likely to be ${amount:,.2f} below zero on {day}."
    ),
    "insight_balance_risk_without": (
        "Leaving out {accounts}, your accounts may run short: in a bad month they could be ${amount:,.2f} below zero "
        "on {day}."
    ),
    "insight_balance_missing": "The balance of {account} is not known, so your cash flow leaves it out.",
    "insight_consent_ends": "Your consent for {institution} ends on {day}. Without it no new data arrives.",
    "insight_consent_ended": "Your consent for {institution} ended on {day}, so no new data arrives.",
    "insight_consent_over": "Your consent for {institution} has ended, so no new data arrives.",
    "insight_meter_data_old": "Your {fuel} meter data ends on {day}. Add newer data to see your next bill.",
    "insight_bank_data_old": "Your bank transactions end on {day}. Add newer ones to see what is coming up.",
}
"""A new code needs one entry here, as in `wording.notes`."""
