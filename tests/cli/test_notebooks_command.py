"""`notebooks`: what is written, and that a reader's own work is left alone."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import Run

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_written_as_they_are(run: Run, tmp_path: Path) -> None:
    answer = run("notebooks", "--out", tmp_path / "mine", "--json")
    written = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    assert written == {path.name: path.read_bytes() for path in NOTEBOOKS.glob("*.ipynb")}
    assert (answer.code, answer.json["notebooks"]) == (0, sorted(written))
    assert run("notebooks", "--out", tmp_path / "mine").code == 0  # equal ones may be written again


def test_a_changed_notebook_is_never_overwritten(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "01_spending.ipynb"
    mine.write_text("{}")
    refused = run("notebooks", "--out", tmp_path)
    assert (refused.code, mine.name in refused.err) == (2, True)
    assert [path.name for path in tmp_path.glob("*.ipynb")] == [mine.name]
    assert mine.read_text() == "{}"
