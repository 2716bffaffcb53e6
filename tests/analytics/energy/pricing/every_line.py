"""Every line of published plans and generated homes: `python -m tests.analytics.energy.pricing.every_line`.

Prices all plans of PUBLISHED_PLANS (or of `shared/data/plans` beside the clone) as one market for `--homes` homes, with
pooled and daily blocks and with no, guaranteed and all discounts, and each plan by itself; then `--cases` generated
plans, a part of them with figures that no retailer publishes. Prints how many bills and lines were compared and what
differs. All of it takes hours of one processor; `--every N` takes each Nth plan.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import product

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.generated import Case, cases, contracts
from tests.analytics.energy.bills.published import objects
from tests.analytics.energy.bills.setups import LATER, generated_home
from tests.analytics.energy.bills.test_published_plans import PUBLISHED, invented
from tests.analytics.energy.pricing.odd_rates import odd
from tests.analytics.energy.pricing.test_lines import compiled, differences, unlike
from toolkit.analytics.energy.bills import Options, Period, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.answers.energy.bills import Blocks, Discounts
from toolkit.errors import PricingError
from toolkit.tables.rows.plans import Fuel, read_plan

BLOCKS: tuple[Blocks, ...] = ("pooled", "daily")
DISCOUNTS: tuple[Discounts, ...] = ("none", "guaranteed", "all")


def published(every: int) -> Iterator[tuple[Fuel, list[Rates]]]:
    """The compiled plans of each fuel; the sandbox's where no published plans are there."""
    if not PUBLISHED.exists():
        print(f"No published plans at {PUBLISHED}: the sandbox's market stands for them.")
    given_plans = [plan for _, plan in objects(PUBLISHED)] if PUBLISHED.exists() else invented()
    plans = [read_plan(dict(plan)) for plan in given_plans[::every]]
    fuels: tuple[Fuel, ...] = ("ELECTRICITY", "GAS")
    for fuel in fuels:
        rates = []
        for plan in plans:
            try:
                rates.append(compile_plan(plan, fuel, on=LATER))
            except PricingError:
                continue
        yield fuel, rates


def of_homes(plans: Sequence[Rates], fuel: Fuel, homes: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of lines, and what differs, of each plan, home and option."""
    market = Market.of(plans)
    for number in range(homes):
        setup = generated_home(number, fuel.lower())
        usage, periods = setup.usage, [Period(*period) for period in setup.periods]
        for blocks, discounts in product(BLOCKS, DISCOUNTS):
            options = Options(blocks=blocks, discounts=discounts, holidays=setup.household.holidays)
            priced = price_market(market, usage, periods, options)
            for n, rates in enumerate(plans):
                bill, alone = priced.bill(n), price(usage, rates, periods, options=options)
                where = f"{rates.plan_id}, home {number}, {blocks}, {discounts}"
                unequal = [f"{where}: {each}" for each in unlike(bill, alone)]
                if int(priced.totals[n]) != bill.total_minor:
                    unequal.append(f"{where}: total {priced.totals[n]}, lines {bill.total_minor}")
                yield len(bill.lines), unequal
        print(f"{fuel.lower()}, home {number}: {len(plans) * 6:,} bills", flush=True)


def of_cases(count: int, start: int) -> Iterator[list[str]]:
    """Yield what differs in each of the generated cases; every other one with odd figures or parts of periods."""
    found: list[list[str]] = []

    @seed(start)
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=HealthCheck
    )
    @given(cases(), st.lists(contracts(), max_size=2), st.integers(0, 10**6))
    def run(case: Case, others: list[dict], number: int) -> None:
        dice = random.Random(number)
        plans, wholes = compiled(case, others), [Period(*period) for period in case.periods]
        if dice.randrange(2):
            plans = [odd(rates, dice) for rates in plans]
        if dice.randrange(2):
            case = replace(case, periods=[_part(first, last, dice) for first, last in case.periods])
        found.append(differences(case, plans, wholes))

    run()
    yield from found


def _part(first: date, last: date, dice: random.Random) -> tuple[date, date]:
    """Some of the days."""
    days = sorted(dice.choices(range((last - first).days + 1), k=2))
    return first + timedelta(days[0]), first + timedelta(days[1])


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.analytics.energy.pricing.every_line")
    reader.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth plan")
    reader.add_argument("--homes", type=int, default=20)
    reader.add_argument("--cases", type=int, default=10_000)
    reader.add_argument("--seed", type=int, default=0)
    asked = reader.parse_args()
    bills = lines = 0
    unequal: list[str] = []
    for fuel, plans in published(asked.every):
        for count, found in of_homes(plans, fuel, asked.homes):
            bills, lines = bills + 1, lines + count
            unequal += found
    generated = list(of_cases(asked.cases, asked.seed)) if asked.cases else []
    unequal += [each for found in generated for each in found]
    print(f"{bills:,} bills of published plans, {lines:,} lines; {len(generated):,} generated cases")
    print(f"differences: {len(unequal)}", *unequal[:50], sep="\n")
    return 1 if unequal else 0


if __name__ == "__main__":
    raise SystemExit(main())
