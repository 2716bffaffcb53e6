"""Update connected data behind the pages when the app is opened."""

from __future__ import annotations

from functools import partial

from toolkit import settings
from toolkit.answers.sync import Sync
from toolkit.errors import ToolkitError
from toolkit.flows.household.context import Context
from toolkit.flows.sync.due import is_update_due
from toolkit.flows.sync.run import sync
from toolkit.pages.answers import ask
from toolkit.pages.data import connecting
from toolkit.pages.server import background
from toolkit.pages.server.background import Job


def key_of(ctx: Context) -> str:
    """Return the key of the job that updates a household."""
    return f"sync {ctx.db} {ctx.household}"


def begin(ctx: Context, only: str | None = None) -> None:
    """Begin to update the household's connected data; `only`: `banking` or `energy`."""
    background.start(key_of(ctx), "Updating", partial(_update, ctx, only))


def begin_if_due(ctx: Context) -> None:
    """Begin once a launch where data is over a day old, a service is set up, and nobody turned this off.

    What comes of it, and what fails, is on the Data page.
    """
    if background.job(key_of(ctx)) is not None:
        return
    try:
        known = settings.load()
        if known.auto_update and known.base_url and known.client_id and ask(is_update_due, ctx):
            begin(ctx)
    except ToolkitError:  # the pages say what is wrong with the settings or the database
        return


def _update(ctx: Context, only: str | None, job: Job) -> Sync:
    with connecting.service() as client:
        return sync(ctx, client, only=only, end_user=settings.load().end_user, progress=job.say)
