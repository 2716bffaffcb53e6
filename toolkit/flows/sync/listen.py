"""Sync when a webhook reports a change, and at regular intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from msgspec.structs import replace

from toolkit.answers.sync import Sync
from toolkit.api.listener import REFUSALS, EventListener
from toolkit.errors import AuthenticationError, ConsentRequiredError, SettingsError, ToolkitError
from toolkit.flows.consent.service import Service
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.sync.run import sync
from toolkit.settings import Settings
from toolkit.store import open_store
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.events import Event

POLL_SECONDS = 3600.0
SETTLE_SECONDS = 2.0
MOST_AT_ONCE = 200
"""Messages come in bursts, one a data set: those of a burst are pulled together."""
LOOK_UP_SECONDS = 0.5
RETRY_SECONDS = (10.0, 60.0, 300.0)
"""How long after each failure a pull is tried again: the service sends an accepted message once only."""

FORGED_REMEDY = " Check that TOOLKIT_WEBHOOK_SECRET is the secret that the service's console shows with the webhook."
_REMEDIES = {
    "forged": FORGED_REMEDY,
    "stale": " Check this machine's clock.",
    "future": " Check this machine's clock.",
}

Everything = None
Named = dict[str, set[str] | None]
"""End user → resources to pull, or Everything."""


def open_listener(ctx: Context, settings: Settings, port: int) -> EventListener:
    """Return a listener with the secret and the spelling of the settings. Raises SettingsError for no usable secret.

    Where `ctx.today` is another day, as with a sandbox of another day, messages are judged at the end of that day.
    """
    secret = settings.webhook_secret
    if secret is None:
        raise SettingsError("TOOLKIT_WEBHOOK_SECRET is not set: the service's console shows it with the webhook.")
    try:
        return EventListener(secret.reveal(), port=port, spelling=Spelling(settings.platform), now=ctx.now)
    except ValueError as error:
        raise SettingsError(f"TOOLKIT_WEBHOOK_SECRET cannot be used: {error}.") from error


def listen(  # noqa: PLR0913  the parts that a listening sync is made of
    ctx: Context,
    client: Service,
    listener: EventListener,
    *,
    end_user: str | None = None,
    poll_seconds: float = POLL_SECONDS,
    settle_seconds: float = SETTLE_SECONDS,
    retry_seconds: Sequence[float] = RETRY_SECONDS,
    until: Callable[[], bool] = lambda: False,
    progress: Progress = quiet,
) -> Sync:
    """`sync --listen`: sync, then again whatever messages name, and everything every `poll_seconds`, until `until`.

    A message is a reason to look, no more: its statements on data or consents are not believed, and one about somebody
    who is not connected here is passed over. So nobody needs to remember messages over a restart: one that is sent
    again then costs another look, which changes nothing. Messages that come within `settle_seconds` are pulled
    together; a pull that fails after its message was accepted is tried again after each of `retry_seconds`. Ctrl-C ends
    it. Raises what `sync` raises at the start, but for a consent that is still waited for; later failures and refused
    messages are mentioned by `progress`. Returns the last sync's answer with `events`.
    """
    run = _Listening(ctx, client, end_user, progress, retry_seconds)
    progress(f"listening at {listener.url}")
    try:
        run.first()
        while not until():
            events = _burst(listener, min(run.due_in(poll_seconds), LOOK_UP_SECONDS), settle_seconds)
            run.mention_refusals(listener)
            run.pull(events)
            if run.due_in(poll_seconds) <= 0:
                run.poll()
    except KeyboardInterrupt:
        progress("stopped")
    return replace(run.answer, events=dict(listener.counts), syncs=run.syncs)


@dataclass
class _Listening:
    """State of a running `sync --listen`.

    failed: what is tried again, at `retry_at` on the monotonic clock. failures: how often, one after another.
    mentioned: kinds of refusals that were mentioned.
    """

    ctx: Context
    client: Service
    end_user: str | None
    progress: Progress
    retry_seconds: Sequence[float]
    syncs: int = 0
    polled_at: float = 0.0
    failed: Named = field(default_factory=dict)
    failures: int = 0
    retry_at: float = 0.0
    mentioned: set[str] = field(default_factory=set)
    answer: Sync = field(default_factory=lambda: Sync(run=None))

    def due_in(self, poll_seconds: float) -> float:
        return max(0.0, self.polled_at + poll_seconds - monotonic())

    def first(self) -> None:
        try:
            self._sync(self.end_user, Everything)
        except ConsentRequiredError as error:
            self.progress(str(error))
        self.polled_at = monotonic()

    def poll(self) -> None:
        self.polled_at = monotonic()
        if self._try(self.end_user, Everything):
            self.failed, self.failures = {}, 0

    def pull(self, events: list[Event]) -> None:
        """Pull what the messages name, for the people who are connected here; also what failed, where it is due."""
        wanted = named(events)
        if strangers := wanted.keys() - self._connected() if wanted else ():
            self.progress(f"messages about {', '.join(sorted(strangers))}, who is not connected here: passed over")
        wanted = {person: resources for person, resources in wanted.items() if person not in strangers}
        if not wanted and not (self.failed and self.retry_at <= monotonic()):
            return
        for person, resources in self.failed.items():
            wanted[person] = _together(wanted.get(person, set()), resources)
        self.failed = {person: resources for person, resources in wanted.items() if not self._try(person, resources)}
        self.failures = self.failures + 1 if self.failed else 0
        people = ", ".join(self.failed)
        if self.failures > len(self.retry_seconds):
            self.progress(f"{people}: failed {self.failures} times; the next full sync tries again")
            self.failed, self.failures = {}, 0
        elif self.failed:
            wait = self.retry_seconds[self.failures - 1]
            self.retry_at = monotonic() + wait
            self.progress(f"{people}: the next try is in {wait:.0f} seconds")

    def mention_refusals(self, listener: EventListener) -> None:
        """Mention the first refused message of a kind; the answer counts them all."""
        for verdict, (_, reason) in REFUSALS.items():
            if listener.counts[verdict] and verdict not in self.mentioned:
                self.mentioned.add(verdict)
                self.progress(f"a message was refused: {reason}{_REMEDIES.get(verdict, '')}")

    def _connected(self) -> set[str]:
        with open_store(self.ctx.db) as store:
            found = {str(id_) for (id_,) in store.tuples("end_users", ("end_user_id",))}
        return found if self.end_user is None else found & {self.end_user}

    def _try(self, person: str | None, resources: set[str] | None) -> bool:
        """Whether trying again is of no use: all was read, or the consent has ended. Raises AuthenticationError."""
        try:
            self._sync(person, resources)
        except AuthenticationError:
            raise
        except ConsentRequiredError as error:
            self.progress(str(error))
        except ToolkitError as error:
            self.progress(str(error))
            return False
        else:
            return not self.answer.failed
        return True

    def _sync(self, person: str | None, resources: set[str] | None) -> None:
        only = None if resources is None else frozenset(resources)
        self.answer = sync(self.ctx, self.client, end_user=person, only=only, progress=self.progress)
        self.syncs += 1


def _burst(listener: EventListener, seconds: float, settle_seconds: float) -> list[Event]:
    """Return the next message and those that follow it closely; none where none comes within `seconds`."""
    first = listener.next(seconds)
    if first is None:
        return []
    events, ends_at = [first], monotonic() + settle_seconds
    while len(events) < MOST_AT_ONCE and (left := ends_at - monotonic()) > 0:
        following = listener.next(left)
        if following is not None:
            events.append(following)
    return events


def named(events: list[Event]) -> Named:
    """Return the end users and lists to pull; none for unknown kinds of messages or without an end user."""
    found: Named = {}
    for event in events:
        person, resources = event.data.end_user_id, _resources(event)
        if person and resources != set():
            before = found.get(person, set())
            found[person] = _together(before, resources)
    return found


def _together(one: set[str] | None, other: set[str] | None) -> set[str] | None:
    return Everything if one is Everything or other is Everything else one | other


def _resources(event: Event) -> set[str] | None:
    """Return the lists that have changed by a message; a consent that came, changed or ended touches all of them."""
    about_consent = (event.data.event or "").startswith("consent.")
    return Everything if about_consent else set(event.resources())
