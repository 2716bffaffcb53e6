"""Lines of a bill with an amount alone that the plan does not price, where they are what the bill differs by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from toolkit.analytics.energy.pricing.model import Bill
from toolkit.analytics.energy.reconcile.billed_invoice import NamedCharge
from toolkit.analytics.energy.reconcile.reasons import Reason

_MOST = 10
"""Lines of which parts are tried: a thousand sums."""
_PRICED_BY_EVERY_PLAN = re.compile(
    r"usage|peak|shoulder|any.?time|consumption|supply|controlled|hot water|feed.?in|solar", re.IGNORECASE
)
_OF_NO_PLAN = re.compile(
    r"adjust|correct|re-?bill|revers|catch.?up|back.?(?:dat|bill)|sundr|misc|other charge|interest|dishono|late|card"
    r"|(?:re|dis)?connect|transfer",
    re.IGNORECASE,
)
"""Words of what a retailer charges or gives once, whatever the plan."""
_TYPED = re.compile(r"demand|capacity|discount|\boff\b", re.IGNORECASE)
"""Words of what a plan that is typed can have."""


def named_reasons(named: Sequence[NamedCharge], difference: int, tolerance: int, bills: Sequence[Bill]) -> list[Reason]:
    """Return the lines that together are the difference, as reasons; none where no lines are, or several may be.

    named: those of the bill. difference: billed − recomputed in cents, beyond the tolerance. bills: recomputed.
    """
    priced = {line.amount_minor for bill in bills for line in bill.lines}
    extra = [charge for charge in named if not _is_priced(charge, priced)]
    found = _explaining(extra, difference, tolerance)
    asked = [charge for charge in found if _OF_NO_PLAN.search(charge.label)]
    of_plan = [charge for charge in found if charge not in asked]
    charges, credited = ([c for c in of_plan if (c.minor > 0) is above] for above in (True, False))
    reasons = [
        *([_not_stored("The bill also has", charges)] if charges else []),
        *([_not_stored("The bill also takes off", credited)] if credited else []),
    ]
    for each in asked:
        sentence = f"{each.words} is not one of your plan's prices: ask what it is."
        reasons.append(Reason("unnamed charge", sentence, each.minor, named=(each,), is_of_no_plan=True))
    return reasons


def _is_priced(charge: NamedCharge, priced: set[int]) -> bool:
    """Return whether the plan gives a line of that amount, or prices what it names."""
    if _OF_NO_PLAN.search(charge.label):
        return False
    return any(abs(charge.minor - minor) <= 1 for minor in priced) or (
        _PRICED_BY_EVERY_PLAN.search(charge.label) is not None
    )


def _explaining(extra: Sequence[NamedCharge], difference: int, tolerance: int) -> Sequence[NamedCharge]:
    """Return all lines where they are the difference, else the most of them that alone are."""
    for count in range(len(extra), 0, -1) if len(extra) <= _MOST else (len(extra),):
        found = [
            part
            for part in combinations(extra, count)
            if abs(sum(charge.minor for charge in part) - difference) <= tolerance
        ]
        if found:
            return found[0] if len(found) == 1 else ()
    return ()


def _not_stored(begin: str, charges: Sequence[NamedCharge]) -> Reason:
    are = "they are" if len(charges) > 1 else "it is"
    typed = [charge.label for charge in charges if _TYPED.search(charge.label)]
    all_of_them = "them" if len(charges) > 1 else "it"
    add = f", and add {_both(typed) if len(typed) < len(charges) else all_of_them} to what is stored" if typed else ""
    sentence = (
        f"{begin} {in_words(charges)}, which your plan as it is stored here does not have: check that {are} in your "
        f"plan{add}."
    )
    return Reason("unnamed charge", sentence, sum(charge.minor for charge in charges), named=tuple(charges))


def in_words(charges: Sequence[NamedCharge]) -> str:
    """Return lines with their amounts, as a sentence has them."""
    return _both([charge.words for charge in charges])


def _both(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
