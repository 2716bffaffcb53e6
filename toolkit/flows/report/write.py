"""Write the report: one HTML page with the chosen sections, and income and expenses as a CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from toolkit.answers.data import WrittenReport
from toolkit.answers.report.income_expenses import StatementPer
from toolkit.charts.style import day
from toolkit.errors import NothingStoredError, ToolkitError, UsageError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.household.context import UNNAMED, Context, nothing_stored, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.report import energy, money, use
from toolkit.flows.report.income_expenses import PER
from toolkit.flows.report.material import Material, span, worded
from toolkit.flows.typed_days import check_day
from toolkit.report import Section, is_page, render
from toolkit.store.connection import replace_private

MOST_WORDS = 20_000
"""Characters of own words above or below the sections."""

TITLE = "Money and energy report"
FEWEST_TOGETHER = 2
"""So many sections without a figure are put together: one alone keeps its place."""
MAKERS: Mapping[str, tuple[str, Callable[[Material], Section]]] = {
    "overview": ("Overview", money.overview),
    "plans": ("Energy plans", energy.plans),
    "bills": ("Energy bills", energy.bills),
    "year-ahead": ("The next twelve months", energy.year_ahead),
    "even-payments": ("Even payments", energy.even_payments),
    "income-expenses": ("Income and expenses", money.statement_section),
    "usage": ("Energy use", use.use),
    "solar": ("Solar", use.panels),
}
"""Name of a section → its title, and what makes it."""
_ON_ENERGY = {"plans", "bills", "year-ahead", "even-payments", "usage", "solar"}


@dataclass(frozen=True, slots=True)
class ReportQuestion:
    """What a report holds. sections: names in order; empty: the usual ones.

    from_, to: days of money, bills, use and solar. per: of income and expenses. opening, closing: own words as text.
    """

    sections: Sequence[str] = ()
    from_: date | None = None
    to: date | None = None
    per: StatementPer = PER
    opening: str = ""
    closing: str = ""


@dataclass(frozen=True, slots=True)
class MadeReport:
    """A report that is not written yet. sections: names. csv: income and expenses. days: those asked for, in words."""

    page: str
    sections: tuple[str, ...]
    csv: str
    days: str


def make_report(ctx: Context, question: ReportQuestion) -> MadeReport:
    """Make the page and the CSV; the same data, question and `ctx.today` give the same bytes.

    A section without data gives the reason. The page has no account numbers. Raises UsageError for a section that is
    not one, a day of a year that cannot be meant, a last day before the first, or own words that are too long.
    """
    if unknown := [name for name in question.sections if name not in MAKERS]:
        raise UsageError(f"{unknown[0]!r} is not a section of the report: choose from {', '.join(MAKERS)}.")
    if any(len(words) > MOST_WORDS for words in (question.opening, question.closing)):
        raise UsageError(f"Own words can have at most {MOST_WORDS:,} characters.")
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_home(ctx) as (_store, household):
        title = TITLE if household.name == UNNAMED else f"{TITLE}: {household.name}"
    check_day(question.from_, "--from")
    check_day(question.to, "--to")
    if question.from_ and question.to and question.to < question.from_:
        days = f"The last day {question.to} is before the first day {question.from_}."
        raise UsageError(days, option="--to")
    names = tuple(dict.fromkeys(question.sections)) or usual_sections(ctx)
    material = Material(ctx, question.from_, question.to, question.per)
    sections = [_made(*MAKERS[name], material) for name in names]
    asked = f", for {span(question.from_, question.to)}" if question.from_ or question.to else ""
    when = f"As of {day(ctx.today)}{asked}"
    page = render(title, when, _with_reasons_last(sections), opening=question.opening, closing=question.closing)
    return MadeReport(
        page, names, money.statement_csv(material.statement, energy.evenly_paid(material)), _days(question)
    )


def _days(question: ReportQuestion) -> str:
    """Word the days that a report is of."""
    if question.from_ and question.to:
        return span(question.from_, question.to)
    if question.from_ or question.to:
        return f"the days from {day(question.from_)} on" if question.from_ else f"the days to {span(None, question.to)}"
    return "all days"


def _with_reasons_last(sections: Sequence[Section]) -> list[Section]:
    """Put sections that have nothing but the reason why into one, below those that have figures."""
    full = [section for section in sections if section.facts or section.parts]
    empty = [section for section in sections if section not in full]
    if not full or len(empty) < FEWEST_TOGETHER:
        return list(sections)
    reasons = [f"{section.title}: {' '.join(section.text)}" for section in empty]
    return [*full, Section("What this report does not have", text=reasons)]


def usual_sections(ctx: Context) -> tuple[str, ...]:
    """Return the names of the sections that the household has data for.

    Those on energy only with a meter or a bill, and Solar only where it is known of any panels what they make.
    """
    with open_home(ctx) as (store, household):
        has_energy = bool(service_points(store, household))
    without = _ON_ENERGY if not has_energy else set() if use.has_panels(ctx) else {"solar"}
    return tuple(name for name in MAKERS if name not in without)


def write_report(ctx: Context, out: Path, question: ReportQuestion, csv: Path | None = None) -> WrittenReport:
    """Write the report, and its CSV where a path is given; both readable by their owner alone.

    An earlier report is replaced whole, nothing else (UsageError).
    """
    refuse_to_replace(out, ctx.db, earlier="an earlier report", is_earlier=_is_report)
    if csv is not None:
        if csv.absolute() == out.absolute():
            raise UsageError("The page and the CSV need two files.")
        refuse_to_replace(csv, ctx.db, earlier="an earlier CSV of a report", is_earlier=_is_csv)
    made = make_report(ctx, question)
    replace_private(out, lambda path: path.write_text(made.page, encoding="utf-8"))
    if csv is not None:
        replace_private(csv, lambda path: path.write_text(made.csv, encoding="utf-8"))
    return WrittenReport(path=str(out), csv=str(csv) if csv else None, sections=made.sections, bytes=out.stat().st_size)


def own_words(path: Path | None) -> str:
    """Read own words from a text file (UTF-8). Raises UsageError where it is not one."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a text file in UTF-8.") from None


def _made(title: str, make: Callable[[Material], Section], material: Material) -> Section:
    try:
        return make(material)
    except ToolkitError as error:
        return Section(title, text=[worded(error)])


def _is_report(path: Path) -> bool:
    return is_page(path.read_text(encoding="utf-8", errors="replace"))


def _is_csv(path: Path) -> bool:
    return path.read_text(encoding="utf-8", errors="replace").startswith(",".join(money.CSV_HEAD))
