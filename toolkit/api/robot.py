"""A pretend person who walks through plain HTML consent pages; for the demo and the tests.

It fills in nothing but what the pages offer by themselves, stays on the pages' own origin, and at the end opens the
loopback address that the flow redirects to, as a browser would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

import httpx

from toolkit.api.transport import LOOPBACK, TIMEOUT, origin, tls
from toolkit.errors import ConnectionFailedError, InvalidResponseError

MOST_STEPS = 20
_REDIRECTS = (301, 302, 303, 307, 308)


def walk_through(
    auth_url: str,
    *,
    answers: Mapping[str, str] | None = None,
    press: str | None = None,
    ca: Path | None = None,
    returns: bool = True,
) -> str:
    """Go through the pages from `auth_url` until they redirect elsewhere; returns that address, opened if on loopback.

    answers: values for fields by name, in place of those offered. press: button to press where a page has it, such as
    `cancel`. returns: whether that address is opened, which another device than the toolkit's cannot do. Raises
    InvalidResponseError where the pages lead nowhere, ConnectionFailedError where they cannot be opened.
    """
    home = origin(auth_url)
    with httpx.Client(verify=tls(auth_url, ca), trust_env=False, follow_redirects=False, timeout=TIMEOUT) as browser:
        request = browser.build_request("GET", auth_url)
        for _ in range(MOST_STEPS):
            page = _open(browser, request)
            if page.status_code not in _REDIRECTS:
                request = _next_request(browser, page, answers or {}, press)
                continue
            target = urljoin(str(page.url), page.headers.get("location", ""))
            request = browser.build_request("GET", target)
            if origin(target) != home:
                if returns and request.url.host in LOOPBACK:
                    _open(browser, request)
                return str(request.url)
    raise InvalidResponseError(
        f"{_named(auth_url)}: the consent pages did not end within {MOST_STEPS} steps.", name="endless_pages"
    )


def _open(browser: httpx.Client, request: httpx.Request) -> httpx.Response:
    try:
        return browser.send(request)
    except httpx.TransportError as problem:
        raise ConnectionFailedError(f"{_named(str(request.url))}: the page cannot be opened ({problem}).") from problem


def _next_request(
    browser: httpx.Client, page: httpx.Response, answers: Mapping[str, str], press: str | None
) -> httpx.Request:
    """What pressing the button of the page's first usable form sends."""
    for form in read_forms(page.text):
        filled = form.filled(answers, press) or form.filled(answers, None)
        if filled is None:
            continue
        target = urljoin(str(page.url), filled[0])
        if origin(target) != origin(str(page.url)):
            raise InvalidResponseError(
                f"{_named(str(page.url))}: its form leads to another origin.", name="other_address"
            )
        if form.method == "POST":
            return browser.build_request("POST", target, data=_grouped(filled[1]))
        query = (*parse_qsl(urlsplit(target).query), *filled[1])
        return browser.build_request("GET", urlunsplit(urlsplit(target)._replace(query="")), params=query)
    raise InvalidResponseError(
        f"{_named(str(page.url))}: the page ({page.status_code}) has no form to go on with.",
        status=page.status_code,
        name="no_form",
    )


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def _named(url: str) -> str:
    """The address without its query, which holds the session."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


Attributes = Mapping[str, str]

CANCELLING = ("cancel", "deny")
_UNSENT = ("submit", "button", "image", "reset", "file")


@dataclass(slots=True)
class Button:
    """A button of a form."""

    name: str
    value: str
    action: str | None = None

    @property
    def cancels(self) -> bool:
        """Whether pressing it would end the flow without a consent."""
        return self.name.lower() in CANCELLING or self.value.lower() in CANCELLING


@dataclass(slots=True)
class Form:
    """fields: name and value pairs as they stand when the page opens."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)

    def filled(self, answers: Mapping[str, str], press: str | None) -> tuple[str, list[tuple[str, str]]] | None:
        """Return where to send it and what, with `answers` in place of the values given; None without such a button.

        press: name of the button, None for the first that does not cancel.
        """
        wanted = [b for b in self.buttons if (b.name == press if press else not b.cancels)]
        if not wanted:
            return None
        button = wanted[0]
        sent = [(name, answers.get(name, value)) for name, value in self.fields]
        pressed = [(button.name, button.value)] if button.name else []
        return button.action or self.action, sent + pressed


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []
        self._area: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").upper())
            self.forms.append(self._form)
        elif self._form is not None and "disabled" not in given:
            self._control(self._form, tag, given)

    def _control(self, form: Form, tag: str, given: Attributes) -> None:
        if tag == "input":
            self._input(form, given)
        elif tag == "button" and given.get("type", "submit") == "submit":
            form.buttons.append(_button(given))
        elif tag == "select":
            self._select, self._options = given.get("name"), []
        elif tag == "option" and self._select:
            self._options.append((given.get("value", ""), "selected" in given))
        elif tag == "textarea":
            self._area, self._text = given.get("name"), ""

    def _input(self, form: Form, given: Attributes) -> None:
        kind = given.get("type", "text").lower()
        if kind == "submit":
            form.buttons.append(_button(given))
        elif kind in ("checkbox", "radio"):
            if "checked" in given and given.get("name"):
                form.fields.append((given["name"], given.get("value", "on")))
        elif kind not in _UNSENT and given.get("name"):
            form.fields.append((given["name"], given.get("value", "")))

    def handle_data(self, data: str) -> None:
        if self._area:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._form is None:
            return
        if tag == "form":
            self._form = None
        elif tag == "select" and self._select and self._options:
            chosen = [value for value, selected in self._options if selected] or [self._options[0][0]]
            self._form.fields.append((self._select, chosen[0]))
            self._select = None
        elif tag == "textarea" and self._area:
            self._form.fields.append((self._area, self._text.removeprefix("\n")))
            self._area = None


def _button(given: Attributes) -> Button:
    return Button(given.get("name", ""), given.get("value", ""), given.get("formaction"))


def read_forms(page: str) -> list[Form]:
    """Return the forms of a page, in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.forms
