"""A pretend person who walks through plain HTML consent pages; for the demo and the tests.

It fills in nothing but what the pages offer by themselves, stays on the pages' own origin, and at the end opens the
loopback address that the flow redirects to, as a browser would.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

import httpx

from toolkit.api.access import LOOPBACK, origin
from toolkit.api.forms import read_forms
from toolkit.api.transport import TIMEOUT, tls
from toolkit.errors import ConnectionFailedError, InvalidResponseError

MOST_STEPS = 20
_REDIRECTS = (301, 302, 303, 307, 308)


def walk_through(
    auth_url: str, *, answers: Mapping[str, str] | None = None, press: str | None = None, ca: Path | None = None
) -> str:
    """Go through the pages from `auth_url` until they redirect elsewhere; returns that address, opened if on loopback.

    answers: values for fields by name, in place of those offered. press: button to press where a page has it, such as
    `cancel`. Raises InvalidResponseError where the pages lead nowhere, ConnectionFailedError where they cannot be
    opened.
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
                return _arrive(browser, request)
    raise InvalidResponseError(f"{_named(auth_url)}: the consent pages did not end within {MOST_STEPS} steps.")


def _open(browser: httpx.Client, request: httpx.Request) -> httpx.Response:
    try:
        return browser.send(request)
    except httpx.TransportError as problem:
        raise ConnectionFailedError(f"{_named(str(request.url))}: the page cannot be opened ({problem}).") from problem


def _arrive(browser: httpx.Client, request: httpx.Request) -> str:
    if request.url.host in LOOPBACK:
        _open(browser, request)
    return str(request.url)


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
            raise InvalidResponseError(f"{_named(str(page.url))}: its form leads to another origin.")
        if form.method == "POST":
            return browser.build_request("POST", target, data=_grouped(filled[1]))
        query = (*parse_qsl(urlsplit(target).query), *filled[1])
        return browser.build_request("GET", urlunsplit(urlsplit(target)._replace(query="")), params=query)
    raise InvalidResponseError(f"{_named(str(page.url))}: the page ({page.status_code}) has no form to go on with.")


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def _named(url: str) -> str:
    """The address without its query, which holds the session."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
