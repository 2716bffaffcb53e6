"""The second press of a double click answers no question that the first one brings under the mouse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import TODAY
from tests.browser.visitor import home_db, visiting
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

NEXT = ".st-key-review-fine-payee-Zzyzx"
WATCH = """([place, next]) => {
  window.taken = [];
  new MutationObserver(() => {
    if (document.querySelector(next) === null) return;
    const under = document.elementFromPoint(place.x, place.y);
    window.taken.push(under.closest('button') !== null);
  }).observe(document.body, {childList: true, subtree: true, attributes: true});
}"""
"""Note, at each change of the page that has the next question, whether a press at a place would be taken."""


def test_a_second_press_does_not_answer_the_next_question(chromium: Browser, tmp_path: Path) -> None:
    rows = '07/05/2026,"-90.00","QUUX"\n06/05/2026,"-80.00","ZZYZX"\n05/05/2026,"-70.00","XYZZY"\n'
    (tmp_path / "everyday.csv").write_text(rows)
    load(Context(home_db(tmp_path), TODAY), [tmp_path / "everyday.csv"])
    with visiting(chromium, tmp_path) as visitor:
        visitor.go("Spending")
        visitor.look_at("To review")
        fine = visitor.page.get_by_role("button", name="Fine as it is")
        fine.click(trial=True)
        box = fine.bounding_box()
        assert box is not None
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        visitor.page.evaluate(WATCH, [place, NEXT])
        visitor.page.mouse.click(place["x"], place["y"])
        visitor.page.locator(NEXT).wait_for()
        assert visitor.page.evaluate("window.taken[0]") is False
        fine.click()  # a moment later it is
        visitor.page.get_by_role("heading", name="Xyzzy").wait_for()
