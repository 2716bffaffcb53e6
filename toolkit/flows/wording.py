"""Sentences of answers, for people: programs read them as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolkit.answers.base import Note
from toolkit.errors import UsageError
from toolkit.tables.reference.categories import OWN_ACCOUNT, categories_in, category_name, everyday_words
from toolkit.tables.words import counted

if TYPE_CHECKING:  # every command loads this module, and few have these answers
    from toolkit.answers.energy.plans import Comparison, PlanCost, PriceSummary
    from toolkit.answers.households import HomeConcession, PackagedConcession
    from toolkit.answers.money import SpendingRow

__all__ = [
    "OWN_ACCOUNT",
    "categories_in",
    "category_name",
    "concession_terms",
    "counted",
    "everyday_words",
    "limits_of",
    "local_month",
    "more_price_words",
    "new_categories",
    "payees_of",
    "price_words",
    "rows_by_name",
    "standing_words",
    "told_apart",
    "with_local_dates",
]

MOST_NAMED = 10
"""New categories that are named one by one."""
_OPTIONS = "from", "to", "since", "today", "reads"
_TYPED = "".join(f"(?<!--{option} )" for option in _OPTIONS)
_DAY = re.compile(rf"""(?<![\w/.:'"-]){_TYPED}\d{{4}}-\d\d-\d\d(?![\w/'"-]|\.\w)""")
"""A date that is a word of its own: not part of a file's name, an id, a quoted text or an option to type."""
_MONTH = re.compile(r"(?<=\bin )\d{4}-\d\d(?![\w/-]|\.\w)")


def with_local_dates(sentence: str | Note) -> str:
    """`… on 2026-07-01.` → `… on 1 Jul 2026.`, `in 2026-07` → `in Jul 2026`; what is in no calendar stays as it is.

    A note words its own dates; only texts within it, such as the reason of a problem, may name others.
    """
    text = sentence.local() if isinstance(sentence, Note) else sentence
    return _MONTH.sub(_local_month, _DAY.sub(_local, text))


def limits_of(plan: PlanCost) -> str:
    """Say why a home may not be able to have a plan, or to rely on its price; empty without a reason."""
    limits = [str(note.figures.get("condition")) for note in plan.notes if note.code == "not_for_everyone"]
    reasons = [*plan.conditions, *(f"It is {limit}." for limit in limits)]
    if plan.variable:
        reasons.append("Its prices change with the wholesale market, or are an estimate.")
    return " ".join(reasons)


def standing_words(answer: Comparison) -> str | None:
    """Say why the cheapest plan costs as much as the standing offer; None where it does not."""
    best, standing = answer.headline, answer.standing
    if best is None or standing is None or best.total != standing.total:
        return None
    if best.plan_id == standing.plan_id or standing.plan_id in best.same_as:
        return (
            "The cheapest plan is itself a standing offer, at the prices that a retailer has for anybody who has not "
            "chosen a plan: for your use no other plan that you can rely on costs less."
        )
    return (
        "The cheapest plan costs as much as the standing offer: for your use no other that you can rely on costs less."
    )


def price_words(prices: PriceSummary, unit: str) -> list[str]:
    """Word what tells a plan from others of its name, as a bill shows it. unit: kWh or MJ."""
    words = [
        "by time of day" if prices.by_time else "one price",
        "demand charge" if prices.demand else "",
        "controlled load" if prices.controlled_load else "",
    ]
    if prices.usage is not None:
        ends = dict.fromkeys(f"{price * 100:.2f}" for price in prices.usage)
        words.append(f"{'–'.join(ends)} c/{unit}")
    if prices.supply is not None:
        words.append(f"{prices.supply * 100:.2f} c/day")
    return [word for word in words if word]


def more_price_words(prices: PriceSummary, unit: str) -> list[str]:
    """Word what tells apart plans whose `price_words` are the same."""
    dearest = f"dearest {prices.dearest}" if prices.dearest else ""
    exported = f"exports {prices.feed_in * 100:.2f} c/{unit}" if prices.feed_in is not None else ""
    return [word for word in (dearest, exported) if word]


def told_apart(named: Mapping[str, tuple[str, PriceSummary | None]], unit: str) -> dict[str, str]:
    """Return key → name, with what tells it from the others of that name. named: key → name and prices."""
    by_name: dict[str, dict[str, list[str]]] = {}
    for key, (name, prices) in named.items():
        words = [] if prices is None else [*price_words(prices, unit), *more_price_words(prices, unit)]
        by_name.setdefault(name, {})[key] = words
    found = {}
    for key, (name, _) in named.items():
        alike = by_name[name]
        own = [word for word in alike[key] if not all(word in words for words in alike.values())]
        found[key] = f"{name}: {', '.join(own)}" if own else name
    return found


def _local(written: re.Match[str]) -> str:
    try:
        day = date.fromisoformat(written[0])
    except ValueError:
        return written[0]
    return _worded(day)


def _worded(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def _local_month(written: re.Match[str]) -> str:
    return local_month(written[0])


def payees_of(subject: str) -> str:
    """Word what a rule is for: its text, or its payees, which stand one a line."""
    return " or ".join(subject.split("\n"))


def new_categories(names: Sequence[str]) -> str:
    """Say how many categories, and which, nobody has used before; empty without any."""
    if not names:
        return ""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    which = f"{counted(len(names), 'new category', 'new categories')}: {', '.join(names[:MOST_NAMED])}{more}."
    return f"{which} If that is a spelling mistake, correct it in the file."


def rows_by_name(rows: Iterable[SpendingRow], names: Mapping[str, str] = MappingProxyType({})) -> list[SpendingRow]:
    """Add up the spending rows of categories that are shown under one name, each at the place of the first.

    names: category code → the household's own name for it.
    """
    merged: dict[tuple[object, ...], SpendingRow] = {}
    for row in rows:
        codes = (row.primary_category, row.secondary_category)
        key = (row.month, *(code and (names.get(code) or category_name(code)) for code in codes))
        same = merged.get(key)
        if same is None:
            merged[key] = row
        else:
            merged[key] = replace(same, spent=same.spent + row.spent, count=same.count + row.count)
    return list(merged.values())


def local_month(month: str) -> str:
    """`2026-07` → `Jul 2026`."""
    try:
        return f"{date.fromisoformat(f'{month}-01'):%b %Y}"
    except ValueError:
        return month


def concession_terms(concession: HomeConcession | PackagedConcession) -> str:
    """Word what a concession takes off and when: `17.5% of usage and supply above $171.60 a year, to 30 Jun 2027`."""
    amount = "" if concession.amount is None else f"${concession.amount:,.2f} a year"
    if concession.shape != "yearly":
        above = f" and supply above {amount}" if concession.shape == "percent_above" else ""
        amount = f"{concession.percent:f}% of usage{above}"
    first = f", from {_worded(concession.from_)}" if concession.from_ else ""
    return amount + first + (f", to {_worded(concession.to)}" if concession.to else "")


Shown = str | int | Decimal | date | None
"""What a field of a form shows; None: nothing."""


def refuse_changed(
    thing: str, shown: Mapping[str, Shown], now: Mapping[str, Shown], *, repeat: str = "Save again"
) -> None:
    """Refuse what a form of a thing sends where a field is not as it showed it: another tab has changed it since.

    Runs in the transaction that writes, so that nobody writes between the two. shown, now: name of a field → its value;
    a field that `now` does not name is not looked at. Raises UsageError with what differs.
    """
    changed = {name: value for name, value in now.items() if value != shown.get(name)}
    if changed:
        fields = "; ".join(f"{name}: {value or 'empty'}" for name, value in changed.items())
        raise UsageError(f"This {thing} was changed after the page was opened ({fields}). {repeat} to replace that.")
