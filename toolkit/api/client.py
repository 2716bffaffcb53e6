"""The service's client: sync, thread-safe, one method a question."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from toolkit.api.access import Access, address, base_address, credentials
from toolkit.api.auth import TokenKeeper
from toolkit.api.paging import walk
from toolkit.api.redaction import hidden
from toolkit.api.retry import Patience, persist
from toolkit.api.transport import Answer, Transport
from toolkit.wire import records as r
from toolkit.wire.decoding.pages import Page, read_alone, read_one, read_page
from toolkit.wire.decoding.short_lists import Listing, listed
from toolkit.wire.decoding.spelling import Spelling, Stated, stated
from toolkit.wire.endpoints import Endpoint, endpoint
from toolkit.wire.errors import error_for
from toolkit.wire.messages import OpenSession, query, read_created, read_session
from toolkit.wire.parameters import CONSUMER_ADDRESS, CONSUMER_AGENT, MAX_PAGE_SIZE, VERSION

T = TypeVar("T")
W = TypeVar("W", bound=r.Wire)


class Client:
    """Questions to one deployment of the service; `toolkit.settings.Settings` is an `Access`.

    Only reads and sign-ins are repeated after a failure; what creates or ends something is sent once. Raises the
    ServiceErrors and ConnectionFailedError of `toolkit.errors`.
    """

    def __init__(
        self,
        access: Access,
        *,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._closed, patience = Event(), patience or Patience()
        self._access, self._now = access, now
        self._patience = replace(patience, sleep=patience.sleep or self._closed.wait)
        self._spelling = Spelling(access.platform)
        self._stated: Stated | None = None
        self._transport = Transport(base_address(access), ca=access.ca, cert=access.client_cert, key=access.client_key)
        self._keeper = TokenKeeper(self._sign_in, clock)

    def __repr__(self) -> str:
        return f"Client({self._access.base_url})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Also ends the waits of other threads before another try; these fail with what they waited for to pass."""
        self._closed.set()
        self._transport.close()

    @property
    def spelling(self) -> Spelling:
        """The deployment's own words, to read a record again that was kept as it came."""
        return self._spelling

    @property
    def stated(self) -> Stated | None:
        """The deployment's word and version as the last answer with a version header had them, refusals included."""
        return self._stated

    def sign_in(self) -> None:
        """Make sure of a token now; raises AuthenticationError where the credentials are missing or refused."""
        self._keeper.token()

    def headers(self) -> Mapping[str, str]:
        """Names (in lower case) and values of an answer's headers: the service's clock, its version, its own word."""
        row = endpoint("end_users.list")
        asked = query(row, {"page_size": 1})
        return self._asked(row, address(self._access, row, {}), asked=asked).headers

    def pages(
        self,
        resource: str,
        *,
        start: str | None = None,
        consumer: tuple[str, str] | None = None,
        page_size: int = MAX_PAGE_SIZE,
        **values: Any,
    ) -> Iterator[Page]:
        """Pages of a list of `toolkit.wire.endpoints`, such as `banking.transactions`, one after the other.

        values: its parameters by python name (`from_`, `read_start_date_oldest`). start: the `cursor` of a page of
        the same list, to go on from that page. consumer: address and user agent of the person who is present, for
        balances with `fetch=True`.
        """
        row = endpoint(resource)
        asked = query(row, {**values, "page_size": page_size} if row.paged else values)
        url = address(self._access, row, {})
        headers = self._consumer(consumer)

        def fetch(cursor: str | None) -> Page:
            at = [("page[after]", cursor)] if cursor else []
            return self._repeated(
                row, lambda: self._page(row, self._asked(row, url, asked=asked + at, headers=headers))
            )

        return walk(url, fetch, start)

    def listed(self, resource: str, **values: Any) -> Listing[Any]:
        """All pages of a list that is short; parameters as those of `pages`."""
        return listed(self.pages(resource, **values))

    def end_users(self, email: str | None = None) -> Listing[r.EndUser]:
        """End users of these credentials, or those with that address (capitals make no difference)."""
        found: Listing[r.EndUser] = self.listed("end_users.list", email=email)
        return found if email is None else found.where(lambda user: (user.email or "").lower() == email.lower())

    def end_user(self, end_user_id: str) -> r.EndUser:
        return self._one(r.EndUser, "end_users.get", {"id": end_user_id})

    def create_end_user(self, email: str, name: str) -> str:
        """The new end user's id. Sent once: after a failure look by address whether it was made all the same."""
        return read_created(self._one(r.EndUserCreated, "end_users.create", body=r.EndUserBody(email=email, name=name)))

    def start_session(
        self,
        end_user_id: str,
        *,
        institution_id: str | None = None,
        redirect_uri: str | None = None,
        cancel_uri: str | None = None,
        arrangement_id: str | None = None,
    ) -> OpenSession:
        """A consent flow for an end user. arrangement_id: the consent to renew."""
        body = r.SessionBody(
            end_user_id=end_user_id,
            institution_id=institution_id,
            redirect_uri=redirect_uri,
            cancel_uri=cancel_uri,
            arrangement_id=arrangement_id,
        )
        return read_session(self._one(r.Session, "auth.session", body=body))

    def consents(self, end_user_id: str, *, active: bool | None = None) -> Listing[r.ConsentRecord]:
        return self.listed("consents.list", end_user_id=end_user_id, active=active)

    def withdraw(self, arrangement_id: str) -> None:
        """End a consent at the service. Raises RequestRejectedError where it knows no such arrangement."""
        row = endpoint("consents.withdraw")
        self._asked(row, address(self._access, row, {"arrangement_id": arrangement_id}))

    def institutions(self, industry: str | None = None) -> Listing[r.Institution]:
        """Institutions that can be connected."""
        client_id = credentials(self._access)["client_id"]
        return self.listed("institutions.list", client_id=client_id, industry=industry)

    def institution(self, institution_id: str) -> Listing[r.Institution]:
        """The directory's entry of one institution."""
        row = endpoint("institutions.get")
        url = address(self._access, row, {"id": institution_id})
        return listed([self._repeated(row, lambda: read_alone(row, self._asked(row, url).body, self._spelling))])

    def data_freshness(self, end_user_id: str) -> Listing[r.DataFreshness]:
        return self.listed("data_freshness", end_user_id=end_user_id)

    def request_consent(self, body: r.ConsentBody) -> r.ConsentRequest:
        """Ask for a consent through the consent API; the customer approves it at its `authorization_url`."""
        return self._one(r.ConsentRequest, "consents.create", body=body)

    def consent(self, consent_id: str) -> r.ConsentArrangement:
        return self._one(r.ConsentArrangement, "consents.get", {"consent_id": consent_id})

    def _one(self, kind: type[W], name: str, parts: Mapping[str, str] | None = None, body: r.Wire | None = None) -> W:
        row = endpoint(name)
        url = address(self._access, row, parts or {})

        def ask() -> W:
            found = read_one(row, self._asked(row, url, body=body).body, self._spelling)
            assert isinstance(found, kind)
            return found

        return self._repeated(row, ask)

    def _page(self, row: Endpoint, answer: Answer) -> Page:
        return read_page(row, answer.body, self._spelling)

    def _repeated(self, row: Endpoint, action: Callable[[], T]) -> T:
        return persist(action, self._patience) if row.method == "GET" else action()

    def _asked(
        self,
        row: Endpoint,
        url: str,
        *,
        asked: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        body: r.Wire | None = None,
    ) -> Answer:
        """One request with a token; again with a fresh one after a 401, for then nothing was done."""
        content = msgspec.json.encode(body) if body is not None else None

        def ask(token: str) -> Answer:
            signed = {**self._version(), **(headers or {}), "authorization": f"Bearer {token}"}
            return self._transport.send(row.method, url, query=asked, headers=signed, body=content)

        token = self._keeper.token()
        answer = ask(token)
        if answer.status == 401:
            token = self._keeper.token(unlike=token)
            answer = ask(token)
        return self._accepted(row, answer, token)

    def _accepted(self, row: Endpoint, answer: Answer, *secrets: str) -> Answer:
        """The answer where it is a success. Raises the typed error, from whose text the secrets are taken out."""
        self._stated = stated(answer.headers) or self._stated
        if answer.ok:
            return answer
        request, said = f"{row.method} {row.path}", hidden(answer.body, secrets)
        raise error_for(request, answer.status, answer.headers, said, self._now(), bound=row.auth == "mtls")

    def _sign_in(self) -> r.Token:
        row = endpoint("token")
        known = credentials(self._access)
        url = address(self._access, row, {})
        content = msgspec.json.encode(known)

        def ask() -> r.Token:
            answer = self._transport.send("POST", url, headers=self._version(), body=content)
            token: r.Token = read_one(row, self._accepted(row, answer, known["client_secret"]).body)
            return token

        return persist(ask, self._patience)

    def _version(self) -> dict[str, str]:
        return {self._spelling.header(VERSION.name): self._access.api_version}

    def _consumer(self, consumer: tuple[str, str] | None) -> dict[str, str]:
        names = (CONSUMER_ADDRESS.name, CONSUMER_AGENT.name)
        return {self._spelling.header(name): value for name, value in zip(names, consumer or (), strict=False)}
