"""State of the service. Identifiers come from the seed and a counter, time from its own clock, so that runs repeat."""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta

from toolkit.sandbox.register.market import Market
from toolkit.sandbox.service.consents import Consent, ConsentRequest, Session
from toolkit.sandbox.service.events import Event, consents_ended, daily_syncs
from toolkit.sandbox.service.refusals import RateLimit, ServiceRefusalError
from toolkit.sandbox.service.rows import Row, shared_rows
from toolkit.sandbox.world import Person, World
from toolkit.sandbox.world.chance import digest, uuid
from toolkit.sandbox.world.people import Institution
from toolkit.wire import JsonObject
from toolkit.wire.decoding.lenient import Spelling

TOKEN_SECONDS = 900
"""Life of an access token."""
REDIRECT_URI = "http://127.0.0.1:8765/callback"
"""Address that is registered for the consent API."""
SESSION_LIFE = timedelta(days=5)
SHARING = timedelta(days=365)
"""Life of a consent given on the consent pages."""
GRANTED_BEFORE = timedelta(days=90)
"""Age of the seeded consents when the sandbox starts."""
ALL_SCOPES = ("api:provider.products.read", "api:provider.products.write", "api:user.read", "api:user.write")


@dataclass(frozen=True, slots=True)
class ApiClient:
    """A registered caller of the service."""

    id: str
    secret: str
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """An access token."""

    client: ApiClient
    expires_at: datetime
    thumbprint: str | None = None
    """Of the certificate that the token is bound to (RFC 8705); None if it was issued without one."""


@dataclass
class EndUser:
    """A user of the calling app, who gives consents."""

    id: str
    name: str
    email: str
    phone: str = ""

    def as_record(self) -> JsonObject:
        """Return the record as the service serves it."""
        return {"id": self.id, "name": self.name, "email": self.email, "phone": self.phone}


@dataclass
class Service:
    """The service with everything it remembers."""

    world: World
    base_url: str = ""
    """Where it is served."""
    now: datetime = field(init=False)
    """Its clock, which stands still unless moved; in UTC."""
    clients: dict[str, ApiClient] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    """By the token's text."""
    end_users: dict[str, EndUser] = field(default_factory=dict)
    consents: dict[str, Consent] = field(default_factory=dict)
    """By arrangement id."""
    sessions: dict[str, Session] = field(default_factory=dict)
    consent_requests: dict[str, ConsentRequest] = field(default_factory=dict)
    """By consent id."""
    redirect_uris: tuple[str, ...] = (REDIRECT_URI,)
    """Addresses registered for the consent API."""
    mutual_tls: bool = False
    """Whether the consent API requires a client certificate."""
    spelling: Spelling = field(default_factory=Spelling)
    """The deployment's own word in headers and field names."""
    core_prefix: str | None = None
    """Prefix of the core paths; None serves them with and without `/v1`."""
    publish: Callable[[Sequence[Event]], None] | None = None
    """Sends webhook events; None without a listener."""
    health: dict[str, str] = field(default_factory=dict)
    """Health by institution id, where it differs from the usual."""
    rate_limit: RateLimit = field(default_factory=RateLimit)
    counters: dict[str, int] = field(default_factory=dict)
    """Identifiers issued so far, by prefix."""

    def __post_init__(self) -> None:
        self.now = datetime.combine(self.world.today, time(2), UTC)
        self.market = Market(self.world.seed, self.world.born)
        seed = self.world.seed
        for name, scopes in (("full", ALL_SCOPES), ("limited", ())):
            client = ApiClient(f"client_{uuid(seed, name)}", f"secret_{digest(seed, name, size=24)}", scopes)
            self.clients[client.id] = client
        # Each seeded person is an end user with consents at their bank and energy retailer.
        for person in self.world.people:
            user = EndUser(person.end_user_id(seed), person.name, person.email, person.phone)
            self.end_users[user.id] = user
            for institution in (person.bank, person.retailer):
                self.grant(user.id, person, institution, granted_at=self.now - GRANTED_BEFORE)
        self._row_cache: dict[tuple[str, ...], list[Row]] = {}

    @property
    def full_client(self) -> ApiClient:
        """Return the client with all scopes."""
        return next(client for client in self.clients.values() if client.scopes)

    @property
    def limited_client(self) -> ApiClient:
        """Return the client without scopes."""
        return next(client for client in self.clients.values() if not client.scopes)

    @property
    def webhook_secret(self) -> str:
        """Return the key that signs webhooks, in base64."""
        return b64encode(bytes.fromhex(digest(self.world.seed, "webhooks", size=32))).decode()

    def publish_events(self, build: Callable[[], Sequence[Event]]) -> None:
        """Publish events, which are only built if there is a listener."""
        if self.publish:
            self.publish(build())

    def health_of(self, institution: Institution) -> str:
        """Return HEALTHY, DEGRADED or OUTAGE."""
        return self.health.get(institution.id, institution.health)

    def advance(self, time: timedelta) -> None:
        """Move the clock forwards; on another day the world gains the days since, and consents may have expired."""
        before = [consent for consent in self.consents.values() if consent.active(self.now)]
        self.now += time
        another_day = self.now.date() != self.world.today
        if another_day:
            self.world = self.world.on(self.now.date())
            self.market.today = self.world.today
            self._row_cache.clear()
        expired = [consent for consent in before if not consent.active(self.now)]
        synced = [consent for consent in before if consent.active(self.now)] if another_day else []
        self.publish_events(lambda: [*consents_ended(expired), *daily_syncs(synced)])

    def revoke(self, consent: Consent) -> None:
        """End a consent; repeating that succeeds and changes nothing."""
        if consent.active(self.now):
            consent.revoked_at = self.now
            self.publish_events(lambda: consents_ended([consent]))

    def identity(self, prefix: str) -> str:
        """Issue a new identifier such as `eu_…`; repeated runs issue the same ones in the same order."""
        self.counters[prefix] = count = self.counters.get(prefix, 0) + 1
        return f"{prefix}_{uuid(self.world.seed, prefix, count)}"

    def sign_in(self, client_id: str, secret: str, thumbprint: str | None = None) -> str:
        """Issue a token, bound to the certificate with that thumbprint. Refuses with invalid_client."""
        client = self.clients.get(client_id)
        if client is None or not hmac.compare_digest(client.secret.encode(), secret.encode()):
            raise ServiceRefusalError("invalid_client", "The client credentials are invalid, expired or revoked.")
        token = self.identity("token")
        self.tokens[token] = Token(client, self.now + timedelta(seconds=TOKEN_SECONDS), thumbprint)
        return token

    def bearer(self, token: str) -> Token:
        """Return the token with that text. Refuses with unauthorized."""
        grant = self.tokens.get(token)
        if grant is None or grant.expires_at <= self.now or grant.client.id not in self.clients:
            raise ServiceRefusalError("unauthorized", "The access token is missing, invalid or expired.")
        return grant

    def end_user(self, end_user_id: str) -> EndUser:
        """Return an end user. Refuses with end_user_not_found."""
        if (user := self.end_users.get(end_user_id)) is None:
            raise ServiceRefusalError("end_user_not_found", "No end user has this id.")
        return user

    def create_end_user(self, email: str, name: str, phone: str = "") -> EndUser:
        """Add an end user. Refuses with end_user_already_exists if the email address is taken."""
        if any(user.email == email for user in self.end_users.values()):
            raise ServiceRefusalError("end_user_already_exists", "An end user with this email exists.")
        user = EndUser(self.identity("eu"), name, email, phone)
        self.end_users[user.id] = user
        return user

    def grant(
        self, end_user_id: str, person: Person, institution: Institution, *, granted_at: datetime | None = None
    ) -> Consent:
        """Add an active consent to everything the person has there; the caller may narrow it to some accounts."""
        granted = granted_at or self.now
        consent = Consent(
            consent_id=self.identity("consent"),
            arrangement_id=self.identity("arr"),
            end_user_id=end_user_id,
            person=person,
            institution=institution,
            granted_at=granted,
            expires_at=granted + SHARING,
        )
        self.consents[consent.arrangement_id] = consent
        return consent

    def consents_of(self, end_user_id: str) -> list[Consent]:
        """Return the consents of an end user, ended ones included."""
        return [consent for consent in self.consents.values() if consent.end_user_id == end_user_id]

    def rows(self, end_user_id: str, resource: str) -> list[Row]:
        """Return what an end user's active consents share, in order of the anchors.

        Refuses with end_user_not_found, consent_required, consent_expired or consent_revoked.
        """
        industry = resource.split(".", maxsplit=1)[0]
        own = self.consents_of(self.end_user(end_user_id).id)
        active = [c for c in own if c.active(self.now) and c.institution.industry == industry]
        ended = [c for c in own if c.institution.industry == industry and not c.active(self.now)]
        if not own:
            raise ServiceRefusalError("consent_required", "The end user has not consented to share data yet.")
        if ended and not active:
            raise ServiceRefusalError(f"consent_{ended[-1].ending(self.now)}", "The end user's consent has ended.")
        key = (resource, *(consent.version for consent in active))
        if key not in self._row_cache:
            self._row_cache[key] = shared_rows(self.world, active, resource)
        return self._row_cache[key]
