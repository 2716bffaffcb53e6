"""Text from outside in markdown, and in downloads."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import ToolkitError
from toolkit.pages.importing.upload import file_name
from toolkit.pages.server import background
from toolkit.pages.text import is_typed, plain, sentence
from toolkit.pages.widgets import csv_text, money, table_csv, words


@pytest.mark.parametrize(
    "hostile",
    [
        "![x](https://evil.example/?balance=1)",
        "[pay here](https://evil.example)",
        "https://evil.example/a and www.evil.example and me@evil.example",
        "<img src=x onerror=alert(1)>",
        "$\\href{https://evil.example}{x}$ :material/delete: :red[x] :smile:",
        "# Title\n- list\n> quote `code` | table |",
    ],
)
def test_outside_text_means_nothing_to_markdown(hostile: str) -> None:
    made = plain(hostile)
    assert not re.search(r"(?<!\\)[\[\]()<>!`$*_#|~]", made)
    assert "://" not in made.replace("\\", "")
    assert not re.search(r"www\.|@\w|:material|:red|:smile", made.replace("\\", ""))
    assert "\n" not in made


@given(st.text(alphabet=st.characters(exclude_categories=("C",))))
def test_outside_text_reads_as_it_was(text: str) -> None:
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", plain(text)).replace("\u2060", "")
    assert shown == text.replace("\u2060", "")


@pytest.mark.parametrize(
    ("typed", "name", "is_it"),
    [
        (" o'brien & sons (no. 2) ", "O'Brien & Sons (No. 2)", True),
        ("Ann Lee", "Ann  Lee ", True),  # a page shows one space for two
        ("⟨U+202E⟩Ann", "\u202eAnn", True),  # as it is shown
        ("Ann", "Anna", False),
        ("", "Ann", False),
    ],
)
def test_a_name_is_typed_as_the_page_shows_it(typed: str, name: str, is_it: bool) -> None:
    assert is_typed(typed, name) is is_it


def test_a_sentence_begins_with_a_capital_and_a_file_with_its_own_name() -> None:
    texts = ("no bill yet", "odd.csv:3: no date", "in/odd.csv: no date")
    assert [sentence(text)[:2] for text in texts] == ["No", "od", "in"]


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_no_download_holds_a_formula(cells: list[tuple[str, str]]) -> None:
    rows = [{"description": left, "merchant": right} for left, right in cells]
    written = csv.reader(io.StringIO(csv_text(rows), newline=""))
    assert next(written) == ["description", "merchant"]
    assert not [cell for row in written for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))]


def test_numbers_in_a_download_stay_numbers() -> None:
    assert csv_text([{"amount": Decimal("-12.30"), "note": "-12"}]) == "amount,note\r\n-12.30,'-12\r\n"


def test_a_download_has_a_column_for_each_name_in_any_row() -> None:
    assert csv_text([{"at": 1, "paid": 2}, {"at": 3, "left": 4}]) == "at,paid,left\r\n1,2,\r\n3,,4\r\n"


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("meter data (2026).csv", "meter data (2026).csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\fakepath\\bank.csv", "bank.csv"),
        (".bashrc", "bashrc"),
        ("", "upload"),
        ("a\x00b\n.csv", "a_b_.csv"),
    ],
)
def test_an_upload_cannot_choose_its_place(given_name: str, kept: str) -> None:
    assert file_name(given_name) == kept


def test_work_in_the_background_tells_how_it_ended() -> None:
    def fail(_job: background.Job) -> dict[str, object]:
        raise ToolkitError("no server answers")

    done = background.start("a", "Fetching", lambda job: {"said": job.say("page 1")})
    failed = background.start("b", "Fetching", fail)
    for job in (done, failed):
        job.wait(120)
    assert (done.lines, done.answer, done.error) == (["page 1"], {"said": None}, None)
    assert str(failed.error) == "no server answers"


def test_a_table_s_csv_has_the_headings_of_the_page() -> None:
    frame = pl.DataFrame({"name": ["Groceries"], "spent": [Decimal("12.30")]})
    columns = {"name": words("Subcategory"), "spent": money("Spent")}
    assert table_csv(frame, columns) == "Subcategory,Spent\r\nGroceries,12.30\r\n"
    alike = {"name": words("Category"), "spent": money("Category")}
    assert table_csv(frame, alike) == "name,spent\r\nGroceries,12.30\r\n"
