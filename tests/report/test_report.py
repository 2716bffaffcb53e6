"""The page to hand over: its sections and figures, and nothing in it that runs or asks."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.meters import day, days, flat_plan, nem12, register
from tests.problems import names
from toolkit.charts import style
from toolkit.flows.report.money import STATED
from toolkit.flows.report.write import MAKERS
from toolkit.report import Section, Table, render

HOSTILE = "<img src=x onerror=alert(1)>"
BANK = f'01/02/2026,"-45.60","{HOSTILE}","+1954.40"\n02/02/2026,"-4.50","CAFE","+1949.90"\n'
TODAY = ("--today", "2026-03-01")


@pytest.fixture
def home(run: Run, tmp_path: Path) -> Run:
    """A household with two bank rows, a month of reads and a plan."""
    (tmp_path / "bank.csv").write_text(BANK)
    (tmp_path / "meter.csv").write_text(nem12(register(), *(day(when, [0.25] * 48) for when in days("2026-02-01", 28))))
    (tmp_path / "plan.json").write_text(flat_plan())
    assert run("import", tmp_path, "--household", f"Ours {HOSTILE}").code in (0, 3)
    return run


def titles_of(page: str) -> list[str]:
    """Return all titles as a page has them: sections with figures, then one with a line for each of the others."""
    titles = [title for title, _ in MAKERS.values()]
    empty = [title for title in titles if f"<p>{title}: " in page]
    assert len(empty) != 1
    return [*(title for title in titles if title not in empty), *(["What this report does not have"] if empty else [])]


def test_every_section_is_there_or_says_why_not(home: Run, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    written = home("report", "--out", out, "--sections", ",".join(MAKERS), *TODAY, "--json").json
    assert (written["path"], written["csv"], written["sections"]) == (str(out), None, list(MAKERS))
    assert out.stat().st_mode & 0o777 == 0o600
    page = out.read_text()
    assert re.findall(r"<h2[^>]*>([^<]*)</h2>", page) == titles_of(page)
    assert "$50.10" in page
    assert "As of 1 Mar 2026" in page
    assert "336 kWh" in page  # 28 days of 12 kWh
    assert page.count("<svg") == page.count('role="img"') >= 3
    assert len(page) < 600_000


def test_a_household_with_a_bank_file_alone_gets_no_empty_section(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(BANK)
    run("import", tmp_path / "bank.csv")
    out = tmp_path / "report.html"
    assert run("report", "--out", out, *TODAY, "--json").json["sections"] == ["overview", "income-expenses"]
    run("report", "--out", out, "--sections", ",".join(MAKERS), *TODAY)
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", out.read_text())
    assert titles == titles_of(out.read_text()) == ["Overview", "Income and expenses", "What this report does not have"]
    assert "<p>Energy plans: No meter data and no energy bills are stored.</p>" in out.read_text()


@pytest.mark.parametrize(
    "days_asked", [("2019-01-01", "2019-03-31"), ("2026-02-27", "2026-03-01"), ("2027-01-01",) * 2]
)
def test_days_without_data_have_every_section_too(home: Run, tmp_path: Path, days_asked: tuple[str, str]) -> None:
    out, (first, last) = tmp_path / "report.html", days_asked
    assert home("report", "--out", out, "--sections", ",".join(MAKERS), "--from", first, "--to", last, *TODAY).code == 0
    bodies = dict(re.findall(r"<h2[^>]*>([^<]*)</h2>(.*?)</section>", out.read_text(), re.DOTALL))
    assert list(bodies) == titles_of(out.read_text())
    assert all(body.strip() for body in bodies.values())
    assert ("kWh" in bodies.get("Energy use", "")) is (first == "2026-02-27")


def test_days_of_a_year_that_cannot_be_meant_are_refused(home: Run, tmp_path: Path) -> None:
    for option in ("--from", "--to"):
        refused = home("report", "--out", tmp_path / "report.html", option, "0026-02-01", *TODAY)
        assert (refused.code, "0026" in refused.err) == (2, True)


def test_chosen_sections_in_their_order_with_own_words(home: Run, tmp_path: Path) -> None:
    (tmp_path / "top.txt").write_text(f"Dear family,\n\nthis is {HOSTILE}")
    (tmp_path / "end.txt").write_text("Call me.")
    out = tmp_path / "report.html"
    asked = ("--sections", "usage, overview", "--opening", tmp_path / "top.txt", "--closing", tmp_path / "end.txt")
    assert home("report", "--out", out, *asked, *TODAY, "--json").json["sections"] == ["usage", "overview"]
    page = out.read_text()
    assert re.findall(r"<h2[^>]*>([^<]*)</h2>", page) == ["Energy use", "Overview"]
    assert page.index("Dear family") < page.index("Energy use") < page.index("Call me.")
    assert HOSTILE not in page


@pytest.mark.slow  # it starts a process
def test_another_process_gives_the_same_bytes(home: Run, tmp_path: Path) -> None:
    """Sets and dictionaries of text come in another order in a process with another seed of hashes."""
    assert home("as-told", "add", "income", "Cash work", "--amount", "70", "--per", "week").code == 0
    made = []
    for name in ("first", "again", "elsewhere"):
        out, table = tmp_path / f"{name}.html", tmp_path / f"{name}.csv"
        asked = ["report", "--out", out, "--csv", table, "--sections", ",".join(MAKERS), *TODAY]
        if name == "elsewhere":
            program = [sys.executable, "-m", "toolkit", *map(str, asked)]
            seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
            subprocess.run(program, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed})
        else:
            assert home(*asked).code == 0
        made.append((out.read_bytes(), table.read_bytes()))
    assert made[0] == made[1] == made[2]


def test_income_and_expenses_as_csv(home: Run, tmp_path: Path) -> None:
    home("as-told", "add", "income", "=cash()", "--amount", "70", "--per", "week")
    asked = ("--sections", "income-expenses", "--per", "week", "--csv", tmp_path / "money.csv")
    assert home("report", "--out", tmp_path / "r.html", *asked, *TODAY).code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "money.csv").read_text())))
    lines = {row["name"]: (row["section"], row["amount"], row["payments"], row["as_told"]) for row in rows}
    assert lines["'=cash()"] == ("other_income", "70.00", "", "yes")
    assert lines["Coffee"] == ("food", "15.75", "1", "no")  # 4.50 in two days
    assert lines["left"][1] == "-105.35"  # 70.00 − 45.60 × 3.5 − 15.75
    assert f">{STATED}</td>" in (tmp_path / "r.html").read_text()
    again = home("report", "--out", tmp_path / "r.html", *asked, *TODAY)
    assert again.code == 0  # both files are replaced


def test_no_text_of_the_csv_hides_or_turns_another(home: Run, tmp_path: Path) -> None:
    home("as-told", "add", "debt", "Loan \u202etxt", "--balance", "70")
    home("as-told", "add", "income", "\u2007=1+1", "--amount", "70", "--per", "week")
    assert home("report", "--out", tmp_path / "r.html", "--csv", tmp_path / "money.csv", *TODAY).code == 0
    names = [row["name"] for row in csv.DictReader(io.StringIO((tmp_path / "money.csv").read_text()))]
    assert "Loan ⟨U+202E⟩txt" in names
    assert "'=1+1" in [name.replace("\u2007", "") for name in names]


def next_steps(page: str) -> list[str]:
    (listed,) = re.findall(r"<h3>What to do next</h3><ol>(.*?)</ol>", page)
    return re.findall("<li>(.*?)</li>", listed)


def test_overdue_debts_are_a_next_step_and_money_in_without_a_category_a_note(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(
        '01/02/2026,"1200.00","QUUX ZORBLAX","+1954.40"\n15/02/2026,"-4.50","CAFE","+1949.90"\n'
    )
    run("import", tmp_path / "bank.csv")
    for number in range(7):
        run("as-told", "add", "debt", f"Loan {number}", "--balance", "900", "--arrears", f"{10 + number}")
    assert run("report", "--out", tmp_path / "r.html", *TODAY).code == 0
    overdue = ", ".join(f"Loan {number} (${10 + number}.00)" for number in range(5))
    assert next_steps((tmp_path / "r.html").read_text()) == [
        f"Ask for a payment arrangement for what is overdue: {overdue} and 2 others.",
    ]
    assert "Income includes $1,200.00 that came in and has no category yet." in (tmp_path / "r.html").read_text()


def test_what_to_do_next_says_that_nothing_needs_action(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(
        '01/02/2026,"1200.00","SALARY ACME","+1954.40"\n15/02/2026,"-4.50","CAFE","+1949.90"\n'
    )
    run("import", tmp_path / "bank.csv")
    assert run("report", "--out", tmp_path / "r.html", *TODAY).code == 0
    assert next_steps((tmp_path / "r.html").read_text()) == ["Nothing in these figures needs action."]


@pytest.mark.parametrize(
    ("asked", "named"),
    [(("--sections", "usage,weather"), "weather"), (("--csv", "{out}"), "CSV"), (("--csv", "{bank}"), "bank.csv")],
)
def test_what_cannot_be_written_is_refused(home: Run, tmp_path: Path, asked: tuple[str, ...], named: str) -> None:
    out = tmp_path / "r.html"
    given = [text.format(out=out, bank=tmp_path / "bank.csv") for text in asked]
    ended = home("report", "--out", out, *given, *TODAY)
    assert ended.code in {1, 2}
    assert names(ended.err, named)
    assert not out.exists()


def test_nothing_runs_and_nothing_is_asked_for(home: Run, tmp_path: Path) -> None:
    assert home("report", "--out", tmp_path / "r.html", *TODAY).code == 0
    page = (tmp_path / "r.html").read_text()
    assert "<script" not in page
    assert "<img src=x" not in page
    assert not re.findall(r'(?:src|href)="(?!data:image/png)', page)
    assert "default-src 'none'" in page
    text = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    assert not re.findall(r"`|toolkit |--[a-z]|TOOLKIT_", text)


def test_headings_tables_and_charts_are_named_for_screen_readers() -> None:
    chart = style.described(style.figure("Use", style.LIGHT), {"most": "5 kWh"})
    table = Table("Costs", ["what", "much", "why"], [["a & b", "$1", ""]], frozenset({1}))
    drawn = render("T", "now", [Section("A", parts=[chart, table])])
    assert '<section aria-labelledby="s1"><h2 id="s1">A</h2>' in drawn
    assert "<caption>Costs</caption>" in drawn
    assert '<th scope="row">a &amp; b</th><td class="number">$1</td></tr>' in drawn
    assert "Use. most: 5 kWh.</title>" in drawn
    assert "why" not in drawn  # a column without any value


def test_characters_that_hide_or_turn_text_are_shown_as_signs() -> None:
    drawn = render("T\u202etxt", "now", [], opening="one\x00two\u200bthree")
    assert not re.search("[\u202e\u200b\x00]", drawn)
    assert "one⟨U+0000⟩two" in drawn
