"""The service's memory. Identities come from the seed and a counter, time from its own clock: runs repeat."""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from toolkit.sandbox.register.market import Market
from toolkit.sandbox.service.arrangements import Arrangement
from toolkit.sandbox.service.consents import Consent, Session
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.happenings import Happening, ended, passed
from toolkit.sandbox.service.limits import Limit
from toolkit.sandbox.service.opened import opened_rows
from toolkit.sandbox.service.rows import Row
from toolkit.sandbox.world import Person, World
from toolkit.sandbox.world.chance import digest, uuid
from toolkit.sandbox.world.institutions import Institution
from toolkit.wire.decoding.spelling import Spelling

TOKEN_SECONDS = 900
REDIRECT_URI = "http://127.0.0.1:8765/callback"
SESSION_LIFE = timedelta(days=5)
SHARING = timedelta(days=365)
GRANTED_BEFORE = timedelta(days=90)
ALL_SCOPES = ("api:provider.products.read", "api:provider.products.write", "api:user.read", "api:user.write")


@dataclass(frozen=True, slots=True)
class ApiClient:
    id: str
    secret: str
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """thumbprint: of the certificate it is bound to (RFC 8705), None where it was got without one."""

    client: ApiClient
    expires_at: datetime
    thumbprint: str | None = None


@dataclass
class EndUser:
    id: str
    name: str
    email: str
    phone: str = ""

    def as_record(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "email": self.email, "phone": self.phone}


@dataclass
class Service:
    """base_url: where it is served. now: its clock, which stands still unless moved.

    redirect_uris: registered for the consent API. mutual_tls: whether that demands a client certificate.
    spelling: the deployment's own word. core_prefix: before the core paths; None serves them with and without `/v1`.
    health: of institutions that are not as they usually are, by id.
    publish: sends webhook events; None without a listener.
    """

    world: World
    base_url: str = ""
    now: datetime = field(init=False)
    clients: dict[str, ApiClient] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    end_users: dict[str, EndUser] = field(default_factory=dict)
    consents: dict[str, Consent] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    arrangements: dict[str, Arrangement] = field(default_factory=dict)
    redirect_uris: tuple[str, ...] = (REDIRECT_URI,)
    mutual_tls: bool = False
    spelling: Spelling = field(default_factory=Spelling)
    core_prefix: str | None = None
    publish: Callable[[Sequence[Happening]], None] | None = None
    health: dict[str, str] = field(default_factory=dict)
    limit: Limit = field(default_factory=Limit)
    counters: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = datetime.combine(self.world.today, time(2), UTC)
        self.market = Market(self.world.seed, self.world.born)
        seed = self.world.seed
        for name, scopes in (("full", ALL_SCOPES), ("limited", ())):
            client = ApiClient(f"client_{uuid(seed, name)}", f"secret_{digest(seed, name, size=24)}", scopes)
            self.clients[client.id] = client
        for person in self.world.people:
            self._seed_person(person)
        self._opened: dict[tuple[str, ...], list[Row]] = {}

    def _seed_person(self, person: Person) -> None:
        """An end user with consents at the person's bank and energy retailer."""
        user = EndUser(person.end_user_id(self.world.seed), person.name, person.email, person.phone)
        self.end_users[user.id] = user
        for institution in (person.bank, person.retailer):
            self.grant(user.id, person, institution, granted_at=self.now - GRANTED_BEFORE)

    @property
    def full_client(self) -> ApiClient:
        return next(client for client in self.clients.values() if client.scopes)

    @property
    def limited_client(self) -> ApiClient:
        return next(client for client in self.clients.values() if not client.scopes)

    @property
    def webhook_secret(self) -> str:
        return b64encode(bytes.fromhex(digest(self.world.seed, "webhooks", size=32))).decode()

    def happened(self, what: Callable[[], Sequence[Happening]]) -> None:
        """Publish events, which are only built if there is a listener."""
        if self.publish:
            self.publish(what())

    def health_of(self, institution: Institution) -> str:
        return self.health.get(institution.id, institution.health)

    def advance(self, time: timedelta) -> None:
        """Move the clock; on another day the world is that day's, with what happened meanwhile."""
        before = [consent for consent in self.consents.values() if consent.active(self.now)]
        self.now += time
        another_day = self.now.date() != self.world.today
        if another_day:
            self.world = self.world.on(self.now.date())
            self.market.today = self.world.today
            self._opened.clear()
        lasting = [consent for consent in before if consent.active(self.now)] if another_day else []
        self.happened(lambda: [*ended([c for c in before if not c.active(self.now)]), *passed(lasting)])

    def revoke(self, consent: Consent) -> None:
        """End a consent; repeating that succeeds and changes nothing."""
        if consent.active(self.now):
            consent.revoked_at = self.now
            self.happened(lambda: ended([consent]))

    def identity(self, prefix: str) -> str:
        """A new identity such as `eu_…`; the same in the same place of the same run."""
        self.counters[prefix] = count = self.counters.get(prefix, 0) + 1
        return f"{prefix}_{uuid(self.world.seed, prefix, count)}"

    def sign_in(self, client_id: str, secret: str, thumbprint: str | None = None) -> str:
        """A new token, bound to the certificate with that thumbprint. Refuses with invalid_client."""
        client = self.clients.get(client_id)
        if client is None or not hmac.compare_digest(client.secret.encode(), secret.encode()):
            raise ServiceRefusalError("invalid_client", "The client credentials are invalid, expired or revoked.")
        token = self.identity("token")
        self.tokens[token] = Token(client, self.now + timedelta(seconds=TOKEN_SECONDS), thumbprint)
        return token

    def bearer(self, token: str) -> Token:
        """What was issued under that text. Refuses with unauthorized."""
        grant = self.tokens.get(token)
        if grant is None or grant.expires_at <= self.now or grant.client.id not in self.clients:
            raise ServiceRefusalError("unauthorized", "The access token is missing, invalid or expired.")
        return grant

    def end_user(self, end_user_id: str) -> EndUser:
        """Refuses with end_user_not_found."""
        if (user := self.end_users.get(end_user_id)) is None:
            raise ServiceRefusalError("end_user_not_found", "No end user has this id.")
        return user

    def create_end_user(self, email: str, name: str, phone: str = "") -> EndUser:
        """Refuses with end_user_already_exists where the address is known."""
        if any(user.email == email for user in self.end_users.values()):
            raise ServiceRefusalError("end_user_already_exists", "An end user with this email exists.")
        user = EndUser(self.identity("eu"), name, email, phone)
        self.end_users[user.id] = user
        return user

    def grant(
        self, end_user_id: str, person: Person, institution: Institution, *, granted_at: datetime | None = None
    ) -> Consent:
        """An active consent to everything the person has there; the flow narrows it to some accounts."""
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
        return [consent for consent in self.consents.values() if consent.end_user_id == end_user_id]

    def rows(self, end_user_id: str, resource: str) -> list[Row]:
        """What an end user's active consents open, in order. Refuses where there is none, or it ended."""
        industry = resource.split(".", maxsplit=1)[0]
        own = self.consents_of(self.end_user(end_user_id).id)
        active = [c for c in own if c.active(self.now) and c.institution.industry == industry]
        ended = [c for c in own if c.institution.industry == industry and not c.active(self.now)]
        if not own:
            raise ServiceRefusalError("consent_required", "The end user has not consented to share data yet.")
        if ended and not active:
            raise ServiceRefusalError(f"consent_{ended[-1].ending(self.now)}", "The end user's consent has ended.")
        key = (resource, *(consent.version for consent in active))
        if key not in self._opened:
            self._opened[key] = opened_rows(self.world, active, resource)
        return self._opened[key]
