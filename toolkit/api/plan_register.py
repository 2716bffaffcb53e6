"""HTTP client of the public plan register: needs no key, opens few connections, avoids repeated requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote, urlsplit

from toolkit.api.transport import HttpClient, Response, RetryPolicy, Transport, origin
from toolkit.errors import (
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    ServiceError,
    ToolkitError,
)
from toolkit.wire import plan_register as wire
from toolkit.wire.errors import retry_after

SETTING, BRANDS_SETTING = "TOOLKIT_REGISTER_URL", "TOOLKIT_BRANDS_URL"
RETRY_POLICY = RetryPolicy(longest=300.0)
"""A busy plan register may ask for a longer wait than the data-sharing service."""
LEAST_PLAN_VERSION = 1
PAGE_SIZES = (wire.MAX_PAGE_SIZE, 500, 100, wire.PAGE_SIZE)
"""Tried from the largest down where the plan register refuses a page size."""
_BUSY = (429, 503)
_SIZE_REFUSED = (400, 413, 422)


class RequestLimitError(ToolkitError):
    """As many requests were sent as this client may send."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a retailer's plans.

    page: None if nothing has changed since `etag`.
    etag: None if the register sends none.
    """

    page: wire.PlanPage | None
    etag: str | None


class Register(HttpClient):
    """Requests to the plan register at `base_url`. Thread-safe; close it, or use it as a context manager.

    brands_url: the address of the list of brands, if it differs. `most_requests`: after so many, retries
    included, RequestLimitError is raised instead; None: no limit.

    A retailer is named by the last part of its address below `base_url`, or, where its plans are elsewhere on that
    server, by the path from the root (`/other/path`).

    Raises ConnectionFailedError, RateLimitError, ServerError, RequestRejectedError (404: no such retailer or plan) and
    InvalidResponseError.
    """

    def __init__(
        self,
        base_url: str,
        *,
        brands_url: str | None = None,
        ca: Path | None = None,
        retry_policy: RetryPolicy = RETRY_POLICY,
        page_size: int = wire.MAX_PAGE_SIZE,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(Transport(base_url, ca=ca, setting=SETTING), retry_policy, now)
        self._base, self._page_size = base_url.rstrip("/"), page_size
        self.most_requests: int | None = None
        self._requests, self._counting = 0, Lock()
        self._brands, self._ca = (brands_url or base_url).rstrip("/"), ca

    def __repr__(self) -> str:
        return f"Register({self._base})"

    @property
    def base_url(self) -> str:
        """Return the address of the plan register."""
        return self._base

    @property
    def requests(self) -> int:
        """Return how many requests were sent, retries included."""
        return self._requests

    def brands(self) -> list[wire.Brand]:
        """List every energy brand of the plan register."""
        path = wire.BRANDS.format(industry="energy")
        headers = {
            wire.VERSION_HEADER: str(wire.BRANDS_VERSION),
            wire.LEAST_VERSION_HEADER: str(wire.LEAST_BRANDS_VERSION),
        }
        same_server = origin(self._brands) == origin(self._base)
        setting = SETTING if self._brands == self._base else BRANDS_SETTING
        with closing(Transport(self._brands, ca=self._ca if same_server else None, setting=setting)) as transport:

            def fetch() -> list[wire.Brand]:
                self._count()
                response = transport.send("GET", self._brands + path, headers=headers)
                if not response.ok:
                    raise self._error(path, response)
                return wire.read_brands(response.body)

            return self._with_retries(fetch)

    def page(self, retailer: str, number: int, *, etag: str | None = None) -> ListPage:
        """Read a page of the retailer's current plans. etag: of the same page when last read.

        Where the size of the first page is refused, smaller ones are tried; later requests keep the one accepted.
        """
        smaller = [size for size in PAGE_SIZES if size < self._page_size] if number == 1 else []
        for size in smaller:
            try:
                return self._page(retailer, number, etag)
            except RequestRejectedError as error:
                if error.status not in _SIZE_REFUSED:
                    raise
                self._page_size = size
        return self._page(retailer, number, etag)

    def _page(self, retailer: str, number: int, etag: str | None) -> ListPage:
        query = [(wire.PAGE, str(number)), (wire.SIZE, str(self._page_size))]
        headers = {wire.VERSION_HEADER: str(wire.PLANS_VERSION), **({"if-none-match": etag} if etag else {})}
        url = self._address(retailer, wire.PLANS)

        def fetch() -> ListPage:
            response = self._request(url, headers, query)
            if response.status == 304:
                return ListPage(None, etag)
            page = wire.read_plans(response.body)
            if page.next is not None and "://" in page.next and origin(page.next) != origin(self._base):
                raise InvalidResponseError(
                    f"{urlsplit(url).path}: the link to the next page points to another server and was not followed.",
                    name="other_address",
                )
            return ListPage(page, response.headers.get("etag"))

        return self._with_retries(fetch)

    def plan(self, retailer: str, plan_id: str) -> dict[str, Any]:
        """Read a plan as published."""
        url = self._address(retailer, wire.PLAN, plan_id=quote(plan_id, safe="@"))
        headers = {
            wire.VERSION_HEADER: str(wire.PLAN_VERSION),
            wire.LEAST_VERSION_HEADER: str(LEAST_PLAN_VERSION),
        }
        return self._with_retries(lambda: wire.read_plan_detail(self._request(url, headers).body))

    def _address(self, retailer: str, path: str, **names: str) -> str:
        """Return the address of a retailer's resource."""
        parts = urlsplit(self._base)
        root = f"{parts.scheme}://{parts.netloc}" if retailer.startswith("/") else self._base
        place = quote(retailer.strip("/"), safe="/" if retailer.startswith("/") else "")
        return root + path.format(retailer=place, **names)

    def _request(self, url: str, headers: dict[str, str], query: list[tuple[str, str]] | None = None) -> Response:
        self._count()
        response = self._transport.send("GET", url, query=query or (), headers=headers)
        if response.ok or response.status == 304:
            return response
        raise self._error(urlsplit(url).path, response)

    def _count(self) -> None:
        """Count a request about to be sent. Raises RequestLimitError where no more may be sent."""
        with self._counting:
            if self.most_requests is not None and self._requests >= self.most_requests:
                raise RequestLimitError(f"{self.most_requests} requests were sent, which is the limit of one run.")
            self._requests += 1

    def _error(self, path: str, response: Response) -> ServiceError:
        message = wire.read_fault(response.body)
        text = f"GET {path}: the plan register answered {response.status}{f' ({message})' if message else ''}."
        wait = retry_after(response.headers.get("retry-after"), self._now())
        if response.status == 429 or (response.status in _BUSY and wait is not None):
            return RateLimitError(f"{text} It is busy. Try again later; plans read so far were kept.", retry_after=wait)
        if response.status >= 500:
            return ServerError(f"{text} Try again later; plans read so far were kept.", status=response.status)
        if response.status >= 400:
            return RequestRejectedError(text, status=response.status)
        return InvalidResponseError(f"{text} Redirects are not followed. Check {SETTING}.", status=response.status)
