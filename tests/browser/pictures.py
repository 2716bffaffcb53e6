"""Pictures of every page to look at: `python -m tests.browser.pictures FOLDER [--db FILE] [--today DAY]`.

Without a database it is that of the demo, and an adviser's desk with that family and two more. Each page and tab is
drawn in light and dark at 1280 pixels and in light at 390, as a whole; a first screen is the part above the line at
800 pixels.
"""

from __future__ import annotations

import argparse
import re
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tests.browser.conftest import launched, serving
from tests.browser.tour import settle, tour, visitor
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser, Page

    Looks = Sequence[Sequence[str | int]]

LOOKS = (("light", 1280), ("dark", 1280), ("light", 390))
"""Colour scheme and width in pixels."""
TALLEST = 8_000
"""Pixels of the longest page that is drawn as a whole."""


def write(page: Page, file: Path) -> None:
    """Draw the whole page, which scrolls inside a part of itself, into a file."""
    width = page.viewport_size["width"] if page.viewport_size else 1280
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(height, TALLEST)})
    settle(page)
    page.screenshot(path=file)
    page.set_viewport_size({"width": width, "height": 800})


def main() -> None:
    """Write the pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--db", type=Path, help="a database; of several households the first is drawn")
    options.add_argument("--today", type=date.fromisoformat, default=date(2026, 6, 20))
    options.add_argument("--look", action="append", help="such as light-1280; may be repeated")
    asked = options.parse_args()
    looks = [tuple(look.split("-")) for look in asked.look] if asked.look else LOOKS
    asked.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, sync_playwright() as playwright, launched(playwright) as browser:
        db = asked.db or Path(scratch) / "demo.db"
        if not asked.db:
            demo(Context(db, asked.today))
        draw(browser, db, asked, looks)
        if not asked.db:
            for name in ("Abernathy", "Bellbrook"):
                add_home(Context(db, asked.today), name)
            draw(browser, db, asked, looks, only="households")


def draw(browser: Browser, db: Path, asked: argparse.Namespace, looks: Looks, only: str = "") -> None:
    """Draw each page and tab, or the first alone where `only` has its name, in each look."""
    with serving(db, asked.folder, asked.today) as address:
        for scheme, width in looks:
            page = visitor(browser, scheme=scheme, width=int(width))
            for name in tour(page, address):
                file = asked.folder / f"{re.sub('[^a-z0-9]+', '-', name)}.{scheme}-{width}.png"
                write(page, file)
                print(file)
                if name == only:
                    break


if __name__ == "__main__":
    main()
