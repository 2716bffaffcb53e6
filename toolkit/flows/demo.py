"""The main job with nothing but this package: the embedded service, a consent, a pull, four answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from toolkit.answers.start import Demo
from toolkit.api.client import Client
from toolkit.api.plan_register import Register
from toolkit.api.robot import walk_through
from toolkit.errors import StoreError
from toolkit.flows.consent.connect import connect
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.money.summary import spending
from toolkit.flows.plans.fetch import fetch
from toolkit.flows.sync.run import sync
from toolkit.sandbox.serve import Running, running
from toolkit.sandbox.world.people import FAMILY
from toolkit.settings import Secret
from toolkit.store import open_store
from toolkit.store.connection import upgraded_of
from toolkit.tables.schema.identity import EndUserRow

EMAIL, NAME = "demo.family@example.com", "The demo family"
HOUSEHOLDS = 2
"""The family is the second of the sandbox's people; nobody else is needed."""
MARKET = ("lyrebird", "quoll")
"""Retailers of the sandbox's register with plans to compare: enough to choose from, and quickly read."""


def demo(ctx: Context, *, seed: int = 1, progress: Progress = quiet) -> Demo:
    """Answer `demo`: four questions about an invented family that consents and is pulled over real HTTP.

    The database at `ctx.db` is made anew where it holds an earlier demo, and left alone where it holds anything else
    (StoreError). `ctx.today` ends the invented life. The same seed and day give the same figures.
    """
    _make_room(ctx.db)
    progress("Starting the embedded service …")
    with running(seed=seed, today=ctx.today, households=HOUSEHOLDS) as sandbox:
        _connect_and_pull(ctx, sandbox, progress)
    progress("Computing …")
    family = replace(ctx, household=NAME)
    return Demo(
        db=str(ctx.db), spending=spending(family), forecast=forecast(family), usage=usage(family), solar=solar(family)
    )


def _make_room(db: Path) -> None:
    """Remove an earlier demo, with what upgrades kept of it. Raises StoreError where the database is somebody's own."""
    if not db.exists():
        return
    with open_store(db) as store:
        people = {row.email for row in store.load(EndUserRow)}
        homes, files = store.count("households"), store.count("files")
    if homes > 1 or files or people - {EMAIL}:
        raise StoreError(f"{db}: this database holds data of its own; give the demo another one with --db.")
    for path in (*upgraded_of(db), db, *(db.with_name(db.name + end) for end in ("-wal", "-shm"))):
        path.unlink(missing_ok=True)


def _connect_and_pull(ctx: Context, sandbox: Running, progress: Progress) -> None:
    with Client(SandboxAccess.to(sandbox)) as client:
        for institution in (FAMILY.bank, FAMILY.retailer):
            progress(f"Connecting {institution.name} …")
            # a robot fills in the consent pages in place of a person with a browser
            connect(ctx, client, email=EMAIL, name=NAME, institution=institution.id, open_browser=walk_through, wait=30)
        progress("Fetching two years of transactions and meter reads …")
        sync(ctx, client)
    progress("Fetching the plans of two retailers …")
    with Register(sandbox.register_url) as source:
        fetch(ctx, source, retailers=MARKET)


@dataclass(frozen=True, slots=True)
class SandboxAccess:
    """The sandbox as a deployment; no setting of this machine affects it."""

    base_url: str
    client_id: str
    client_secret: Secret
    platform: str = "platform"
    api_version: str = "v3"
    core_prefix: str = ""
    ca: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None

    @classmethod
    def to(cls, sandbox: Running) -> SandboxAccess:
        """Return the access to a sandbox that runs."""
        return cls(sandbox.base_url, sandbox.client_id, Secret(sandbox.client_secret))
