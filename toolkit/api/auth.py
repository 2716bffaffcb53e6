"""The bearer token: fetched when needed, renewed before it expires, once for any number of callers."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

from toolkit.errors import AuthenticationError, InvalidResponseError
from toolkit.wire.records import Token

USUAL_LIFE = 900.0
SHORTEST_LIFE, LONGEST_LIFE = 5.0, 86_400.0
MARGIN = 60.0


def value(token: Token) -> str:
    """Return the token's text. Raises InvalidResponseError where the response has no usable token."""
    text = token.token or token.access_token
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidResponseError("The response to the sign-in contains no token.")
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
