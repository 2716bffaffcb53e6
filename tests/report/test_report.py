"""The page to hand over: its figures, its charts, and nothing in it that runs or asks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line import Run
from toolkit.charts import style
from toolkit.report import Section, render

HOSTILE = "<img src=x onerror=alert(1)>"
BANK = f'01/02/2026,"-45.60","{HOSTILE}","+1954.40"\n02/02/2026,"-4.50","CAFE","+1949.90"\n'


@pytest.fixture
def page(run: Run, tmp_path: Path) -> str:
    (tmp_path / "bank.csv").write_text(BANK)
    assert run("import", tmp_path / "bank.csv", "--household", f"Ours {HOSTILE}").code == 0
    out = tmp_path / "report.html"
    assert run("report", "--out", out, "--today", "2026-03-01", "--json").json["sections"] == [
        "Where does the money go?",
        "What will the next power bill be?",
        "When is energy used?",
        "What does the solar do and earn?",
    ]
    assert out.stat().st_mode & 0o777 == 0o600
    return out.read_text()


def test_the_page_holds_the_figures_and_says_what_is_missing(page: str) -> None:
    assert "$50.10" in page
    assert "As of 1 Mar 2026" in page
    assert page.count('<ul class="notes">') >= 3


def test_the_page_names_fields_and_buttons_not_commands(page: str) -> None:
    text = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    assert not re.findall(r"`|toolkit |--[a-z]|TOOLKIT_", text)


def test_nothing_from_outside_becomes_markup_and_nothing_is_asked_for(page: str) -> None:
    assert "<img src=x" not in page
    outside_of_scripts = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r"<[^>]*(?:src|href)=", outside_of_scripts)
    assert "default-src 'none'" in page


def test_plotly_comes_once_however_many_charts() -> None:
    chart = style.figure("Chart", style.LIGHT)
    drawn = render("T", "now", [Section("A", figures=[chart, chart]), Section("B", figures=[chart])])
    assert drawn.count("plotly.js v") == 1


def test_cells_are_escaped_and_numbers_aligned() -> None:
    drawn = render("T", "now", [Section("A", rows=[["what", "much"], ["a & b", "$1"]], numbers=frozenset({1}))])
    assert "<td>a &amp; b</td><td class=number>$1</td>" in drawn
