"""Sections about money: the overview with what to do next, and income and expenses, also as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from decimal import Decimal

import polars as pl

from toolkit.answers.base import Period, with_signs
from toolkit.answers.report.income_expenses import (
    EXPENSE_SECTIONS,
    INCOME_SECTIONS,
    IncomeExpenses,
    StatementLine,
    WithoutCategory,
)
from toolkit.charts import spending as spending_charts
from toolkit.charts.statement import SECTION_NAMES, income_to_left
from toolkit.charts.style import aud
from toolkit.errors import ToolkitError
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.how_long import Lasting
from toolkit.flows.money.summary import spending
from toolkit.flows.report.energy import (
    SAFE,
    USUAL,
    EvenlyPaid,
    bill_name,
    bills_that_differ,
    evenly_paid,
    saving_sentence,
)
from toolkit.flows.report.income_expenses import per_meter
from toolkit.flows.report.material import Material, plain_notes, span, worded
from toolkit.flows.wording import counted
from toolkit.report import Section, Table

CSV_HEAD = ("section", "name", "amount", "per", "total", "payments", "as_told", "balance", "arrears")
_FORMULA = tuple("=+-@＝＋－＠")
STATED = "as told"
"""Marks a line that the person stated."""
MOST_NAMED = 5
"""Overdue debts that a step names."""
NO_ENERGY_PAID = (
    "No payment for energy is among these transactions. What energy costs is not in the expenses, nor taken off what "
    "is left."
)
NO_STATEMENT = "No income and no expense is known for these days, and none was stated."


def overview(material: Material) -> Section:
    """Show the main figures, and what to do next."""
    statement = material.statement
    facts = []
    parts = []
    notes, steps = [], list(_next_steps(material))
    if statement.from_ and statement.to:
        money = spending(material.ctx, from_=statement.from_, to=statement.to)
        # As income and expenses count it: spending takes what came in without a category for money back.
        unsorted = statement.difference.uncategorised_income if money.deposits_without_category else Decimal(0)
        spent = money.spent + unsorted + statement.difference.own_moves
        facts += [
            ("Transactions", span(statement.from_, statement.to)),
            ("Spent", aud(spent)),
            ("Income", aud(money.income + unsorted)),
        ]
        if unsorted:
            notes.append(f"Income includes {aud(unsorted)} that came in and has no category yet.")
        elif statement.by_month:
            # By the sections of the tables below it, as categories have other names.
            monthly = pl.DataFrame(
                [(each.month, each.section, each.spent) for each in statement.by_month],
                ["month", "section", "spent"],
                orient="row",
            )
            parts.append(
                spending_charts.by_month(monthly, name="section", most=len(SECTION_NAMES), names=SECTION_NAMES)
            )
        notes += [worded(note) for note in statement.notes if note.code == "own_name_not_counted"]
    if statement.lines:
        facts.append((f"Left each {statement.per}{_including_stated(statement)}", aud(statement.left)))
    for point in material.forecasts:
        if point.answer and point.answer.p50 is not None:
            facts.append((f"Next {point.fuel.lower()} bill, best guess", aud(point.answer.p50)))
    energy = "no energy bill can be forecast" if material.meters else "no meter data and no energy bills at all"
    nothing = f"No transactions are stored for these days, and {energy}."
    return Section(
        "Overview",
        text=[] if facts else [nothing],
        facts=facts,
        parts=parts,
        steps=("What to do next", steps or ["Nothing in these figures needs action."] if facts else []),
        notes=notes,
    )


def _next_steps(material: Material) -> Iterator[str]:
    """Yield what the figures ask for, the surest first."""
    try:
        for invoice in bills_that_differ(material.invoices):
            difference = aud(abs(invoice.difference or Decimal(0)))
            yield f"Ask the retailer about the bill of {bill_name(material, invoice)}: it differs by {difference}."
    except ToolkitError:
        pass  # no bill is stored
    for compared in material.comparisons:
        if sentence := saving_sentence(compared):
            yield f"Think about another plan. {sentence}"
    statement = material.statement
    lasting = _lasting(material)
    if lasting is not None and (lasting.is_short or lasting.may_be_short):
        words = lasting.outcome("the money").removeprefix("Yes, ")
        yield f"Watch the balance of the next three months. {words[:1].upper()}{words[1:]}"
    if statement.lines and statement.left < 0:
        yield (
            f"Expenses exceed income by {aud(-statement.left)} each {statement.per}. A free financial counsellor can "
            "help: National Debt Helpline, 1800 007 007."
        )
    if overdue := [f"{line.name} ({aud(line.arrears)})" for line in statement.lines if line.arrears]:
        more = f" and {counted(len(overdue) - MOST_NAMED, 'other')}" if len(overdue) > MOST_NAMED else ""
        yield f"Ask for a payment arrangement for what is overdue: {', '.join(overdue[:MOST_NAMED])}{more}."
    yield from (
        f"Look at {grew['name']}: {aud(Decimal(str(grew['growth'])))} more was charged to it than repaid."
        for grew in (note.figures for note in statement.notes if note.code == "debt_grew")
    )
    if statement.lines and statement.even_payment is not None:
        paid = evenly_paid(material)
        enough = statement.largest_payment >= statement.even_payment
        most = f", but at most {aud(statement.largest_payment)} is left."
        runs_short = lasting is not None and lasting.is_short
        # of all energy: there is no knowing whether the rest leaves room for what is not included
        room = "." if runs_short or paid.missing else ", and there is room for them."
        said = (
            f"Even payments for {paid.names[:1].lower()}{paid.names[1:]} of {aud(statement.even_payment)} each "
            f"{statement.per} would cover a usual year{_to_be_safe(statement)}{room if enough else most}"
        )
        yield " ".join((said, *paid.left_out))


def _to_be_safe(statement: IncomeExpenses) -> str:
    safe = statement.even_payment_p90
    return "" if safe in (None, statement.even_payment) else f" ({aud(safe)} {SAFE})"


def _lasting(material: Material) -> Lasting | None:
    """Return how long the money of all accounts lasts; None where no balance is known."""
    try:
        answer = cashflow(material.ctx)
    except ToolkitError:
        return None
    return None if answer.low_point is None else Lasting.of(answer.days, answer.low_point)


def _including_stated(answer: IncomeExpenses, sections: Sequence[str] = (*INCOME_SECTIONS, *EXPENSE_SECTIONS)) -> str:
    """Say in a label how much of a sum the person stated; empty where nothing of it."""
    stated = [line for line in answer.lines if line.is_stated and line.section in sections]
    return f", including {_sum(stated)} {STATED}" if any(line.amount for line in stated) else ""


def statement_section(material: Material) -> Section:
    """Show income and expenses, what is left, and how the sums differ from spending."""
    answer = material.statement
    if not answer.lines and not answer.people:
        return Section("Income and expenses", text=[NO_STATEMENT])
    days = f" from transactions of {span(answer.from_, answer.to)}" if answer.from_ else ""
    paid = evenly_paid(material)
    facts = [
        (f"Income each {answer.per}{_including_stated(answer, INCOME_SECTIONS)}", aud(answer.income)),
        (f"Expenses each {answer.per}{_including_stated(answer, EXPENSE_SECTIONS)}", aud(answer.expenses)),
        (f"Left each {answer.per}", aud(answer.left)),
        (f"Most that could go to energy each {answer.per}", aud(answer.largest_payment)),
    ]
    if answer.even_payment is not None and answer.even_payment_p90 is not None:
        label = f"{paid.names} paid evenly each {answer.per}"
        facts.append((f"{label}, {USUAL}", aud(answer.even_payment)))
        facts.append((f"{label}, {SAFE}", aud(answer.even_payment_p90)))
    people = [f"People in the home, as told: {', '.join(answer.people)}."] if answer.people else []
    income, expenses, by_card = (f"{what} each {answer.per}" for what in ("Income", "Expenses", "Paid by card"))
    return Section(
        "Income and expenses",
        text=[
            f"Averages each {answer.per}{days}. Lines marked “{STATED}” come from the person, not from an account.",
            *people,
        ],
        facts=facts,
        parts=[
            *([income_to_left(answer)] if answer.lines else []),
            _lines_table(income, answer, answer.lines, INCOME_SECTIONS),
            _lines_table(expenses, answer, answer.lines, without=_without_energy(answer)),
            *([_lines_table(f"{by_card}, not counted again", answer, answer.by_card)] if answer.by_card else []),
        ],
        notes=[
            "The most that could go to energy is what is left, and what goes to energy now.",
            *(NO_ENERGY_PAID for _ in _without_energy(answer)),
            *_without_category(answer),
            *_not_repaid(answer),
            *_difference(answer),
            *(paid.left_out if paid.known else []),
            *plain_notes(answer.notes),
        ],
    )


def _lines_table(
    caption: str,
    answer: IncomeExpenses,
    lines: Sequence[StatementLine],
    sections: Sequence[str] = EXPENSE_SECTIONS,
    without: Sequence[str] = (),
) -> Table:
    """Return lines by section, with sums. without: sections of which no payment is known, which is no zero."""
    days = Period(answer.from_, answer.to).days if answer.from_ and answer.to else 0
    rows: list[list[str]] = []
    strong: list[int] = []
    for section in sections:
        if own := [line for line in lines if line.section == section]:
            strong.append(len(rows))
            rows += [[SECTION_NAMES[section], _sum(own), "", "", ""], *(_line_cells(line, days) for line in own)]
        elif section in without:
            strong.append(len(rows))
            rows.append([SECTION_NAMES[section], "–", "no payment found", "", ""])
    strong.append(len(rows))
    rows.append(["Total", _sum([line for line in lines if line.section in sections]), "", "", ""])
    head = ["", "Amount", "Based on", "Owed", "Overdue"]
    return Table(caption, head, rows, frozenset({1, 3, 4}), frozenset(strong))


def _sum(lines: Sequence[StatementLine]) -> str:
    return aud(sum((line.amount for line in lines), Decimal("0.00")))


def _line_cells(line: StatementLine, days: int) -> list[str]:
    """Return a row. days: of the statement; where the account is known for fewer, these are said."""
    basis = STATED if line.is_stated else counted(line.payments, "payment") if line.payments else "money back"
    if line.days is not None and line.days < days:
        basis = f"{basis} in {counted(line.days, 'day')}"
    owing = ("" if owed is None else aud(owed) for owed in (line.balance, line.arrears))
    return [line.name, "–" if _is_not_repaid(line) else aud(line.amount), basis, *owing]


def _is_not_repaid(line: StatementLine) -> bool:
    """Return whether the person stated a debt, and no repayment of it."""
    return line.is_stated and not line.amount


def _without_energy(answer: IncomeExpenses) -> Sequence[str]:
    """Return the section of energy where the accounts show no payment for it, and the person stated none."""
    has_any = any(line.section == "energy" for line in (*answer.lines, *answer.by_card))
    return () if has_any or answer.from_ is None else ("energy",)


def _without_category(answer: IncomeExpenses) -> Iterator[str]:
    """Yield how much of the figures is in no category yet."""
    if parts := without_category(answer.without_category):
        yield f"Not sorted into categories yet: {parts}."


def without_category(unsorted: WithoutCategory) -> str:
    """Word what is in no category, with the number of transactions; empty where nothing is."""
    parts = (
        (unsorted.spent, "spent", counted(unsorted.payments, "payment")),
        (unsorted.received, "received", counted(unsorted.deposits, "deposit")),
    )
    return " and ".join(f"{aud(sum_)} {what} in {count}" for sum_, what, count in parts if sum_)


def _not_repaid(answer: IncomeExpenses) -> Iterator[str]:
    """Yield for each debt that the person stated without a repayment that none is counted."""
    for line in answer.lines:
        if line.section == "debts" and _is_not_repaid(line):
            owed = "" if line.balance is None else f" ({aud(line.balance)} owed)"
            yield f"Nothing is counted for repaying {line.name}{owed}."


def _difference(answer: IncomeExpenses) -> Iterator[str]:
    """Yield by how much the expenses differ from spending, and why."""
    about = answer.difference
    if answer.from_ is None:
        return
    if about.expenses == about.spending:
        yield f"Expenses from transactions come to {aud(about.expenses)} over these days, the same as spending."
        return
    parts = (
        ("repayments of own loans and cards, counted whole", about.repayments),
        ("purchases and fees on these accounts, not counted again", about.card_purchases),
        ("interest on these accounts, not counted again", about.interest),
        ("money in without a category, counted as income", about.uncategorised_income),
        ("moves between own accounts, by the name on them", about.own_moves),
    )
    listed = "; ".join(f"{'+' if amount > 0 else '−'}{aud(abs(amount))} {what}" for what, amount in parts if amount)
    by = aud(abs(about.expenses - about.spending))
    more = "more" if about.expenses > about.spending else "less"
    yield (
        f"Expenses from transactions come to {aud(about.expenses)} over these days, {by} {more} than spending "
        f"({aud(about.spending)}): {listed}."
    )


def statement_csv(answer: IncomeExpenses, paid: EvenlyPaid) -> str:
    """Return income and expenses as CSV; text that a spreadsheet would take for a formula gets a leading `'`.

    Sections of what was paid from own cards begin with `by_card_`: these rows are in no sum. paid: the meters of the
    even payments; each has a row in `even_payment` and in `even_payment_p90`, without an amount where it is not known.
    """
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(CSV_HEAD)
    for kind, line in (*(("", line) for line in answer.lines), *(("by_card_", line) for line in answer.by_card)):
        amount = None if _is_not_repaid(line) else line.amount
        figures = (amount, answer.per, line.total, line.payments)
        owed = (line.balance, line.arrears)
        cells = (kind + line.section, _as_text(line.name), *figures, "yes" if line.is_stated else "no", *owed)
        rows.writerow(["" if cell is None else cell for cell in cells])
    rows.writerows(["people", _as_text(name), *[""] * 4, "yes", "", ""] for name in answer.people)
    sums = (("income", answer.income), ("expenses", answer.expenses), ("left", answer.left))
    payments = (
        ("largest_payment", answer.largest_payment),
        ("even_payment", answer.even_payment),
        ("even_payment_p90", answer.even_payment_p90),
    )
    rows.writerows(
        ["sum", name, value, answer.per, *[""] * 5] for name, value in (*sums, *payments) if value is not None
    )
    each_meter = {name: per_meter(even, answer.per) for name, even in paid.known.items()}
    for name in (*each_meter, *paid.missing) if each_meter else ():
        amounts = each_meter.get(name)
        usual, safe = (amounts.p50, amounts.p90) if amounts else ("", "")
        rows.writerow(["even_payment", name, usual, answer.per, *[""] * 5])
        rows.writerow(["even_payment_p90", name, safe, answer.per, *[""] * 5])
    about = answer.difference
    explained = (
        "expenses",
        "spending",
        "repayments",
        "card_purchases",
        "interest",
        "uncategorised_income",
        "own_moves",
    )
    rows.writerows(["difference", name, "", "", getattr(about, name), *[""] * 4] for name in explained)
    return written.getvalue()


def _as_text(text: str) -> str:
    shown = with_signs(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
