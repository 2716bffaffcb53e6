"""The configured service, and its directory of institutions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from toolkit.answers.consents import DirectoryEntry, Institutions
from toolkit.api.client import Client
from toolkit.api.transport import RetryPolicy
from toolkit.errors import AuthenticationError, RequestRejectedError
from toolkit.problems import Problem
from toolkit.remedies import Remedy
from toolkit.settings import Settings
from toolkit.sync.pages import problems_of
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import Listing, Page
from toolkit.wire.records import ConsentRecord, EndUser, Institution

NO_SUCH_PATH = frozenset({404, 405})
"""Statuses of a service that does not offer an endpoint."""


class Service(Protocol):
    """The part of the service's client that a sync uses."""

    @property
    def spelling(self) -> Spelling:
        """Return the names of the deployment's own fields."""

    def pages(self, resource: str, *, start: str | None = None, **parameters: Any) -> Iterator[Page]:
        """Yield the pages of a list, from the cursor `start`."""

    def consents(self, end_user_id: str) -> Listing[ConsentRecord]:
        """List the consents of an end user."""

    def end_users(self, email: str | None = None) -> Listing[EndUser]:
        """List the end users, or those with that email address."""

    def institution(self, institution_id: str) -> Listing[Institution]:
        """Read the directory's entry of one institution."""


class Withdrawing(Service, Protocol):
    """The part of the client that also ends consents."""

    def withdraw(self, arrangement_id: str) -> None:
        """End a consent at the service."""


def service(settings: Settings, retry_policy: RetryPolicy | None = None) -> Client:
    """Return a client of the configured service; close it, or use it as a context manager.

    Raises AuthenticationError where no address or no credentials are set.
    """
    if missing := _missing(settings):
        them = "it" if len(missing) == 1 else "them"
        raise AuthenticationError(Remedy.SET_UP_SERVICE.with_(missing=", ".join(missing), them=them))
    return Client(settings, retry_policy=retry_policy)


def is_set_up(settings: Settings) -> bool:
    """Return whether an address and credentials of a service are set."""
    return not _missing(settings)


def _missing(settings: Settings) -> list[str]:
    needed = {
        "TOOLKIT_BASE_URL": settings.base_url,
        "TOOLKIT_CLIENT_ID": settings.client_id,
        "TOOLKIT_CLIENT_SECRET": settings.client_secret,
    }
    return [name for name, value in needed.items() if value is None]


def institutions(client: Client) -> Institutions:
    """List the banks and energy retailers of the service's directory, in its order, with their connection status.

    Without a directory there are none, and a warning.
    """
    try:
        given = client.institutions()
    except RequestRejectedError as error:
        if error.status not in NO_SUCH_PATH:
            raise
        text = "This service has no directory of institutions: choose the bank or retailer on its own page."
        return Institutions(problems=(Problem("institutions", text, "warning"),))
    # by the directory's priority, then by name; without a priority last
    in_order = sorted(
        given.records,
        key=lambda record: (record.priority is None, record.priority or 0, record.name or record.id),
    )
    return Institutions(
        institutions=tuple(_entry(record) for record in in_order),
        problems=tuple(problems_of("institutions", given)),
    )


def _entry(record: Institution) -> DirectoryEntry:
    connections = record.status.connections if record.status else None
    return DirectoryEntry(
        id=record.id,
        name=record.name or record.id,
        industry=record.industry,
        is_accessible=record.is_accessible,
        priority=record.priority,
        connection=connections.status if connections else None,
    )
