"""The notebooks run from the first cell to the last, show their charts when exported, and are kept without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import sync_playwright

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
FEW = {"HOMES": 3, "HOUSEHOLDS": 3, "WORKERS": 1}
"""Sizes that a notebook's first cell sets, made small here."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the tools that run and export notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_whole_and_its_exported_page_shows_its_charts(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for name, value in FEW.items():
        code[0].source = re.sub(rf"^{name} = [\d_]+", f"{name} = {value}", code[0].source, flags=re.MULTILINE)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert all(cell.execution_count for cell in code)
    drawn = [output for cell in code for output in cell.outputs if "image/svg+xml" in output.get("data", {})]
    assert bool(drawn) == any("chart" in cell.source or "style." in cell.source for cell in code)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (tmp_path / "page.html").write_text(page)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        shown = browser.new_context(offline=True).new_page()
        shown.goto((tmp_path / "page.html").as_uri())
        charts = shown.locator(".jp-OutputArea-output svg[role=img], .jp-OutputArea-output img[src*='svg']")
        assert charts.count() >= len(drawn)
        assert all(charts.nth(number).bounding_box()["width"] > 200 for number in range(charts.count()))
        assert shown.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0
        browser.close()
