"""Sections about what energy costs: plans, bills, the year ahead and even payments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest

import plotly.graph_objects as go

from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import EvenPayments, Forecast, Instalments
from toolkit.answers.energy.invoices import CheckedInvoice
from toolkit.answers.energy.plans import ComparedPlan, Comparison
from toolkit.answers.wording.ranges import LIKELY_RANGE, likely_between
from toolkit.charts.forecast import fan
from toolkit.charts.plans import PlanBar, comparison
from toolkit.charts.style import about, aud, day
from toolkit.flows.report.income_expenses import EnergyForecast
from toolkit.flows.report.material import Compared, Material, plain_notes, plan_name, span, worded
from toolkit.flows.wording import counted, limits_of, standing_words
from toolkit.report import Section, Table

NO_ENERGY = "No meter data and no energy bills are stored."
NO_POSTCODE = "The postcode of this home is not stored, so some of these plans may not be offered there."
MOST_PLANS = 6
"""Plans listed beside the home's own."""
USUAL, SAFE = "for a usual year", "to be safe"
"""Names of the two even payments: enough one year in two, and nine in ten."""
_ABOUT_EVEN_PAYMENTS = (
    "Equal payments that cover the next twelve months, at the prices that are known. The one for a usual year falls "
    "short about every second year. The safe one is enough unless bills are unusually high, as in about one year of "
    "ten."
)
NO_YEAR = "A whole year cannot be forecast for it."
VERDICTS = {"agrees": "Agrees", "differs": "Differs", "cannot check": "Cannot be checked"}


def plans(material: Material) -> Section:
    """Compare the plans that the home can have, with the true saving and how to switch."""
    known = [(each.meter, each.answer) for each in material.comparisons if each.answer]
    return Section(
        "Energy plans",
        text=[
            *([] if material.comparisons else [NO_ENERGY]),
            *([] if material.has_postcode or not known else [NO_POSTCODE]),
            *(sentence for meter, answer in known for sentence in _plan_sentences(meter, answer)),
            *(f"{each.meter}: {each.reason}" for each in material.comparisons if each.answer is None),
        ],
        parts=[
            part
            for meter, answer in known
            if answer.plans
            for part in (about_meter(material, comparison(_bars(answer)), meter), _plan_table(meter, answer))
        ],
        steps=("How to switch", _switching(known)),
        notes=list(dict.fromkeys(note for _, answer in known for note in plain_notes(answer.notes))),
    )


def about_meter(material: Material, figure: go.Figure, meter: str) -> go.Figure:
    """Return the figure, named after the meter where the home has several."""
    return about(figure, meter) if len(material.meters) > 1 else figure


def saving_sentence(compared: Compared) -> str | None:
    """Return what the best plan would save; None where none does."""
    answer = compared.answer
    best, saving = (answer.headline, answer.named_saving) if answer else (None, None)
    if answer is None or best is None or saving is None or saving <= 0:
        return None
    time = "a year" if answer.yearly else f"over {best.saving_days} days"
    dated = f" Its prices are as of {day(best.as_of)}." if best.as_of else ""
    return f"{compared.meter}: {plan_name(best)} would cost {aud(saving)} less {time} than your plan today.{dated}"


def _plan_sentences(meter: str, answer: Comparison) -> Iterator[str]:
    dated = f" The newest prices are as of {day(answer.as_of)}." if answer.as_of else ""
    days = span(answer.from_, answer.to)
    compared = counted(answer.priced, "plan is", "plans are")
    yield (
        f"{meter}: {compared} compared, for what this home used from {days}.{dated} "
        "Of plans with the same name, only the cheapest is listed."
    )
    if answer.open_networks:
        yield (
            f"{meter}: it is not known which distributor supplies this home ({', '.join(answer.open_networks)}; it is "
            "on the bill). Plans of all of them are listed, so no saving is named."
        )
    elif saving := saving_sentence(Compared(meter, answer)):
        yield saving
    elif answer.current is not None:
        yield f"{meter}: no plan is known to cost less than your plan today."
    if standing := standing_words(answer):
        yield f"{meter}: {standing[:1].lower()}{standing[1:]}"
    best = answer.headline
    if best is not None and best.saving_range is not None and answer.named_saving is not None:
        low, high = aud(best.saving_range.low), aud(best.saving_range.high)
        yield f"In earlier years the saving would have been {low if low == high else f'{low} to {high}'}."
    if answer.named_saving and answer.current and answer.current.exit_fee:
        yield f"Leaving your plan may cost up to {aud(answer.current.exit_fee)}, which is not in the saving."


def _saving(answer: Comparison, plan: ComparedPlan) -> str:
    return "–" if plan.saving is None or answer.open_networks else aud(plan.saving)


def _plan_table(meter: str, answer: Comparison) -> Table:
    current = answer.current
    head = ["Plan", "Cost", "Saving", "Check first"]
    mine = []
    if current:
        mine = [[f"Your plan: {plan_name(current)}", aud(current.total), "", worded(current.reason or "")]]
    others = [
        [plan_name(plan), aud(plan.total), _saving(answer, plan), worded(limits_of(plan))] for plan in _listed(answer)
    ]
    standing = [["Cheapest standing offer", aud(answer.standing.total), "", ""]] if answer.standing else []
    caption = f"{meter}: what {span(answer.from_, answer.to)} would have cost, with GST"
    return Table(caption, head, [*mine, *others, *standing], frozenset({1, 2}))


def _bars(answer: Comparison) -> list[PlanBar]:
    current = answer.current
    mine = [PlanBar(f"Your plan: {plan_name(current)}", current.total, current.components)] if current else []
    return [*mine, *(PlanBar(plan_name(plan), plan.total, plan.components) for plan in _listed(answer))]


def _listed(answer: Comparison) -> list[ComparedPlan]:
    """Return the cheapest plans, of those that read alike the cheapest alone; the one that is advised is among them."""
    current, best = answer.current, answer.headline
    others = [plan for plan in answer.plans if current is None or plan.plan_id != current.plan_id]
    first = {(plan_name(plan), limits_of(plan)): plan for plan in reversed(others)}  # the cheapest is set last
    listed = sorted(first.values(), key=others.index)[:MOST_PLANS]
    if best is None or any(plan.plan_id == best.plan_id for plan in listed):
        return listed
    if current is not None and best.plan_id == current.plan_id:
        return listed
    return [*listed[: MOST_PLANS - 1], best]


def _switching(known: list[tuple[str, Comparison]]) -> list[str]:
    """Return how to switch: what holds for every meter once, the rest with the meter's name."""
    steps = {
        meter: [step.text for step in answer.switching]
        for meter, answer in known
        if answer.switching and not answer.open_networks
    }
    shared = set[str]().union(*steps.values()).intersection(*steps.values())
    listed = [
        text if text in shared else f"{meter}: {text}"
        for at_one_place in zip_longest(*steps.values())
        for meter, text in zip(steps, at_one_place, strict=True)
        if text is not None
    ]
    return list(dict.fromkeys(listed))


def bills(material: Material) -> Section:
    """Check each bill of the days against the meter and the plan."""
    rows = [
        [
            bill_name(material, invoice),
            _amount(invoice.billed),
            _amount(invoice.recomputed),
            VERDICTS[invoice.verdict],
            " ".join(map(worded, invoice.reasons)),
        ]
        for invoice in material.invoices
    ]
    if not rows:
        return Section("Energy bills", text=["No energy bills are stored for these days."])
    head = ["Bill", "Billed", "Our figure", "Result", "Why"]
    return Section(
        "Energy bills",
        text=[_verdicts_in_words(material.invoices)],
        parts=[Table("Bills checked, with GST", head, rows, frozenset({1, 2}))],
    )


def bill_name(material: Material, invoice: CheckedInvoice) -> str:
    """Return the days of a bill, with the meters that it is of where the home has several."""
    names = [name[:1].lower() + name[1:] for id_, _, name in material.meters if id_ in invoice.service_points]
    days = span(invoice.from_, invoice.to)
    return f"{days} ({' and '.join(names)})" if names and len(material.meters) > 1 else days


def _verdicts_in_words(invoices: Sequence[CheckedInvoice]) -> str:
    checked = sum(invoice.verdict != "cannot check" for invoice in invoices)
    differing = len(bills_that_differ(invoices))
    unknown = f" {counted(len(invoices) - checked, 'bill')} cannot be checked." if checked < len(invoices) else ""
    worked_out = "what the meter data and the plan give"
    if not differing:
        return (
            f"{counted(checked, 'bill agrees', 'bills agree')} with {worked_out}.{unknown}" if checked else unknown[1:]
        )
    of_checked = f"Of {counted(checked, 'bill')} checked, {differing} {'differs' if differing == 1 else 'differ'}"
    return f"{of_checked} from {worked_out}.{unknown}"


def bills_that_differ(invoices: Sequence[CheckedInvoice]) -> list[CheckedInvoice]:
    """Return the bills that differ from what was worked out."""
    return [invoice for invoice in invoices if invoice.verdict == "differs"]


def _amount(value: Decimal | None) -> str:
    return "–" if value is None else aud(value)


def year_ahead(material: Material) -> Section:
    """Forecast the bills of the next twelve months."""
    text, parts, notes = [], list[go.Figure | Table](), list[str]()
    for name, each in _forecasts(material):
        answer = each.answer
        if answer is None or not answer.bills:
            reason = answer.reason if answer else each.reason
            text.append(f"{name}: {worded(reason or 'not enough data to forecast.')}")
            continue
        source = "Bills" if is_from_bills(answer.notes) else "Meter data"
        through = f" {source} to {day(answer.metered_through)}." if answer.metered_through else ""
        text.append(f"{name}: the next bill is {_likely(answer)}.{through}")
        parts += [about_meter(material, fan(answer), name), _ahead_table(name, answer)]
        notes += plain_notes(answer.notes)
    if gas := material.gas_from_bank:
        text.append(f"Gas: {gas}")
    return Section(
        "The next twelve months",
        text=text or [NO_ENERGY],
        parts=parts,
        notes=list(dict.fromkeys(notes)),
    )


def _likely(answer: Forecast) -> str:
    if answer.p10 is None or answer.p90 is None or answer.p10 == answer.p90:
        return f"likely about {aud(answer.p50 or 0)}"
    return f"{likely_between(aud(answer.p10), aud(answer.p90))}; our best guess is {aud(answer.p50 or 0)}"


def _ahead_table(name: str, answer: Forecast) -> Table:
    rows = [
        [
            span(bill.from_, bill.to),
            aud(bill.p50),
            "" if bill.p10 is None or bill.p90 is None else f"{aud(bill.p10)} to {aud(bill.p90)}",
            day(bill.due) if bill.due else "",
        ]
        for bill in answer.bills
    ]
    head = ["Period", "Best guess", LIKELY_RANGE, "Due"]
    return Table(f"{name}: bills ahead, with GST", head, rows, frozenset({1, 2}))


def even_payments(material: Material) -> Section:
    """Show what covers the next twelve months in even payments, of each meter and of all together."""
    paid = evenly_paid(material)
    if not paid.known:
        nothing = "Not enough data to work out even payments for the next twelve months."
        return Section("Even payments", text=[f"{name}: {why}" for name, why in paid.missing.items()] or [nothing])
    names, known = list(paid.known), list(paid.known.values())
    rows = [
        [f"{name}, {often}", aud(each.weekly), aud(each.fortnightly), aud(each.monthly), aud(year)]
        for name, even in paid.known.items()
        for often, each, year in ((USUAL, even.p50, even.year_p50), (SAFE, even.p90, even.year_p90))
    ]
    if len(known) > 1:
        rows += [
            _together(USUAL, [(even.p50, even.year_p50) for even in known]),
            _together(SAFE, [(even.p90, even.year_p90) for even in known]),
        ]
    head = ["Payment", "Each week", "Each fortnight", "Each month", "Twelve months"]
    caption = f"Even payments for {paid.names[:1].lower()}{paid.names[1:]}, AUD with GST"
    strong = frozenset(range(2 * len(names), len(rows)))
    return Section(
        "Even payments",
        text=[_ABOUT_EVEN_PAYMENTS, *paid.left_out],
        parts=[Table(caption, head, rows, frozenset({1, 2, 3, 4}), strong)],
    )


def _together(often: str, paid: Sequence[tuple[Instalments, Decimal]]) -> list[str]:
    """Return the row of all meters together."""
    sums = (
        sum(amounts, Decimal(0))
        for amounts in zip(*((each.weekly, each.fortnightly, each.monthly, year) for each, year in paid), strict=True)
    )
    return [f"Together, {often}", *map(aud, sums)]


@dataclass(frozen=True, slots=True)
class EvenlyPaid:
    """Of which meters the even payments are. known: by name of the meter; missing: name of each other one → why."""

    known: Mapping[str, EvenPayments]
    missing: Mapping[str, str]

    @property
    def names(self) -> str:
        """Return the meters that the payments are of, as the start of a label."""
        first, *others = self.known
        return " and ".join((first, *(name[:1].lower() + name[1:] for name in others)))

    @property
    def left_out(self) -> list[str]:
        """Return for each other meter that it is not included, and why."""
        return [f"{name} is not included in the even payments. {why}" for name, why in self.missing.items()]


def evenly_paid(material: Material) -> EvenlyPaid:
    """Return the even payments of each meter that has some, and the reason for each other one."""
    known, missing = dict[str, EvenPayments](), dict[str, str]()
    for name, each in _forecasts(material):
        if each.answer and each.answer.even_payments:
            known[name] = each.answer.even_payments
        else:
            reason = each.answer.reason if each.answer else each.reason
            missing[name] = worded(reason or NO_YEAR)
    if gas := material.gas_from_bank:
        missing["Gas"] = gas
    return EvenlyPaid(known, missing)


def _forecasts(material: Material) -> Iterator[tuple[str, EnergyForecast]]:
    """Yield the name of each meter with its forecast."""
    names = {id_: name for id_, _, name in material.meters}
    yield from ((names[each.service_point_id], each) for each in material.forecasts)


def is_from_bills(notes: Sequence[Note]) -> bool:
    """Return whether the energy of a meter is known from bills alone."""
    return any(note.code == "energy_from_bills" for note in notes)
