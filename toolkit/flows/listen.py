"""Syncs when the service says that something has changed, and now and then all the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from toolkit.errors import ConsentNeeded, SettingsError, SignInNeeded, ToolkitError
from toolkit.flows.context import Context, Progress, quiet
from toolkit.flows.sync import sync
from toolkit.flows.sync_pull import Service

if TYPE_CHECKING:
    from toolkit.api.events import EventListener
    from toolkit.settings import Settings
    from toolkit.wire.events import Event

POLL_SECONDS = 3600.0
SETTLE_SECONDS = 2.0
MOST_AT_ONCE = 200
"""Messages come in bursts, one a data set: those of a burst are pulled together."""
LOOK_UP_SECONDS = 0.5

Everything = None
Named = dict[str, set[str] | None]
"""End user → resources to pull, or Everything."""


def open_listener(ctx: Context, settings: Settings, port: int) -> EventListener:
    """A listener with the secret and the spelling of the settings. Raises SettingsError for no usable secret.

    Where `ctx.today` is another day, as with a sandbox of another day, messages are fresh or stale by that.
    """
    from toolkit.api.events import EventListener
    from toolkit.wire.spelling import Spelling

    secret = settings.webhook_secret
    if secret is None:
        raise SettingsError("TOOLKIT_WEBHOOK_SECRET is not set: the service's console shows it with the webhook.")
    shift = ctx.today - datetime.now(UTC).date()
    shift = timedelta() if abs(shift) <= timedelta(days=1) else shift  # the same day, in another zone
    try:
        return EventListener(
            secret.reveal(), port=port, spelling=Spelling(settings.platform), now=lambda: datetime.now(UTC) + shift
        )
    except ValueError as error:
        raise SettingsError(f"TOOLKIT_WEBHOOK_SECRET cannot be used: {error}.") from error


def listen(  # noqa: PLR0913  the parts that a listening sync is made of
    ctx: Context,
    client: Service,
    listener: EventListener,
    *,
    end_user: str | None = None,
    poll_seconds: float = POLL_SECONDS,
    until: Callable[[], bool] = lambda: False,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """`sync --listen`: sync, then again whatever messages name, and everything every `poll_seconds`, until `until`.

    A message is a reason to look, no more: what it says of data or consents is not believed, and one about somebody
    who is not connected here is passed over. So nobody needs to remember messages over a restart: one that is sent
    again then costs another look, which changes nothing. Ctrl-C ends it. Raises what `sync` raises at the start, but
    for a consent that is still waited for; later failures are told by `progress`. Returns the last sync's answer with
    `events`.
    """
    run = _Listening(ctx, client, end_user, progress)
    progress(f"listening at {listener.url}")
    try:
        run.first()
        while not until():
            run.pull(_burst(listener, min(run.due_in(poll_seconds), LOOK_UP_SECONDS)))
            if run.due_in(poll_seconds) <= 0:
                run.poll()
    except KeyboardInterrupt:
        progress("stopped")
    return {**run.answer, "events": dict(listener.counts), "syncs": run.syncs}


@dataclass
class _Listening:
    ctx: Context
    client: Service
    end_user: str | None
    progress: Progress
    syncs: int = 0
    polled_at: float = 0.0
    answer: dict[str, Any] = field(default_factory=lambda: {"run": None, "resources": [], "problems": [], "failed": []})

    def due_in(self, poll_seconds: float) -> float:
        return max(0.0, self.polled_at + poll_seconds - time.monotonic())

    def first(self) -> None:
        try:
            self._sync(self.end_user, Everything)
        except ConsentNeeded as error:
            self.progress(str(error))
        self.polled_at = time.monotonic()

    def poll(self) -> None:
        self.polled_at = time.monotonic()
        self._try(self.end_user, Everything)

    def pull(self, events: list[Event]) -> None:
        """What the messages name, for the people who are connected here."""
        if not events:
            return
        known = self._connected()
        for person, resources in named(events).items():
            if person in known:
                self._try(person, resources)
            else:
                self.progress(f"a message about {person}, who is not connected here: passed over")

    def _connected(self) -> set[str]:
        from toolkit.store import open_store

        with open_store(self.ctx.db) as store:
            found = {str(id_) for (id_,) in store.tuples("end_users", ("end_user_id",))}
        return found if self.end_user is None else found & {self.end_user}

    def _try(self, person: str | None, resources: set[str] | None) -> None:
        try:
            self._sync(person, resources)
        except SignInNeeded:
            raise
        except ToolkitError as error:
            self.progress(str(error))

    def _sync(self, person: str | None, resources: set[str] | None) -> None:
        only = None if resources is None else frozenset(resources)
        self.answer = sync(self.ctx, self.client, end_user=person, only=only, progress=self.progress)
        self.syncs += 1


def _burst(listener: EventListener, seconds: float) -> list[Event]:
    """The next message and those that follow it closely; none where none comes within that time."""
    first = listener.next(seconds)
    if first is None:
        return []
    events, ends_at = [first], time.monotonic() + SETTLE_SECONDS
    while len(events) < MOST_AT_ONCE and (left := ends_at - time.monotonic()) > 0:
        following = listener.next(left)
        if following is not None:
            events.append(following)
    return events


def named(events: list[Event]) -> Named:
    """Whose what is to be pulled. Messages of unknown kinds, or about nobody, name nothing."""
    found: Named = {}
    for event in events:
        person, resources = event.data.end_user_id, _resources(event)
        if person and resources != set():
            before = found.get(person, set())
            found[person] = Everything if resources is Everything or before is Everything else before | resources
    return found


def _resources(event: Event) -> set[str] | None:
    """The lists that a message says have changed; a consent that came, changed or ended touches all of them."""
    about_consent = (event.data.event or "").startswith("consent.")
    return Everything if about_consent else set(event.resources())
