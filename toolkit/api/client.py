"""The HTTP client of the service: synchronous, thread-safe, one method per request."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from toolkit.api.transport import (
    Access,
    HttpClient,
    Response,
    RetryPolicy,
    TokenCache,
    Transport,
    address,
    base_address,
    credentials,
    paginate,
)
from toolkit.wire import records as r
from toolkit.wire.decoding.lenient import Spelling, Stated, stated
from toolkit.wire.decoding.pages import Listing, Page, listed, read_alone, read_one, read_page
from toolkit.wire.endpoints import Endpoint, endpoint, query
from toolkit.wire.errors import error_for
from toolkit.wire.messages import OpenSession, read_created, read_session
from toolkit.wire.parameters import CONSUMER_ADDRESS, CONSUMER_AGENT, MAX_PAGE_SIZE, VERSION

T = TypeVar("T")
W = TypeVar("W", bound=r.Wire)


class Client(HttpClient):
    """Requests to one deployment of the service; `toolkit.settings.Settings` is an `Access`.

    Only reads and sign-ins are retried; requests that create or end something are sent once. Raises the
    ServiceErrors and ConnectionFailedError of `toolkit.errors`.
    """

    def __init__(
        self,
        access: Access,
        *,
        retry_policy: RetryPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        transport = Transport(base_address(access), ca=access.ca, cert=access.client_cert, key=access.client_key)
        super().__init__(transport, retry_policy or RetryPolicy(), now)
        self._access = access
        self._spelling = Spelling(access.platform)
        self._stated: Stated | None = None
        self._tokens = TokenCache(self._sign_in, clock)

    def __repr__(self) -> str:
        return f"Client({self._access.base_url})"

    @property
    def spelling(self) -> Spelling:
        """Names of the deployment's own fields and headers, to read stored raw records again."""
        return self._spelling

    @property
    def stated(self) -> Stated | None:
        """Field prefix and version of the last response with a version header, error responses included."""
        return self._stated

    def sign_in(self) -> None:
        """Sign in unless a token is valid. Raises AuthenticationError for missing or refused credentials."""
        self._tokens.token()

    def headers(self) -> Mapping[str, str]:
        """Return a response's headers, names in lower case: the service's clock, version and field prefix."""
        row = endpoint("end_users.list")
        params = query(row, {"page_size": 1})
        return self._request(row, address(self._access, row, {}), params=params).headers

    def pages(
        self,
        resource: str,
        *,
        start: str | None = None,
        consumer: tuple[str, str] | None = None,
        page_size: int = MAX_PAGE_SIZE,
        **values: Any,
    ) -> Iterator[Page]:
        """Yield the pages of a list of `toolkit.wire.endpoints`, such as `banking.transactions`.

        values: its parameters by Python name (`from_`, `read_start_date_oldest`).
        start: the `cursor` of a page of the same list, to resume from that page.
        consumer: IP address and user agent of the person who is present, for balances with `fetch=True`.
        """
        row = endpoint(resource)
        params = query(row, {**values, "page_size": page_size} if row.paged else values)
        url = address(self._access, row, {})
        names = (CONSUMER_ADDRESS.name, CONSUMER_AGENT.name)
        headers = {self._spelling.header(name): value for name, value in zip(names, consumer or (), strict=False)}

        def fetch(cursor: str | None) -> Page:
            position = [("page[after]", cursor)] if cursor else []
            return self._retried(
                row,
                lambda: read_page(
                    row, self._request(row, url, params=params + position, headers=headers).body, self._spelling
                ),
            )

        return paginate(url, fetch, start)

    def listed(self, resource: str, **values: Any) -> Listing[Any]:
        """Read all pages of a short list; parameters as for `pages`."""
        return listed(self.pages(resource, **values))

    def end_users(self, email: str | None = None) -> Listing[r.EndUser]:
        """List the end users of these credentials, or those with that email address (case is ignored)."""
        users: Listing[r.EndUser] = self.listed("end_users.list", email=email)
        return users if email is None else users.where(lambda user: (user.email or "").lower() == email.lower())

    def end_user(self, end_user_id: str) -> r.EndUser:
        """Read one end user."""
        return self._one(r.EndUser, "end_users.get", {"id": end_user_id})

    def create_end_user(self, email: str, name: str) -> str:
        """Create an end user and return its id. Sent once: after a failure, look it up by email address."""
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
        """Start a consent flow for an end user. arrangement_id: the consent to renew."""
        body = r.SessionBody(
            end_user_id=end_user_id,
            institution_id=institution_id,
            redirect_uri=redirect_uri,
            cancel_uri=cancel_uri,
            arrangement_id=arrangement_id,
        )
        return read_session(self._one(r.Session, "auth.session", body=body))

    def consents(self, end_user_id: str, *, active: bool | None = None) -> Listing[r.ConsentRecord]:
        """List the consents of an end user. active: only those that are, or are not, in force."""
        return self.listed("consents.list", end_user_id=end_user_id, active=active)

    def withdraw(self, arrangement_id: str) -> None:
        """End a consent at the service. Raises RequestRejectedError for an unknown arrangement."""
        row = endpoint("consents.withdraw")
        self._request(row, address(self._access, row, {"arrangement_id": arrangement_id}))

    def institutions(self, industry: str | None = None) -> Listing[r.Institution]:
        """List the institutions that can be connected."""
        client_id = credentials(self._access)["client_id"]
        return self.listed("institutions.list", client_id=client_id, industry=industry)

    def institution(self, institution_id: str) -> Listing[r.Institution]:
        """Read the directory's entry of one institution."""
        row = endpoint("institutions.get")
        url = address(self._access, row, {"id": institution_id})
        return listed([self._retried(row, lambda: read_alone(row, self._request(row, url).body, self._spelling))])

    def request_consent(self, body: r.ConsentBody) -> r.ConsentRequest:
        """Request a consent through the consent API; the customer approves it at its `authorization_url`."""
        return self._one(r.ConsentRequest, "consents.create", body=body)

    def consent(self, consent_id: str) -> r.ConsentArrangement:
        """Read one consent arrangement of the consent API."""
        return self._one(r.ConsentArrangement, "consents.get", {"consent_id": consent_id})

    def _one(self, kind: type[W], name: str, parts: Mapping[str, str] | None = None, body: r.Wire | None = None) -> W:
        row = endpoint(name)
        url = address(self._access, row, parts or {})

        def fetch() -> W:
            record = read_one(row, self._request(row, url, body=body).body, self._spelling)
            assert isinstance(record, kind)
            return record

        return self._retried(row, fetch)

    def _retried(self, row: Endpoint, action: Callable[[], T]) -> T:
        """Return the result of a request, retried only if it is a read."""
        return self._with_retries(action) if row.method == "GET" else action()

    def _request(
        self,
        row: Endpoint,
        url: str,
        *,
        params: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        body: r.Wire | None = None,
    ) -> Response:
        """Send a request with a token; after a 401, when nothing was done, send it again with a new token."""
        content = msgspec.json.encode(body) if body is not None else None

        def send(token: str) -> Response:
            signed = {**self._version(), **(headers or {}), "authorization": f"Bearer {token}"}
            return self._transport.send(row.method, url, query=params, headers=signed, body=content)

        token = self._tokens.token()
        response = send(token)
        if response.status == 401:
            token = self._tokens.token(unlike=token)
            response = send(token)
        return self._raise_for_status(row, response, token)

    def _raise_for_status(self, row: Endpoint, response: Response, *secrets: str) -> Response:
        """Return a successful response; else raise its typed error, with the secrets redacted."""
        self._stated = stated(response.headers) or self._stated
        if response.ok:
            return response
        request, body = f"{row.method} {row.path}", redacted(response.body, secrets)
        raise error_for(request, response.status, response.headers, body, self._now(), bound=row.auth == "mtls")

    def _sign_in(self) -> r.Token:
        row = endpoint("token")
        secrets = credentials(self._access)
        url = address(self._access, row, {})
        content = msgspec.json.encode(secrets)

        def fetch() -> r.Token:
            response = self._transport.send("POST", url, headers=self._version(), body=content)
            token: r.Token = read_one(row, self._raise_for_status(row, response, secrets["client_secret"]).body)
            return token

        return self._with_retries(fetch)

    def _version(self) -> dict[str, str]:
        return {self._spelling.header(VERSION.name): self._access.api_version}


REDACTED = "(hidden)"


def redacted(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return an error body (JSON) with the secrets replaced; empty unless the body is a JSON object.

    Secrets are found plain, escaped as in JSON (`\\/`, `\\u002b`) and as in a URL (`%2B`), also escaped twice.
    Base64 is not looked for: nothing is sent as `Authorization: Basic`, so a service cannot echo it.
    """
    try:
        members = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return b""
    if not isinstance(members, dict):
        return b""
    patterns = [re.compile("".join(map(_spellings, secret))) for secret in secrets if secret]
    return msgspec.json.encode({name: _without(value, patterns) for name, value in members.items()})


def _without(value: object, patterns: Iterable[re.Pattern[str]]) -> object:
    if isinstance(value, str):
        for pattern in patterns:
            value = pattern.sub(REDACTED, value)
    return value


def _spellings(character: str) -> str:
    """Return a pattern for a character plain, escaped as in JSON, or percent-encoded; each up to twice."""
    units = character.encode("utf-16-be")
    escaped = r"\\*".join(f"u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode())
    return rf"\\*(?:{re.escape(character)}|(?i:{escaped}|{percent}))"
