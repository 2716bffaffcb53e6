"""A person connects on the Data page: in the frame of the service's link component, under the app's own policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import script_runs
from tests.browser.conftest import TODAY, serving
from tests.keys import keys_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

WAIT = 60_000
STEPS = {
    "Where is your account?": "Continue",
    "Log in to": "Log in",
    "One-time code": "Continue",
    "Which accounts?": "Continue",
    "Share this?": "Agree",
}
"""Heading → the button that goes on."""


@pytest.fixture(scope="module")
def service() -> Iterator[dict[str, str]]:
    """The embedded service, as environment of the app."""
    from toolkit.flows.consent.sandbox import sandbox

    with sandbox(seed=1, today=TODAY, households=2, years=1) as running:
        yield keys_of(running)


@contextmanager
def data_page(browser: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> Iterator[Page]:
    """The Data page of an app with an empty database that knows the service."""
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with serving(folder / "home" / "household.db", folder) as url:
        page = browser.new_context(viewport={"width": 1280, "height": 1100}).new_page()
        script_runs.ScriptRuns(page)
        page.goto(url.replace("/?", "/data?tab=Connected+accounts&"))
        page.get_by_role("heading", name="Connected accounts").wait_for(timeout=WAIT)
        yield page


def begin(page: Page, email: str) -> FrameLocator:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Name", exact=True).fill("Noor New")
    page.get_by_label("Name", exact=True).press("Enter")
    script_runs.wait(page, WAIT)
    page.get_by_role("button", name="Connect", exact=True).click()
    return page.frame_locator("iframe[title=Consent]")


def walk(frame: FrameLocator, headings: Iterable[str], last: str | None = None) -> None:
    """Through the steps with these headings; `last`: the button of the last one, where it is not the usual."""
    titles = list(headings)
    for title in titles:
        frame.get_by_role("heading", name=title).wait_for(timeout=WAIT)
        button = last if last and title == titles[-1] else STEPS[title]
        frame.get_by_role("button", name=button, exact=True).click()


def test_a_person_agrees_ends_renews_and_deletes(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: dict[str, str]
) -> None:
    with data_page(chromium, tmp_path, monkeypatch, service) as page:
        seen: list[str] = []
        page.on("request", lambda request: seen.append(request.url))
        frame = begin(page, "agrees@example.com")
        walk(frame, STEPS)
        page.get_by_text("Connected. Select Update below to get the data.").wait_for(timeout=WAIT)
        page.get_by_text("active, ends in 365 days").wait_for(timeout=WAIT)
        assert page.locator("iframe[title=Consent]").count() == 0

        page.get_by_role("button", name="End sharing").click()
        page.get_by_role("button", name="Yes, end it").click()
        page.get_by_text("its data is still stored").wait_for(timeout=WAIT)

        page.get_by_role("button", name="Renew").click()
        walk(frame, list(STEPS)[1:])
        page.get_by_text("active, ends in 365 days").wait_for(timeout=WAIT)

        institution = page.get_by_text("active, ends in 365 days").inner_text().partition(":")[0]
        page.get_by_role("button", name="Delete its data").click()
        for name, answer in (("another", "Nothing was deleted"), (institution, "is deleted")):
            page.get_by_label("Name to confirm").fill(name)
            page.get_by_role("button", name="Delete", exact=True).click()
            page.get_by_text(answer).wait_for(timeout=WAIT)
        page.get_by_role("button", name="Delete its data").wait_for(state="detached", timeout=WAIT)
        assert {urlsplit(url).hostname for url in seen if not url.startswith(("data:", "blob:"))} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("pages", "said"),
    [(1, "the person cancelled"), (2, "the person denied consent at the institution")],
    ids=["cancelled", "denied"],
)
def test_a_person_who_does_not_agree_is_told_that_nothing_is_shared(
    chromium: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    service: dict[str, str],
    pages: int,
    said: str,
) -> None:
    with data_page(chromium, tmp_path, monkeypatch, service) as page:
        walk(begin(page, "not.now@example.com"), list(STEPS)[:pages], last="Cancel")
        page.get_by_test_id("stAlertContentError").get_by_text(said).wait_for(timeout=WAIT)
        assert page.locator("iframe[title=Consent]").count() == 0
