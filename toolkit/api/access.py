"""What a client needs to reach a service: address, credentials and the bearer token."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Protocol
from urllib.parse import quote, urlsplit

from toolkit.errors import AuthenticationError, InvalidResponseError, SettingsError
from toolkit.remedies import Message, Remedy
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import Token

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}


class SecretText(Protocol):
    """A secret that shows itself only when asked to."""

    def reveal(self) -> str:
        """Return the secret."""


class Access(Protocol):
    """Address, credentials and spelling of a deployment."""

    @property
    def base_url(self) -> str | None:
        """Return the address of the deployment."""

    @property
    def client_id(self) -> str | None:
        """Return the client id."""

    @property
    def client_secret(self) -> SecretText | None:
        """Return the client secret."""

    @property
    def platform(self) -> str:
        """Return the deployment's own name for *platform*, in field and header names."""

    @property
    def api_version(self) -> str:
        """Return the version of the API to request, such as `v3`."""

    @property
    def core_prefix(self) -> str:
        """Return what stands before the paths of core endpoints."""

    @property
    def ca(self) -> Path | None:
        """Return the PEM file of the certificate authority to trust, if one is set."""

    @property
    def client_cert(self) -> Path | None:
        """Return the PEM file of the client certificate for mutual TLS."""

    @property
    def client_key(self) -> Path | None:
        """Return the PEM file of its private key."""


Origin = tuple[str, str, int]


def origin(url: str) -> Origin | None:
    """Return scheme, host and port of an http address in plain ASCII without user name; None for anything else."""
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port if port is not None else DEFAULT_PORTS[parts.scheme]


def base_address(access: Access) -> str:
    """Return the checked base address. Raises SettingsError where it is missing or would send secrets in the clear."""
    url = access.base_url
    if not url:
        raise SettingsError(Message("No service is set: ", Remedy.SET_ADDRESS, "."))
    found = origin(url)
    if found is None:
        raise SettingsError(Message(Remedy.ADDRESS, f" = {url!r} is not an address such as https://api.example.com."))
    if found[0] == "http" and found[1] not in LOOPBACK:
        raise SettingsError(Message(Remedy.ADDRESS, f" = {url!r} is plain http to another machine: use https."))
    return url.rstrip("/")


def credentials(access: Access) -> dict[str, str]:
    """Return the body of a token request. Raises AuthenticationError where id or secret is missing."""
    if not access.client_id or access.client_secret is None:
        raise AuthenticationError(Message("Client id or secret is missing: ", Remedy.SET_CREDENTIALS, "."))
    return {"client_id": access.client_id, "client_secret": access.client_secret.reveal()}


def address(access: Access, row: Endpoint, parts: Mapping[str, str]) -> str:
    """Return the address of an endpoint; `parts` fill the braces of its path."""
    path = row.path.format_map({name: quote(value, safe="") for name, value in parts.items()})
    return base_address(access) + (access.core_prefix if row.core else "") + path


USUAL_LIFE = 900.0
SHORTEST_LIFE, LONGEST_LIFE = 5.0, 86_400.0
MARGIN = 60.0


def value(token: Token) -> str:
    """Return the token's text. Raises InvalidResponseError where the response has no usable token."""
    text = token.token or token.access_token
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidResponseError("The response to the sign-in contains no token.", name="no_token")
    return text


def life(token: Token) -> float:
    """Seconds after which to renew the token: its life less a margin, within bounds.

    Below five seconds the service's 401 shows sooner than a clock that the token has expired.
    """
    lifetime = USUAL_LIFE if token.expires_in is None else float(min(token.expires_in, int(LONGEST_LIFE)))
    return max(lifetime - min(MARGIN, lifetime / 5), SHORTEST_LIFE)


class TokenCache:
    """Share one token between threads.

    fetch: signs in once.
    clock: monotonic seconds, which changes to the time of day do not affect.
    """

    def __init__(self, fetch: Callable[[], Token], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._lock = Lock()
        self._flight: Future[str] | None = None
        self._text: str | None = None
        self._renew_at = 0.0
        self._refusal: AuthenticationError | None = None

    def __repr__(self) -> str:
        return "TokenCache(hidden)"

    def token(self, *, unlike: str | None = None) -> str:
        """Return a valid token other than `unlike`, which the service has just refused.

        Callers that arrive during a renewal share its result or its failure. Refused credentials are not sent again.
        """
        with self._lock:
            if self._refusal is not None:
                raise self._refusal
            if self._text is not None and self._text != unlike and self._clock() < self._renew_at:
                return self._text
            flight, mine = self._flight or Future(), self._flight is None
            self._flight = flight
        if mine:
            self._renew(flight)
        return flight.result()

    def _renew(self, flight: Future[str]) -> None:
        requested_at = self._clock()
        try:
            token = self._fetch()
            text = value(token)
        except BaseException as problem:
            with self._lock:
                self._flight = None
                self._refusal = problem if isinstance(problem, AuthenticationError) else None
            flight.set_exception(problem)
            return
        with self._lock:
            self._text, self._renew_at, self._flight = text, requested_at + life(token), None
        flight.set_result(text)
