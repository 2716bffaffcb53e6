"""How Australian banks wrap a merchant's name: words before it, card masks, dates, receipt numbers, places after it.

Patterns seen in public parsers of the banks' exports; the alias table is this project's own. All patterns are for
lower-case text and for a regular-expression engine without look-around.
"""

from __future__ import annotations

OPERATIONS: tuple[str, ...] = (
    r"(?:refund|reversal|return)(?:\s+(?:of|from|purchase))*",
    r"authorisation only\s*-?",
    r"(?:visa|mastercard|eftpos|debit card|credit card|card)\s+(?:debit\s+)?(?:purchase|refund)(?:\s+card\s+[x\d]+)?",
    r"visa debit(?:\s+purchase)?(?:\s+card\s+[x\d]+)?",
    r"purchase(?:\s+(?:authorisation|at))?",
    r"eftpos(?:\s+(?:wdl|debit|purchase|credit|cash out))?",
    r"pos\s+(?:authorisation|purchase|w/d|wdl)",
    r"contactless payment",
    r"anz (?:internet|mobile|m-)\s?banking\s+(?:bpay|payment|funds tfer|transfer)?",
    r"(?:internet|mobile|online|net)\s?bank(?:ing)?\s+(?:bpay|payment|transfer|withdrawal)",
    r"tfr wdl bpay internet",
    r"bpay(?:\s+(?:payment|bill payment|withdrawal))?",
    r"(?:withdrawal|deposit)\s+(?:online|mobile|internet)?\s*(?:bpay|osko|pymt|payment|transfer)?",
    r"osko\s+(?:payment|withdrawal|deposit)",
    r"(?:fast|sct|npp)\s+(?:payment|deposit|transfer|withdrawal)",
    r"direct\s+(?:debit|credit)(?:\s+\d{4,})?",
    r"(?:periodical|automatic|recurring)\s+(?:payment|debit|drawing)",
    r"payment (?:to|by authority to|from)",
    r"transfer (?:to|from)",
    r"(?:miscellaneous|misc)\s+(?:debit|credit)",
    r"v\d{4}\s+\d{1,2}/\d{1,2}",
    r"from",
    r"to",
    r"salary from|salary|pay(?:roll)?/salary",
)
"""Words of a bank for the kind of movement, before the payee's name."""

PROCESSORS = r"(?:sq|sp|tst|zlr|ezi|paypal|pp|gocardless|stripe|dnh|sumup|ls|www)\s*\*\s*"
"""Payment processors put themselves before the merchant, with a star."""

NOISE: tuple[str, ...] = (
    r"\s+-\s+(?:visa|eftpos|mastercard|bpay|direct debit|receipt|internal|osko).*$",
    r"\breceipt\s*(?:no\.?|number)?\s*\w*\d\w*",
    r"\b(?:card|crd)\s*(?:no\.?\s*)?[x*\d]{4,}",
    r"\bvalue date:?\s*\d{1,2}[/-]\d{1,2}[/-]\d{2,4}",
    r"\b(?:date\s*)?\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?\b",
    r"\b\d{1,2}\s?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:\s?\d{2,4})?\b",
    r"\b(?:time|at)?\s*\d{1,2}:\d{2}(?:\s?[ap]m)?\b",
    r"\b(?:tap and pay|cash out|foreign currency fee|commbank app|netbank|conv|ref|crn)\b.*$",
    r"\b(?:aud|usd|nzd|gbp|eur)\s?\d+(?:\.\d+)?",
    r"\b[x*]{2,}\s?-?\d{2,}",
    r"#\s?\d+",
    r"\b\w*\d{4,}\w*\b",
    r"\bpty\.?\s+(?:ltd|limited)\b\.?",
    r"\.\.\.",
)
"""Text around a name that is not part of it."""

PLACES = (
    r"(?:\s+(?:north|south|east|west|mount|mt|port|st))?"
    r"(?:\s+(?:sydney|melbourne|brisbane|perth|adelaide|hobart|darwin|canberra|newcastle|geelong|wollongong|parramatta|"
    r"gold coast|chatswood|bondi|richmond|fitzroy|surry hills|newtown|docklands|haymarket|alexandria|mascot))?"
    r"(?:\s+(?:nsw|vic|qld|wa|sa|tas|act|nt|ns|vi|ql|ta|ac))?(?:\s+(?:aus|au|australia))?$"
)
"""A capital or suburb, a state, a country, at the end."""

ALIASES: dict[str, str] = {
    "woolworths": "Woolworths",
    "woolies": "Woolworths",
    "coles express": "Coles Express",
    "coles": "Coles",
    "aldi": "ALDI",
    "iga": "IGA",
    "harris farm": "Harris Farm Markets",
    "costco": "Costco",
    "dan murphy": "Dan Murphy's",
    "bws": "BWS",
    "liquorland": "Liquorland",
    "bunnings": "Bunnings",
    "kmart": "Kmart",
    "target": "Target",
    "big w": "Big W",
    "jb hi": "JB Hi-Fi",
    "officeworks": "Officeworks",
    "ikea": "IKEA",
    "myer": "Myer",
    "david jones": "David Jones",
    "chemist warehouse": "Chemist Warehouse",
    "priceline": "Priceline",
    "mcdonald": "McDonald's",
    "hungry jack": "Hungry Jack's",
    "kfc": "KFC",
    "guzman y gomez": "Guzman y Gomez",
    "gyg": "Guzman y Gomez",
    "uber eats": "Uber Eats",
    "ubereats": "Uber Eats",
    "uber": "Uber",
    "didi": "DiDi",
    "menulog": "Menulog",
    "doordash": "DoorDash",
    "netflix": "Netflix",
    "spotify": "Spotify",
    "stan.com": "Stan",
    "disney plus": "Disney Plus",
    "disneyplus": "Disney Plus",
    "amazon prime": "Amazon Prime",
    "amznprime": "Amazon Prime",
    "amazon": "Amazon",
    "amzn": "Amazon",
    "ebay": "eBay",
    "apple.com": "Apple",
    "google": "Google",
    "telstra": "Telstra",
    "optus": "Optus",
    "vodafone": "Vodafone",
    "aussie broadband": "Aussie Broadband",
    "tpg": "TPG",
    "agl": "AGL",
    "origin energy": "Origin Energy",
    "energyaustralia": "EnergyAustralia",
    "energy australia": "EnergyAustralia",
    "red energy": "Red Energy",
    "alinta": "Alinta Energy",
    "sydney water": "Sydney Water",
    "yarra valley water": "Yarra Valley Water",
    "transport for nsw": "Transport for NSW",
    "transportfornsw": "Transport for NSW",
    "opal": "Opal",
    "myki": "myki",
    "linkt": "Linkt",
    "e-toll": "E-Toll",
    "ampol": "Ampol",
    "caltex": "Caltex",
    "bp": "BP",
    "shell": "Shell",
    "7-eleven": "7-Eleven",
    "7 eleven": "7-Eleven",
    "medicare": "Medicare",
    "medibank": "Medibank",
    "bupa": "Bupa",
    "nrma": "NRMA",
    "aami": "AAMI",
    "qantas": "Qantas",
    "jetstar": "Jetstar",
    "virgin australia": "Virgin Australia",
    "airbnb": "Airbnb",
}
"""Cleaned names that begin so (at a word's end, or with a possessive) are this merchant."""
