"""Words in Australian bank descriptions that say what a payment was for, when nothing better does. Own table."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "FOOD_AND_DRINK_GROCERIES": (
        "woolworths, woolies, coles, aldi, iga, harris farm, costco, foodland, foodworks, drakes, supermarket, "
        "grocer, grocery, groceries, butcher, fruit market, farmers market, bakery"
    ),
    "FOOD_AND_DRINK_BEER_WINE_AND_LIQUOR": (
        "dan murphy, dan murphys, dan murphy's, bws, liquorland, first choice liquor, liquor, bottle shop, brewery, "
        "bottlemart, cellarbrations, tavern"
    ),
    "FOOD_AND_DRINK_FAST_FOOD": (
        "mcdonald, mcdonalds, mcdonald's, hungry jacks, hungry jack's, kfc, subway, dominos, domino's, guzman y "
        "gomez, gyg, uber eats, ubereats, menulog, doordash, deliveroo, oporto, nandos, grill'd, red rooster, "
        "pizza, kebab, sushi hub, takeaway"
    ),
    "FOOD_AND_DRINK_COFFEE": "cafe, coffee, espresso, starbucks, gloria jeans, roasters",
    "FOOD_AND_DRINK_RESTAURANT": "restaurant, bistro, trattoria, dumpling, noodle, sushi",
    "GENERAL_MERCHANDISE_DEPARTMENT_STORES": "myer, david jones, harris scarfe",
    "GENERAL_MERCHANDISE_DISCOUNT_STORES": "kmart, big w, target, the reject shop, dollar king",
    "GENERAL_MERCHANDISE_ELECTRONICS": "jb hi-fi, jb hi fi, jbhifi, harvey norman, the good guys, apple store",
    "GENERAL_MERCHANDISE_OFFICE_SUPPLIES": "officeworks",
    "GENERAL_MERCHANDISE_ONLINE_MARKETPLACES": "amazon, amzn, ebay, catch.com.au, kogan, temu, etsy, aliexpress",
    "GENERAL_MERCHANDISE_CLOTHING_AND_ACCESSORIES": (
        "uniqlo, cotton on, h&m, zara, country road, the iconic, best & less, rebel, footlocker"
    ),
    "GENERAL_MERCHANDISE_BOOKSTORES_AND_NEWSSTANDS": "dymocks, booktopia, newsagency, newsagent, bookshop",
    "GENERAL_MERCHANDISE_PET_SUPPLIES": "petbarn, petstock, pet circle",
    "GENERAL_MERCHANDISE_CONVENIENCE_STORES": "7-eleven, 7 eleven, ezymart, nightowl",
    "HOME_IMPROVEMENT_HARDWARE": "bunnings, mitre 10, total tools, hardware",
    "HOME_IMPROVEMENT_FURNITURE": "ikea, fantastic furniture, freedom furniture, furniture, adairs",
    "MEDICAL_PHARMACIES_AND_SUPPLEMENTS": "chemist, pharmacy, priceline, terrywhite, amcal",
    "MEDICAL_DENTAL_CARE": "dental, dentist, orthodont",
    "MEDICAL_EYE_CARE": "specsavers, opsm, optometrist",
    "MEDICAL_PRIMARY_CARE": "medical centre, medical center, family practice, doctor, clinic",
    "MEDICAL_OTHER_MEDICAL": (
        "physio, physiotherapy, pathology, radiology, hospital, medicare benefit, mcare benefits"
    ),
    "MEDICAL_VETERINARY_SERVICES": "veterinary, vet hospital, greencross",
    "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS": "gym, fitness, anytime fitness, f45, goodlife, yoga, pilates",
    "PERSONAL_CARE_HAIR_AND_BEAUTY": "hairdresser, barber, mecca, sephora, beauty, nails",
    "ENTERTAINMENT_TV_AND_MOVIES": (
        "netflix, stan.com.au, disney plus, disneyplus, binge, kayo, foxtel, paramount+, hoyts, amazon prime, "
        "amznprimeau, event cinemas, village cinemas, youtube premium, cinema"
    ),
    "ENTERTAINMENT_MUSIC_AND_AUDIO": "spotify, apple music, audible, soundcloud, tidal music",
    "ENTERTAINMENT_VIDEO_GAMES": "steam games, steampowered, playstation, nintendo, xbox",
    "ENTERTAINMENT_CASINOS_AND_GAMBLING": "sportsbet, tab limited, ladbrokes, the lott, tatts, bet365, casino",
    "ENTERTAINMENT_SPORTING_EVENTS_AMUSEMENT_PARKS_AND_MUSEUMS": (
        "ticketek, ticketmaster, museum, taronga, afl tickets"
    ),
    "TRANSPORTATION_GAS": (
        "ampol, caltex, bp, shell, coles express, reddy express, united petroleum, liberty oil, metro petroleum, eg "
        "ampol, eg fuelco, puma energy, petrol, fuel"
    ),
    "TRANSPORTATION_PUBLIC_TRANSIT": (
        "opal, transport for nsw, transportfornsw, transportfornsw travel, myki, translink, metro trains, "
        "smartrider, go card, ptv"
    ),
    "TRANSPORTATION_TAXIS_AND_RIDE_SHARES": "uber, didi, 13cabs, ola cabs, taxi, cabcharge, silver service",
    "TRANSPORTATION_TOLLS": "linkt, e-toll, etoll, eastlink, go via, toll",
    "TRANSPORTATION_PARKING": "wilson parking, secure parking, parking, easypark, paystay, care park",
    "SERVICES_AUTOMOTIVE": (
        "supercheap auto, repco, kmart tyre, bob jane, ultra tune, mechanic, tyre, rego, service nsw, vicroads"
    ),
    "TRAVEL_FLIGHTS": "qantas, jetstar, virgin australia, virgin aust, rex airlines, air new zealand, airlines",
    "TRAVEL_LODGING": "airbnb, booking.com, hotels.com, expedia, wotif, motel, hostel, accor",
    "TRAVEL_RENTAL_CARS": "hertz, avis, budget rent, europcar, goget, sixt",
    "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY": (
        "agl, agl energy, origin energy, energyaustralia, energy australia, red energy, alinta, simply energy, "
        "momentum energy, powershop, lumo energy, globird, amber electric, ergon, synergy, aurora energy, actewagl, "
        "dodo power, electricity, tango energy, ovo energy, engie"
    ),
    "RENT_AND_UTILITIES_TELEPHONE": "telstra, optus, vodafone, boost mobile, amaysim, belong, aldimobile",
    "RENT_AND_UTILITIES_INTERNET_AND_CABLE": "aussie broadband, tpg, iinet, superloop, dodo, exetel, nbn, internode",
    "RENT_AND_UTILITIES_WATER": (
        "sydney water, yarra valley water, south east water, city west water, greater western water, sa water, "
        "urban utilities, unitywater, hunter water, icon water, taswater, water corporation"
    ),
    "RENT_AND_UTILITIES_RENT": "rent, rental, ray white, lj hooker, deft, property management, real estate",
    "SERVICES_INSURANCE": (
        "insurance, nrma, aami, budget direct, allianz, gio, suncorp, youi, racv, racq, bupa, medibank, hcf, nib, "
        "ahm, hbf, qbe, apia"
    ),
    "SERVICES_EDUCATION": "school, university, tafe, tuition, school fees",
    "SERVICES_CHILDCARE": "childcare, child care, early learning, goodstart, kindergarten, oosh",
    "SERVICES_POSTAGE_AND_SHIPPING": "australia post, auspost, sendle, startrack",
    "GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT": "tax office payments, ato payment, taxoffice",
    "GOVERNMENT_AND_NON_PROFIT_GOVERNMENT_DEPARTMENTS_AND_AGENCIES": (
        "city council, council rates, shire council, council"
    ),
    "GOVERNMENT_AND_NON_PROFIT_DONATIONS": "red cross, unicef, salvation army, donation, world vision, oxfam",
    "LOAN_PAYMENTS_MORTGAGE_PAYMENT": "home loan, mortgage, loan repayment",
    "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT": "credit card payment, payment to credit card",
    "BANK_FEES_INTEREST_CHARGE": "interest charged, debit interest, interest charge, purchase interest",
    "BANK_FEES_FOREIGN_TRANSACTION_FEES": (
        "international transaction fee, foreign currency fee, intl transaction fee, foreign fee"
    ),
    "BANK_FEES_ATM_FEES": "atm fee, atm operator fee",
    "BANK_FEES_OVERDRAFT_FEES": "overdrawn fee, overdraw fee, overdraft fee",
    "BANK_FEES_OTHER_BANK_FEES": (
        "account fee, monthly fee, annual fee, account keeping fee, late payment fee, service fee"
    ),
    "TRANSFER_OUT_WITHDRAWAL": "atm, cash withdrawal, wdl atm, cardless cash",
}

INCOME_WORDS: dict[str, str] = {
    "INCOME_SALARY": "salary, salaries, payroll, wage, wages, pay/salary, fortnightly pay, monthly pay",
    "INCOME_UNEMPLOYMENT": "jobseeker, newstart",
    "INCOME_RETIREMENT_PENSION": "age pension, pension, superannuation pension",
    "INCOME_OTHER_INCOME": "centrelink, services australia, family tax benefit, ctrlink, family allowance",
    "INCOME_TAX_REFUND": "ato refund, tax refund, ato ato, ato00",
    "INCOME_DIVIDENDS": "dividend, dividends, div payment, distribution",
    "INCOME_INTEREST_EARNED": (
        "credit interest, interest paid, bonus interest, interest earned, savings interest, interest credit, interest"
    ),
}
"""Words that mean income on money that came in; on money that went out they mean nothing."""

TYPES: dict[str, str] = {
    "FEE": "BANK_FEES",
    "FEES": "BANK_FEES",
    "INTEREST_CHARGED": "BANK_FEES_INTEREST_CHARGE",
    "INTEREST_PAID": "INCOME_INTEREST_EARNED",
    "INTEREST": "INCOME_INTEREST_EARNED",
    "INT": "INCOME_INTEREST_EARNED",
}
"""Purpose by the bank's own kind of movement. On money that went out, interest is a charge."""

TRANSFER_TYPES = r"^(?:TRANSFER|INTER-ACCOUNT|TFD$|TFC$|TFR$|XFER$)"
"""TRANSFER_OUTGOING and TRANSFER_INCOMING of the service, TRANSFER DEBIT and CREDIT of NAB, codes of Bankwest, OFX."""

TRANSFER_WORDS = (
    r"\b(?:transfer|tfr|trf|xfer|tfer|trnsfr|tfd|tfc|sweep|round ?ups?|auto ?save|"
    r"internal|own account|linked account|between accounts|to savings?|from savings?|from everyday|to everyday|"
    r"(?:to|from) (?:my |the )?(?:\w+ )?(?:savings?|saver|offset|everyday|spending|bills|joint) (?:account|acct|a/c)|"
    r"credit card (?:payment|repayment)|payment to (?:credit )?card|payment (?:received|- thank you|thank you)|"
    r"thank you for your payment|card repayment|loan repayment|home loan (?:payment|repayment)|"
    r"mortgage (?:payment|repayment)|"
    r"direct debit payment received|autopay)\b"
)
"""What banks write about moves between a customer's own accounts."""


def by_word(table: dict[str, str]) -> dict[str, str]:
    """Word to category; longer words first, so that `uber eats` is met before `uber`."""
    pairs = [(word, category) for category, words in table.items() for word in words.split(", ")]
    return dict(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])))
