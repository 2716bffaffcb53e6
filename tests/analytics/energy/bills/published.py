"""Both engines on published plans: `python -m tests.analytics.energy.bills.published PATH [--every N]`.

PATH is a file or folder of plans as `toolkit import` reads them. Each line of it is priced by the toolkit and by the
slow referee under every set-up of its fuels, or, with `--homes FIRST LAST`, on those generated homes; said are how many
came out equal, what could not be priced and why, and every difference. 10,000 lines take four minutes of one processor,
on generated homes one to ten seconds for a hundred bills.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.analytics.energy.bills.setups import Setup, generated_home, setups
from tests.contracts.referee_bill import Answer, referee
from tests.contracts.referee_site import toolkit_bill
from toolkit.analytics.energy.bills import Bill
from toolkit.errors import PricingError
from toolkit.importers.plans import plan_objects
from toolkit.importers.source import each_source

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """Of one plan under one set-up. kind: equal, in part (equal, but not all could be priced), refused or different.

    reasons: why not all was priced. differences: what the engines do not agree on.
    """

    kind: str
    reasons: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()


def outcome(plan: Json, setup: Setup) -> Outcome | None:
    """None where the plan has no contract for the set-up's fuel."""
    options = {"blocks": setup.blocks, "discounts": setup.discounts, "on": setup.on}
    expected = referee(plan, setup.fuel, setup.site, setup.periods, **options)
    if expected is None:
        return None
    try:
        bill = toolkit_bill(plan, setup.fuel, setup.household, setup.periods, usage=setup.usage, **options)
    except PricingError as error:
        return Outcome(
            "refused", (error.reason,), () if not expected.lines else ("refused, but the referee prices it",)
        )
    reasons = tuple(sorted({kind_of(problem.reason) for problem in bill.problems}))
    differences = tuple(disagreements(bill, expected))
    return Outcome("different" if differences else "in part" if reasons else "equal", reasons, differences)


def disagreements(bill: Bill, expected: Answer) -> Iterator[str]:
    ours = {name: cents for name, cents in bill.components_minor().items() if cents}
    theirs = {name: cents for name, cents in expected.components.items() if cents}
    for name in sorted(set(ours) | set(theirs)):
        if ours.get(name) != theirs.get(name):
            yield f"{name}: {ours.get(name)} cents, the referee {theirs.get(name)}"
    if bill.gst_minor != expected.gst:
        yield f"GST: {bill.gst_minor} cents, the referee {expected.gst}"
    unreadable = [problem for problem in bill.problems if problem.where != "reads"]  # days without reads are no fault
    for what, here, there in (
        ("energy without a price", bill.unpriced, any(expected.unpriced.values())),
        ("something that cannot be read", unreadable, expected.refused),
    ):
        if bool(here) != bool(there):
            yield f"{what}: {here}, the referee {there}"


def kind_of(reason: str) -> str:
    """The reason without its figures."""
    return re.sub(r"\d[\d.,:-]*", "#", reason)


@dataclass
class Tally:
    """What came out, set-up by set-up."""

    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, where: str, setup: Setup, found: Outcome) -> None:
        self.kinds[setup.name, found.kind] += 1
        self.reasons.update((setup.name, reason) for reason in found.reasons)
        self.differences += [f"{where}, {setup.name}: {each}" for each in found.differences]

    def text(self) -> str:
        kinds = [f"{count:>7,} {kind:<10} {setup}" for (setup, kind), count in sorted(self.kinds.items())]
        reasons = [f"{count:>7,} {setup}: {reason}" for (setup, reason), count in self.reasons.most_common()]
        return "\n".join([*kinds, "not priced:", *reasons, f"differences: {len(self.differences)}", *self.differences])


def tally(plans: Iterable[tuple[str, Json]], chosen_setups: Sequence[Setup] | None = None) -> Tally:
    found = Tally()
    for where, plan in plans:
        for setup in chosen_setups or setups():
            result = outcome(plan, setup)
            if result:
                found.add(where, setup, result)
    return found


def objects(path: Path) -> Iterator[tuple[str, Json]]:
    """(where it stands, plan) of each plan in a file or folder."""
    for source in each_source(path):
        yield from ((found.where, found.value) for found in plan_objects(source) if isinstance(found.value, Mapping))


def chosen(path: Path, every: int) -> Iterator[tuple[str, Json]]:
    for number, (where, plan) in enumerate(objects(path)):
        if number % every == 0:
            if number % 1000 == 0:
                print(f"line {number:,} …", file=sys.stderr)
            yield where, plan


def main() -> int:
    reader = argparse.ArgumentParser(
        prog="python -m tests.analytics.energy.bills.published", description="Both engines on each plan."
    )
    reader.add_argument("path", type=Path)
    reader.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth line")
    reader.add_argument("--homes", type=int, nargs=2, metavar=("FIRST", "LAST"), help="on these generated homes")
    reader.add_argument("--fuel", choices=["electricity", "gas"], help="only this fuel")
    asked = reader.parse_args()
    fuels = [asked.fuel] if asked.fuel else ["electricity", "gas"]
    first, last = asked.homes or (0, -1)
    homes = [generated_home(number, fuel) for fuel in fuels for number in range(first, last + 1)]
    found = tally(chosen(asked.path, asked.every), homes or [each for each in setups() if each.fuel in fuels])
    print(found.text())
    return 1 if found.differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
