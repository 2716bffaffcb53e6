"""The words of Australian retailers' bills: which phrase stands before which field, the most certain first.

Phrases are regular expressions, capitals aside, that begin where a word begins.
"""

from __future__ import annotations

PERIOD = (
    r"bill(?:ing)? (?:period|dates)",
    r"supply period",
    r"(?:service|statement|usage|charge|consumption|invoice|account) period",
    r"period (?:covered|of supply|from|of)",
    r"period\s?:",
    r"your bill for",
    r"(?:this )?bill covers",
    r"billed from",
    r"bill(?:ing)? days",
    r"(?:new|current|usage|supply|electricity|gas) charges",
)
NEW_CHARGES = (
    r"total new charges",
    r"new charges(?! for)",
    r"total current charges",
    r"current charges",
    r"(?:total )?charges (?:for )?this (?:bill|period)",
    r"this bill'?s charges",
    r"total (?:electricity|gas|energy) (?:charges|account|bill)",
    r"(?:electricity|gas|energy) (?:account )?total",
    r"total (?:for )?this (?:bill|invoice)",
    r"invoice (?:total|amount)",
    r"total charges",
    r"bill total",
    r"amount of this bill",
    r"this (?:bill|invoice)",
)
AMOUNT_DUE = (
    r"total amount (?:due|payable)",
    r"total (?:due|payable)",
    r"amount (?:due|payable|owing|to pay)(?! (?:from|on|of) (?:your )?(?:last|previous))",
    r"please pay",
    r"total to pay",
    r"you owe",
    r"balance due",
    r"new balance",
    r"total amount",
)
OPENING_BALANCE = (
    r"opening balance",
    r"previous balance",
    r"(?:total|amount|balance) (?:of|at|on|from) (?:your )?(?:last|previous) (?:bill|invoice|statement)",
    r"(?:your )?(?:last|previous) (?:bill|invoice|account)(?: amount| balance)?(?! read)",
)
BALANCE_FORWARD = (
    r"balance (?:brought|carried) forward",
    r"(?:amount )?(?:brought|carried) forward",
    r"balance before this (?:bill|invoice)",
    r"overdue",
)
PAYMENTS = (
    r"payments? (?:and|&) (?:credits|adjustments)",
    r"payments? (?:received|made)",
    r"(?:less )?payments?(?! (?:method|option|assist|due|by|plan|of|slip|advice|is|can|not))",
)
DUE = (
    r"(?:payment )?due (?:date|by|on)",
    r"date due",
    r"(?:please )?pay(?:able|ment)? by",
    r"pay (?:\S+ ){1,4}by",
    r"(?:to|will) be debited (?:on|from)",
    r"direct debit (?:date|on)",
    r"due",
)
ISSUED = (
    r"(?:date of issue|issue date|date issued|issued(?: on)?)",
    r"(?:bill|invoice|statement) date",
    r"date of (?:this )?(?:bill|invoice)",
)
NUMBER = (r"(?:tax )?(?:invoice|bill|statement) (?:no\.?|number|#|id)", r"tax invoice(?= \S)")
PLAN = (
    r"plan name",
    r"(?:your|energy|current) (?:plan|offer|product)(?=\s*:|\s{2,}|$)",
    r"(?:plan|offer|product)(?=\s*:)",
    r"plan(?=\s{2,}|$)",
    r"you['’]re on (?:the|our)",
    r"your plan is",
)
NMI = (r"NMI\b", r"national meter(?:ing)? identifier")
MIRN = (
    r"(?:MIRN|DPI)\b",
    r"meter(?:ing)? installation (?:reference|registration) number",
    r"delivery point identifier",
)
SUPPLY_ADDRESS = (
    r"(?:supply|service|site|premises|property) address",
    r"(?:supplied|supply) (?:to|at)",
    r"address of (?:supply|premises)",
)
NOT_A_PLAN = r"\b(?:bill|charges?|amount|due|balance|period|number|date|usage|summary)\b"
ENERGY_COMPANY = (
    r"(?!(?:Your|Total|Natural|Renewable|Dual|Green|The|My|Average|Account|New|Current)\b)(?:[A-Z][\w'’-]* ){1,3}"
    r"(?:Energy|Power|Electric|Electricity|Gas|(?:Gas|Power) (?:&|and) (?:Power|Gas))"
    r"(?: (?:Retail|Sales|Australia))?(?: (?:Pty )?(?:Ltd|Limited))?"
)
"""The name of a company that sells energy, capitals as written, where it is none of the known brands."""
WITHOUT_GST = r"ex(?:cl)?\.?(?:uding|usive of)? gst|(?:before|without|plus) gst"
"""A line of amounts that are not what the person pays."""
CONCESSION = r"concession|rebate|relief"
CONCESSIONS_TOGETHER = (
    r"\W*(?:total )?(?:concessions?|rebates?)(?:(?: and | & |/)(?:concessions?|rebates?))?(?: applied)?\s"
)
"""What begins the line of an account summary that states all concessions of the bill."""
OFFERED = r"\b(?:eligible|may|could|can|up to|apply|if you)\b"
"""Words of lines about a concession that this bill does not have."""
READ = (
    r"\b(actual|estimated?)\b[\s\w-]{0,20}\bread|\bread(?:ing)?(?: type)?\s{0,3}[:(]?\s{0,3}(actual|estimated?)\b"
    r"|\bread(?:ing)? (?:is|was) (?:an )?(actual|estimated?)\b"
    r"|\s{2}(actual|estimated?)\s{2,30}\d[\d,]{1,6}(?:\.\d{1,3})?\s{2}"
)
"""The last: a column of a table of meter reads."""
OTHER_NUMBER = r"(?:NMI|MIRN|DPI|ABN|ACN|BSB|PO BOX|GPO BOX)\b"
"""What begins a number that is not the bill's."""
