"""The sentences about a bill that seems too high and why it differs from another; part of `wording.notes.WORDING`."""

from __future__ import annotations

HIGH_BILL: dict[str, str] = {
    # What to look at on a bill that seems too high
    "check_reads_actual": "The bill rests on actual reads.",
    "check_reads_estimated": (
        "The bill rests on an estimated read. Read your meter, send the read to the retailer and ask for a new bill."
    ),
    "check_reads_substituted": (
        "{share:.0%} of the energy rests on estimated or substituted reads. Ask the retailer when the meter was read."
    ),
    "check_reads_unknown": "Whether the meter was read is not known. Look for “actual” or “estimated” by the read.",
    "check_days": "The bill has {days:day|days}; your other bills usually have {usual}.",
    "check_days_twice": "The days from {first} to {last} are on an earlier bill too.",
    "check_days_alone": "The bill has {days:day|days}; there is no other bill to compare with.",
    "check_balance_none": "Nothing is carried over from earlier bills.",
    "check_balance_owed": "${amount:,.2f} is carried over from earlier bills: that is not new use.",
    "check_balance_above": (
        "The account's balance was ${balance:,.2f} when the bill of ${billed:,.2f} was issued: the rest is not new use."
    ),
    "check_balance_unknown": (
        "What was owed before is not known. Look for “previous balance” or “balance brought forward” on the bill."
    ),
    "check_concession_on_bill": "A concession is on the bill.",
    "check_concession_missing": "You have a concession of ${amount:,.2f}, but it is not on the bill.",
    "check_concession_not_seen": "You have a concession; whether it is on the bill is not known.",
    "check_concession_not_held": (
        "No concession is known for this home. Somebody with a concession card can ask the retailer for one."
    ),
    "check_discount_in_force": "The plan's discount is in force on these days.",
    "check_discount_none": "The plan has no discount that could have ended.",
    "check_discount_ended": "The discount “{label}” ended on {day}. Ask for it again, or for a better plan.",
    "check_discount_missing": "A discount of the plan is not on the bill.",
    "check_discount_conditional": (
        "The plan has a discount with a condition, such as paying on time. Look whether it is on the bill."
    ),
    "check_discount_unknown": "Whether a discount ended is not known, as the plan of these days is not.",
    "check_fees_none": "No fee is on the bill that is not on the plan.",
    "check_fees_extra": "${amount:,.2f} of charges are on the bill but not on the plan. Ask what they are for.",
    "check_fees_named": "On the bill, but not among your plan's prices: {lines}. Ask what it is.",
    "check_fees_not_stored": (
        "On the bill, but not in your plan as it is stored here: {lines}. Check whether it is in your plan."
    ),
    "check_fees_unknown": "Fees are not known, as only the bill's total is. Look for late payment and card fees.",
    "check_sum_agrees": "From your energy and prices we get ${amount:,.2f}: the bill is right.",
    "check_sum_above": "From your energy and prices we get ${amount:,.2f}: the bill is ${difference:,.2f} higher.",
    "check_sum_below": "From your energy and prices we get ${amount:,.2f}: the bill is ${difference:,.2f} lower.",
    "check_sum_open": (
        "From the stored reads and your prices we get ${amount:,.2f}. The reads do not show whether the difference of "
        "${difference:,.2f} is a mistake."
    ),
    "check_sum_unknown": "To check the amount we need meter data for these days and the plan's prices on each of them.",
    # A bill that seems too high
    "bill_higher": (
        "Your bill of {first} to {last} is ${total:,.2f}: ${by:,.2f} more than your bill of {before_first} to "
        "{before_last} (${before:,.2f})."
    ),
    "bill_lower": (
        "Your bill of {first} to {last} is ${total:,.2f}: ${by:,.2f} less than your bill of {before_first} to "
        "{before_last} (${before:,.2f})."
    ),
    "bill_same": (
        "Your bill of {first} to {last} is ${total:,.2f}, as much as your bill of {before_first} to {before_last}."
    ),
    "bill_alone": "Your bill of {first} to {last} is ${total:,.2f}.",
    "earlier_same": (
        "No bill of {before_first} to {before_last} is stored; for those days your plan's prices give as much."
    ),
    "earlier_lower": (
        "No bill of {before_first} to {before_last} is stored. For those days your plan's prices give ${before:,.2f}: "
        "this bill is ${by:,.2f} more."
    ),
    "earlier_higher": (
        "No bill of {before_first} to {before_last} is stored. For those days your plan's prices give ${before:,.2f}: "
        "this bill is ${by:,.2f} less."
    ),
    "bill_worked_out": (
        "No bill of {first} to {last} is stored. For these days your plan's prices give ${total:,.2f}, and "
        "${before:,.2f} for {before_first} to {before_last}."
    ),
    "bill_worked_out_beside": (
        "No bill of {first} to {last} is stored. For these days your plan's prices give ${total:,.2f}; your bill of "
        "{before_first} to {before_last} is ${before:,.2f}."
    ),
    "billed_above": (
        "You were charged ${by:,.2f} more than your plan's prices give for what you used (${worked_out:,.2f})."
    ),
    "billed_lines": "On the bill, but not among the prices of your plan that are stored here: {lines}.",
    "billed_below": (
        "You were charged ${by:,.2f} less than your plan's prices give for what you used (${worked_out:,.2f})."
    ),
    "billed_right": "Your plan's prices give the same for what you used: the bill is right.",
    "billed_open": (
        "Your plan's prices give ${worked_out:,.2f} for what the meter read; reads are missing or estimated, so the "
        "difference may be their energy."
    ),
    "bill_reasons": "Mainly because of {causes}.",
    "bill_reasons_up": "Mainly because of {causes}; {against} made it lower.",
    "bill_reasons_down": "Mainly because of {causes}; {against} made it higher.",
    "bill_without_reason": "No single reason stands out.",
    "bill_not_priced": "The amounts on your bills are compared, as they cannot be worked out here: {reason}",
    "call_opening": (
        "“My bill of {first} to {last} is ${total:,.2f}; an earlier one was ${before:,.2f}. "
        "Please go through the difference with me.”"
    ),
    "call_opening_alone": (
        "“My bill of {first} to {last} is ${total:,.2f}. Please go through each of its lines with me.”"
    ),
    "call_charged_more": (
        "“You charged me ${by:,.2f} more than my plan's prices give for {first} to {last}: ${billed:,.2f}, not "
        "${worked_out:,.2f}. Which line is that?”"
    ),
    "call_charged_named": (
        "“On my bill of {first} to {last}: {lines}. That is not one of my plan's prices. What is it, and why was I "
        "charged it?”"
    ),
    "call_charged_not_stored": (
        "“On my bill of {first} to {last}: {lines}. Is that in my plan, and where does the plan say so?”"
    ),
    "call_energy": (
        "“From {first} to {last} we used {now:,.1f} {unit} a day; from {before_first} to {before_last} it was "
        "{before:,.1f}. Was the meter read?”"
    ),
    "call_best_plan": (
        "“Am I on your best plan? Your own plan {name} would have cost me ${saving:,.2f} less {over}. Can I change to "
        "it?”"
    ),
    "call_other_plan": (
        "“Am I on your best plan? With {retailer}, the plan {name} would have cost me ${saving:,.2f} less {over}. Can "
        "you offer me as much?”"
    ),
    "call_concession_named": (
        "“Can I get the {names}, and is it on the account?” Have your card at hand, and check who can get it."
    ),
    "call_concession": "“Which concessions can I get, and is mine on the account?” Have the card at hand.",
    "call_even_payment": (
        "“Can I pay evenly? ${amount:,.2f} a fortnight should cover the next twelve months, also where my bills are "
        "higher than usual.”"
    ),
    "call_hardship": (
        "If you cannot pay it all by the due date, say so before then and ask for the hardship team: for more time or "
        "a payment plan that you can keep to."
    ),
    "call_hardship_overdue": (
        "The bill was due on {due}. If you cannot pay what is left of it, say so on this call and ask for the hardship "
        "team: for more time or a payment plan that you can keep to."
    ),
    "call_hardship_next": (
        "If the next bill may be hard to pay in full, ask for the hardship team now: for more time or a payment plan "
        "that you can keep to."
    ),
    "call_ombudsman": "Still not settled? An ombudsman helps free of charge: {name}.",
    "call_ombudsman_unknown": (
        "Still not settled? Your state's energy ombudsman helps free of charge. Set the postcode to see which one"
        "{SET_POSTCODE}."
    ),
    # Why a bill differs from another
    "season_not_known": (
        "The season and the level of use cannot be shown separately: that needs reads or bills of about twelve "
        "months besides this bill."
    ),
    "estimated_use": "{share:.0%} of the energy from {first} to {last} rests on estimated reads.",
    "other_prices_not_known": (
        "The prices from {first} to {last} are not known, so a change in prices and a change in use cannot be "
        "separated."
    ),
    "same_prices_assumed": (
        "It is not known which prices applied on these days, so both bills are priced on the same plan. Set the "
        "day you started on it: {SET_SINCE}."
    ),
    "at_todays_prices": (
        "The prices from {first} to {last} are not known: those days are worked out at today's prices, so that only "
        "your use differs."
    ),
    "missing_reads_before": (
        "Reads are missing for {share:.1%} of the time from {first} to {last}, so those days look cheaper than they "
        "were."
    ),
    "amount_as_billed": "The earlier amount is the one on your retailer's bill of {first} to {last}.",
}
