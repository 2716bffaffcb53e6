"""The market as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec.structs import astuple

from toolkit.answers.energy.invoices import (
    BankPayment,
    CheckedInvoice,
    CheckState,
    LinkedPayment,
    PlanSwitch,
    Reconciliation,
    SuggestedPayment,
)
from toolkit.answers.energy.plans import (
    ComparedPlan,
    Comparison,
    FuelCard,
    PlanFetch,
    PlanList,
    PriceRun,
    PriceWeek,
    RateCard,
    RetailerCounts,
    UnpricedPlan,
)
from toolkit.answers.energy.whatif import BestPlans, WhatIf
from toolkit.cli.output import aud, day, kwh, percent, printable, sentence, show_notes, show_problems, table
from toolkit.flows.wording import counted

MOST_REASONS = 10
MOST_NAMED = 3
LEAST_SHARE = 0.005
"""A smaller share would read as 0 %."""
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_ROLES = {"general": "general use", "controlled": "controlled load", "export": "solar exports"}


def compare(answer: Comparison) -> Iterator[str]:
    where = f" in the network {printable(answer.network)}" if answer.network else ""
    span = f"{day(answer.from_)} to {day(answer.to)}"
    dated = f" The newest prices are as of {day(answer.as_of)}." if answer.as_of else ""
    yield f"{counted(answer.priced, 'plan')}{where} on the meter data of {span}, cheapest first.{dated}"
    rows = [
        (aud(plan.total), aud(plan.saving), plan.plan_id, plan.name or "", plan.retailer or "", _remarks(plan))
        for plan in answer.plans
    ]
    yield from table(("total", "saving", "plan", "name", "retailer", "remarks"), rows, right=(0, 1))
    yield from (
        f"check first: {printable(plan.plan_id)}: {sentence(text)}" for plan in answer.plans for text in plan.conditions
    )
    yield from _in_words(answer)
    if answer.network is None:
        networks = [(each.network, each.priced, each.plan_id, aud(each.total)) for each in answer.by_network]
        yield from table(("network", "plans", "cheapest", "total"), networks, right=(1, 3))
    yield from _unpriced(answer.unpriced)
    yield from show_notes(answer)
    yield from show_problems(answer)


def _remarks(plan: ComparedPlan) -> str:
    words = [("ended", plan.ended), ("variable prices", plan.variable), ("see conditions", plan.conditions)]
    alike = [f"and {len(plan.same_as)} more"] if plan.same_as else []
    return ", ".join([*(word for word, holds in words if holds), *alike])


def _in_words(answer: Comparison) -> Iterator[str]:
    """Yield what today's plan costs, what the best one saves, and what the standing offer costs."""
    if current := answer.current:
        known, name = printable(current.plan_id), printable(current.name or "")
        part = ", without the part that has no price" if current.reason else ""
        yield f"Today's plan {f'{name} ({known})' if name else known}: {aud(current.total)}{part}."
    best = answer.headline
    if best and answer.named_saving is not None and answer.named_saving > 0:
        span = "a year" if answer.yearly else f"over the {best.saving_days} days to {day(answer.to)}"
        yield f"{printable(best.name or best.plan_id)} saves {aud(answer.named_saving)} {span}."
    if standing := answer.standing:
        cost = f"{aud(standing.total)}{_below_standing(answer)}"
        yield f"The cheapest standing offer, {printable(standing.plan_id)}, costs {cost}."
    if answer.switching:
        yield "To switch:"
        yield from (f"  {number}. {printable(step.text)}" for number, step in enumerate(answer.switching, 1))


def _below_standing(answer: Comparison) -> str:
    """Return how far today's plan is from the standing offer."""
    share = answer.current.below_standing if answer.current else None
    if share is None or abs(share) < LEAST_SHARE:
        return ""
    return f"; today's plan is about {abs(share):.0%} {'below' if share > 0 else 'above'} it"


def _unpriced(plans: Sequence[UnpricedPlan]) -> Iterator[str]:
    """Yield a line for each reason, the commonest first, with some of the plans."""
    reasons = Counter(plan.reason for plan in plans)
    for reason, count in reasons.most_common(MOST_REASONS):
        named = [printable(plan.plan_id) for plan in plans if plan.reason == reason][:MOST_NAMED]
        more = f" and {count - len(named)} more" if count > len(named) else ""
        yield f"not priced: {', '.join(named)}{more}: {printable(reason)}"
    if len(reasons) > MOST_REASONS:
        yield f"… and for {len(reasons) - MOST_REASONS} more reasons (all of them with --json)"


def reconcile(answer: Reconciliation) -> Iterator[str]:
    """Yield all invoices as a table; line by line only those that differ, or a single one."""
    if len(answer.invoices) != 1:
        counts = ((answer.agrees, "agree"), (answer.differs, "differ"), (answer.cannot_check, "cannot be checked"))
        verdicts = ", ".join(f"{count} {word}" for count, word in counts if count)
        yield (
            f"{len(answer.invoices)} invoices: {verdicts}."
            if verdicts
            else "There is no invoice to check in this period."
        )
        head = ("invoice", "days", "billed", "recomputed", "difference", "verdict", "paid")
        rows = [
            (
                invoice.invoice_number or "Paper bill",
                f"{day(invoice.from_)} to {day(invoice.to)}",
                aud(invoice.billed),
                aud(invoice.recomputed),
                aud(invoice.difference),
                invoice.verdict,
                _paid(invoice),
            )
            for invoice in answer.invoices
        ]
        yield from table(head, rows, right=(2, 3, 4))
    for invoice in answer.invoices:
        if len(answer.invoices) == 1 or invoice.verdict != "agrees":
            yield from _in_full(invoice)
    yield from map(_switch, answer.switches)
    yield from (f"{printable(account.account_id)}: {printable(account.sentence)}" for account in answer.accounts)
    yield from show_problems(answer)


def _switch(switch: PlanSwitch) -> str:
    """Return what the last change of plan saved."""
    word = "saved" if switch.saved >= 0 else "cost"
    bills = counted(switch.bills, "bill")
    paid = f"{bills} since {day(switch.on)} {word} {aud(abs(switch.saved))} against {printable(switch.from_plan)}"
    if switch.year_before is None:
        return f"{paid}."
    before = "saving" if switch.year_before >= 0 else "extra cost"
    return f"{paid}; on the same days a year before the {before} would have been {aud(abs(switch.year_before))}."


def _in_full(invoice: CheckedInvoice) -> Iterator[str]:
    number = printable(invoice.invoice_number or "Paper bill")
    yield f"{number}, {day(invoice.from_)} to {day(invoice.to)}: {invoice.verdict}"
    recomputed, difference = aud(invoice.recomputed), aud(invoice.difference)
    yield f"  billed {aud(invoice.billed)}, recomputed {recomputed}, difference {difference}"
    yield from (f"  {sentence(reason)}" for reason in invoice.reasons)
    rows = [(line.label or line.described, aud(line.billed), aud(line.recomputed)) for line in invoice.lines]
    yield from (f"  {line}" for line in table(("line", "billed", "recomputed"), rows, right=(1, 2)))
    if invoice.payment:
        description = invoice.payment.description if isinstance(invoice.payment, LinkedPayment) else None
        yield f"  paid: {_paid(invoice)}" + (f" ({printable(description)})" if description else "")
    yield from (f"  {CHECK_SIGNS[check.state]} {sentence(check.text)}" for check in invoice.checks)
    yield from (f"  {note}" for note in show_notes(invoice))


CHECK_SIGNS: Mapping[CheckState, str] = {"ok": "✓", "problem": "✗", "unknown": "?"}


def _paid(invoice: CheckedInvoice) -> str:
    """Return when it was paid, in how many parts, and which other invoices with it."""
    payment = invoice.payment
    if payment is None:
        return ""
    if isinstance(payment, SuggestedPayment):
        return f"perhaps {_days_of(payment.candidates)}"
    others = [str(other) for other in payment.invoices if other != invoice.invoice_number]
    together = f", with {', '.join(map(printable, others))}" if others else ""
    return _days_of(payment.payments) + together


def _days_of(payments: Sequence[BankPayment]) -> str:
    return ", ".join(dict.fromkeys(day(payment.date) for payment in payments))


def whatif(answer: WhatIf) -> Iterator[str]:
    span = f"{day(answer.from_)} to {day(answer.to)}"
    yield f"{span} on {printable(answer.plan_name)}: {aud(answer.before)} before, {aud(answer.after)} after."
    word = "Saved" if answer.saving >= 0 else "Extra cost"
    year = "" if answer.yearly is None else f"; {aud(abs(answer.yearly))} a year"
    yield f"{word} {aud(abs(answer.saving))}{year}."
    if answer.payback_years is not None:
        yield f"At {aud(answer.price)} it pays for itself in {answer.payback_years:.1f} years."
    rows = [(name.replace("_", " "), aud(amount)) for name, amount in answer.components.items() if amount]
    yield from table(("part", "saved"), rows, right=(1,))
    if len(answer.ways) > 1:
        yield from table(("run for", "saved"), [(way.way, aud(way.saving)) for way in answer.ways], right=(1,))
    if gas := answer.gas:
        yield f"Gas on {printable(gas.plan_name)}: {aud(gas.before)} before, {aud(gas.after)} after (in both totals)."
    if best := answer.best:
        yield from _on_best(best)
    sizes = [
        (f"{size.kwh:g} kWh", aud(size.price), aud(size.saving), aud(size.yearly), _years(size.payback_years))
        + ((aud(size.best.saving), printable(size.best.plan_name)) if size.best else ("", ""))
        for size in answer.sizes
    ]
    head = ("battery", "price", "saved", "a year", "pays back in", "on best plan", "best plan")
    yield from table(head, sizes, right=range(1, 6))
    yield from (f"assumed: {sentence(words)}" for words in answer.assumptions)
    yield from show_notes(answer)
    yield from show_problems(answer)


def _on_best(best: BestPlans) -> Iterator[str]:
    plans = f"{printable(best.before_plan_name)} without, {printable(best.plan_name)} with it"
    word = "saves" if best.saving >= 0 else "costs"
    yield f"On the best plan for each ({plans}): {aud(best.before)} before, {aud(best.after)} after."
    year = "" if best.yearly is None else f"; {aud(abs(best.yearly))} a year"
    paid = f"; pays for itself in {_years(best.payback_years)}" if best.payback_years is not None else ""
    yield f"There it {word} {aud(abs(best.saving))}{year}{paid}."


def _years(years: float | None) -> str:
    return "" if years is None else f"{years:.1f} years"


def fetched(answer: PlanFetch) -> Iterator[str]:
    names = RetailerCounts.__struct_fields__
    rows = [astuple(counts) for counts in answer.retailers]
    yield from table([name.replace("_", " ") for name in names], rows, right=range(1, len(names)))
    for_home = f" for a home at {answer.postcode or answer.network}" if answer.postcode or answer.network else ""
    read = sum(counts.fetched for counts in answer.retailers)
    yield f"{counted(read, 'plan')} read{for_home} with {counted(answer.requests, 'request')}."
    for failed in answer.failed:
        yield f"failed: {printable(failed.retailer)}: {printable(failed.reason)}"
    yield from show_notes(answer)
    yield from show_problems(answer)


def plans(answer: PlanList) -> Iterator[str]:
    rows = [
        (plan.plan_id, plan.name or "", plan.retailer or "", (plan.fuel_type or "").lower()) for plan in answer.plans
    ]
    yield from table(("plan", "name", "retailer", "fuel"), rows)
    if not rows:
        yield "No plans: `toolkit plans fetch --here --postcode NNNN`, or import files (`toolkit import PLANS`)."


def plan(answer: RateCard) -> Iterator[str]:
    known = (answer.name, answer.retailer, ", ".join(answer.distributors))
    yield f"{printable(answer.plan_id)}: {printable('; '.join(part for part in known if part))}"
    if answer.last_updated:
        yield f"Prices as of {day(answer.last_updated)}."
    if answer.offered is False:
        yield "No longer offered."
    yield from (f"phone: {printable(phone)}" for phone in answer.phones)
    yield from (f"{link.name.lower()}: {printable(link.address)}" for link in answer.links)
    for fuel in answer.fuels:
        yield ""
        yield f"{fuel.fuel.capitalize()}; times in {fuel.clock}; prices in AUD"
        rows = [
            (
                rate.component,
                rate.label,
                rate.season,
                rate.window,
                rate.block,
                rate.price,
                rate.price_with_gst or "",
                rate.unit,
                rate.conditions,
            )
            for rate in fuel.rates
        ]
        head = ("part", "what", "season", "window", "step", "without GST", "with GST", "per", "")
        yield from table(head, rows, right=(5, 6))
        yield from _terms(fuel)
        for week in fuel.weeks:
            yield from _week(week, fuel.unit)
        yield from show_notes(fuel)
        yield from show_problems(fuel)
    yield from show_notes(answer)
    yield from show_problems(answer, parts=False)


def _terms(fuel: FuelCard) -> Iterator[str]:
    """Yield free hours, then what the contract states besides its prices, each in a line."""
    for hours in fuel.free_hours:
        parts = (hours.window, hours.allowance, hours.season if hours.season != "all year" else "")
        yield f"free power: {printable(', '.join(part for part in parts if part))}"
    if (use := fuel.free_use) is not None:
        yield (
            f"  {day(use.from_)} to {day(use.to)}: {kwh(use.used_kwh)} used in these hours, {kwh(use.free_kwh)} free "
            f"({percent(use.share)} of all power)"
        )
    terms = fuel.terms
    stated = {
        "term": terms.term,
        "exit fee": None if terms.exit_fee is None else aud(terms.exit_fee),
        "benefits last": terms.benefit_period,
        "bills come": ", ".join(terms.bill_frequency),
        "cooling off": None if terms.cooling_off_days is None else counted(terms.cooling_off_days, "business day"),
    }
    yield from (f"{name}: {printable(text)}" for name, text in stated.items() if text)
    for entry in terms.eligibility:
        yield f"who can have it: {printable(': '.join(part for part in (entry.words, entry.text) if part))}"


def _week(week: PriceWeek, unit: str) -> Iterator[str]:
    """Yield one line for the days that are alike."""
    by_day: dict[str, list[int]] = {}
    for weekday in range(7):
        runs = ", ".join(_run(run) for run in week.week if run.weekday == weekday)
        by_day.setdefault(runs, []).append(weekday)
    yield f"Cents a {unit} with GST, {_ROLES[week.role]}, {week.season}"
    for words, weekdays in by_day.items():
        yield f"  {', '.join(_DAYS[weekday] for weekday in weekdays)}: {words}"


def _run(run: PriceRun) -> str:
    price = "no price" if run.price is None else f"{Decimal(run.price) * 100:.2f}"
    return f"{run.from_}–{run.to} {price}"
