"""The client of the public plan register: no key, few connections, nothing asked twice without need."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from toolkit.api.access import origin
from toolkit.api.retry import Patience, persist
from toolkit.api.transport import Answer, Transport
from toolkit.errors import InvalidResponseError, RateLimitError, RequestRejectedError, ServerError, ServiceError
from toolkit.wire import plan_register as wire
from toolkit.wire.errors import retry_after

SETTING, BRANDS_SETTING = "TOOLKIT_REGISTER_URL", "TOOLKIT_BRANDS_URL"
PATIENCE = Patience(longest=300.0)
"""A busy register may ask for a longer wait than a person's own data would."""
LEAST_PLAN_VERSION = 1
_BUSY = (429, 503)


@dataclass(frozen=True, slots=True)
class ListPage:
    """page: None where nothing has changed since `etag`. etag: None where the register gives none."""

    page: wire.PlanPage | None
    etag: str | None


class Register:
    """Questions to the register at `base_url`. Thread-safe; close it, or use it as a context manager.

    brands_url: where the list of brands is, if elsewhere.

    Raises ConnectionFailedError, RateLimitError, ServerError, RequestRejectedError (404: no such retailer or plan) and
    InvalidResponseError.
    """

    def __init__(
        self,
        base_url: str,
        *,
        brands_url: str | None = None,
        ca: Path | None = None,
        patience: Patience = PATIENCE,
        page_size: int = wire.MAX_PAGE_SIZE,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._base, self._patience, self._page_size, self._now = base_url.rstrip("/"), patience, page_size, now
        self._brands, self._ca = (brands_url or base_url).rstrip("/"), ca
        self._transport = Transport(base_url, ca=ca, setting=SETTING)

    def __repr__(self) -> str:
        return f"Register({self._base})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    @property
    def base_url(self) -> str:
        return self._base

    def brands(self) -> list[wire.Brand]:
        """Every energy brand of the register's own list."""
        path = wire.BRANDS.format(industry="energy")
        headers = {wire.VERSION_HEADER: str(wire.BRANDS_VERSION)}
        same = origin(self._brands) == origin(self._base)
        named = SETTING if self._brands == self._base else BRANDS_SETTING
        with closing(Transport(self._brands, ca=self._ca if same else None, setting=named)) as transport:

            def ask() -> list[wire.Brand]:
                answer = transport.send("GET", self._brands + path, headers=headers)
                if not answer.ok:
                    raise self._error(path, answer)
                return wire.read_brands(answer.body)

            return persist(ask, self._patience)

    def page(self, retailer: str, number: int, *, etag: str | None = None) -> ListPage:
        """A page of the retailer's plans in force. etag: of the same page as it was read last."""
        query = [(wire.PAGE, str(number)), (wire.SIZE, str(self._page_size))]
        headers = {wire.VERSION_HEADER: str(wire.PLANS_VERSION), **({"if-none-match": etag} if etag else {})}
        path = wire.PLANS.format(retailer=quote(retailer, safe=""))

        def ask() -> ListPage:
            answer = self._asked(path, headers, query)
            if answer.status == 304:
                return ListPage(None, etag)
            page = wire.read_plans(answer.body)
            self._check_link(path, page.next)
            return ListPage(page, answer.headers.get("etag"))

        return persist(ask, self._patience)

    def plan(self, retailer: str, plan_id: str) -> dict[str, Any]:
        """The plan as it is published."""
        path = wire.PLAN.format(retailer=quote(retailer, safe=""), plan_id=quote(plan_id, safe="@"))
        headers = {
            wire.VERSION_HEADER: str(wire.PLAN_VERSION),
            wire.LEAST_VERSION_HEADER: str(LEAST_PLAN_VERSION),
        }
        return persist(lambda: wire.read_plan_detail(self._asked(path, headers).body), self._patience)

    def _check_link(self, path: str, link: str | None) -> None:
        """Pages are asked for by number; a link that leads elsewhere says that this is not the register meant."""
        if link is not None and "://" in link and origin(link) != origin(self._base):
            raise InvalidResponseError(f"{path}: the link to the next page leads elsewhere; it was not followed.")

    def _asked(self, path: str, headers: dict[str, str], query: list[tuple[str, str]] | None = None) -> Answer:
        answer = self._transport.send("GET", self._base + path, query=query or (), headers=headers)
        if answer.ok or answer.status == 304:
            return answer
        raise self._error(path, answer)

    def _error(self, path: str, answer: Answer) -> ServiceError:
        said = wire.read_fault(answer.body)
        text = f"GET {path}: the register answered {answer.status}{f' ({said})' if said else ''}."
        wait = retry_after(answer.headers.get("retry-after"), self._now())
        if answer.status == 429 or (answer.status in _BUSY and wait is not None):
            return RateLimitError(f"{text} It is busy: try again later, what was read is kept.", retry_after=wait)
        if answer.status >= 500:
            return ServerError(f"{text} Try again later, what was read is kept.", status=answer.status)
        if answer.status >= 400:
            return RequestRejectedError(text, status=answer.status)
        return InvalidResponseError(f"{text} Redirects are not followed: check {SETTING}.", status=answer.status)
