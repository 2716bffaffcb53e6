"""The link component in a real browser: every way a consent flow ends, on the sandbox's page to try it on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.sandbox.consent.pages import EXPIRED
from toolkit.sandbox.serve import Running, running
from toolkit.settings import load

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
WRONG = "http://elsewhere.example/"
BACK = "http://127.0.0.1:9/back"
STEPS = (
    ("Where is your account?", "Continue"),
    ("Log in to", "Log in"),
    ("One-time code", "Continue"),
    ("Which accounts?", "Continue"),
    ("Share this?", "Agree"),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Running]:
    with running(today=date(2026, 3, 10), years=1, households=2) as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: Running) -> Callable[..., str]:
    """The id of a new session of the family's."""

    def start(**more: Any) -> str:
        with Client(load(keys_of(sandbox), {})) as client:
            return client.start_session(sandbox.people[1][1], **more).session_id

    return start


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.set_default_timeout(10_000)
    yield page
    page.close()


@pytest.fixture
def opened(page: Page, sandbox: Running) -> Callable[..., FrameLocator]:
    """Opens the flow of a session in its frame."""

    def go(session_id: str, *, timeout: float = 60) -> FrameLocator:
        page.goto(f"{sandbox.base_url}/link/test?sess_id={session_id}&timeout={timeout}")
        page.get_by_role("button", name="Open the flow").click()
        return page.frame_locator("iframe")

    return go


def outcome(page: Page) -> str:
    from playwright.sync_api import expect

    expect(page.locator("output")).not_to_have_text(re.compile("^(not yet|…)$"), timeout=10_000)
    return page.locator("output").inner_text()


def press(frame: FrameLocator, name: str) -> None:
    frame.get_by_role("button", name=name).click()


def test_agreeing_gives_the_consent(page: Page, opened: Any, session: Any, sandbox: Running) -> None:
    frame = opened(session(redirect_uri=BACK))
    for heading, button in STEPS:
        frame.get_by_role("heading", name=heading).wait_for()
        press(frame, button)
    told = json.loads(outcome(page))
    assert told["redirectURL"].startswith(f"{BACK}?session_id=")
    assert told["consentID"] in {consent.consent_id for consent in sandbox.service.consents.values()}
    assert page.locator("iframe").count() == 0


def test_cancelling_and_denying(page: Page, opened: Any, session: Any) -> None:
    press(opened(session()), "Cancel")
    assert outcome(page).startswith("LINK_USER_CANCELLED: ")
    press(opened(session(institution_id="70001")), "Cancel")
    assert outcome(page).startswith("CONSENT_ENDUSER_DENIED: ")
    assert page.locator("iframe").count() == 0


def test_a_code_that_is_wrong_three_times(page: Page, opened: Any, session: Any) -> None:
    from playwright.sync_api import expect

    frame = opened(session(institution_id="70001"))
    press(frame, "Log in")
    for _ in range(3):
        expect(frame.get_by_label("One-time code")).not_to_have_value("123456")  # the page that asks again is there
        frame.get_by_label("One-time code").fill("123456")
        press(frame, "Continue")
    assert outcome(page).startswith("CONSENT_OTP_FAILURE: ")


@pytest.mark.parametrize(
    ("customer", "code"),
    [
        ("ineligible", "CONSENT_ENDUSER_INELIGIBLE"),
        ("timeout", "CONSENT_TIMEOUT"),
        ("upstream", "CONSENT_UPSTREAM_PROCESSING_ERROR"),
        ("processing", "CONSUMERDATA_PROCESSING_ERROR"),
        ("session", "AUTH_SESSION_INVALID"),
        ("cancelled", "AUTH_SESSION_CANCELLED"),
        ("internal", "LINK_INTERNAL_ERROR"),
    ],
)
def test_people_who_make_it_fail(page: Page, opened: Any, session: Any, customer: str, code: str) -> None:
    frame = opened(session(institution_id="70001"))
    frame.get_by_label("Customer").select_option(customer)
    press(frame, "Log in")
    assert outcome(page).startswith(f"{code}: ")


def test_a_used_and_an_expired_session_leave_the_frame_open(
    page: Page, opened: Any, session: Any, sandbox: Running
) -> None:
    used, unused = session(), session()
    press(opened(used), "Cancel")
    outcome(page)
    order = Request(sandbox.control_url or "", json.dumps({"advance_seconds": 6 * 86400}).encode(), method="POST")
    urlopen(order).close()
    for session_id in (used, unused, "never-given"):
        frame = opened(session_id)
        assert outcome(page).startswith("LINK_INVALID_SESSION: ")
        assert frame.get_by_role("heading").inner_text() == EXPIRED


def test_time_runs_out_and_the_page_may_close_it(page: Page, opened: Any, session: Any) -> None:
    opened(session(), timeout=0.3)
    assert outcome(page).startswith("LINK_TIMEOUT: ")
    opened(session()).get_by_role("heading").wait_for()
    page.get_by_role("button", name="Close it").click()
    assert outcome(page).startswith("LINK_USER_CANCELLED: ")
    assert page.locator("iframe").count() == 0


def test_a_missing_place_is_said(page: Page, sandbox: Running, session: Any) -> None:
    page.goto(f"{sandbox.base_url}/link/test?sess_id={session()}")
    page.get_by_label("Selector of the place").fill("#nowhere")
    page.get_by_role("button", name="Open the flow").click()
    assert outcome(page).startswith("LINK_NOT_FOUND: ")


def test_without_a_place_the_flow_lies_over_the_page(page: Page, sandbox: Running, session: Any) -> None:
    page.goto(f"{sandbox.base_url}/link/test?sess_id={session()}")
    page.get_by_label("Selector of the place").fill("")
    page.get_by_role("button", name="Open the flow").click()
    page.frame_locator("iframe").get_by_role("heading").wait_for()
    page.get_by_role("button", name="Close", exact=True).click()
    assert outcome(page).startswith("LINK_USER_CANCELLED: ")
    assert page.locator("iframe").count() == 0


FORGED = "{isCompleted: true, consentID: 'forged', redirectURL: 'http://elsewhere.example/'}"


def test_messages_of_other_windows_are_passed_over(page: Page, opened: Any, session: Any) -> None:
    frame = opened(session())
    frame.get_by_role("heading").wait_for()
    page.evaluate(f"window.postMessage({FORGED}, '*')")
    press(frame, "Cancel")
    assert outcome(page).startswith("LINK_USER_CANCELLED: ")


def test_a_frame_that_went_elsewhere_is_not_believed(page: Page, opened: Any, session: Any) -> None:
    forged = f"<script>parent.postMessage({FORGED}, '*')</script>"
    page.route(f"{WRONG}**", lambda route: route.fulfill(body=forged, content_type="text/html"))
    page.route(
        "**/link/test?*",
        lambda route: route.fulfill(
            response=(real := route.fetch()),
            headers={k: v for k, v in real.headers.items() if k != "content-security-policy"},
        ),
    )
    opened(session()).get_by_role("heading").wait_for()
    # not frame.goto: the component takes the frame away as soon as it hears the forged message
    page.evaluate("address => { document.querySelector('iframe').src = address }", WRONG)
    assert outcome(page).startswith("LINK_ORIGIN_MISMATCH: ")


def test_other_origins_may_not_frame_the_flow(page: Page, sandbox: Running, session: Any) -> None:
    address = f"{sandbox.base_url}/link?sess_id={session()}&parent={WRONG.rstrip('/')}"
    body = f'<iframe src="{address}"></iframe>'
    page.route(f"{WRONG}**", lambda route: route.fulfill(body=body, content_type="text/html"))
    with page.expect_event("requestfailed") as failed:
        page.goto(WRONG)
    assert failed.value.url == address
    policy = urlopen(address).headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
