"""`doctor`: check settings, files, database, connection and data."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.data import Check, Checkup, Setting
from toolkit.errors import StoreDamagedError, ToolkitError
from toolkit.flows.data.doctor.data import data
from toolkit.flows.data.doctor.files import advice, integrity, lost_log, permissions
from toolkit.flows.data.doctor.service import connection
from toolkit.flows.household.context import Context
from toolkit.settings import Settings
from toolkit.store import open_store
from toolkit.store.files import is_stored


def doctor(ctx: Context, settings: Settings) -> Checkup:
    """Run all checks; `failed` names those in error. Secrets are redacted."""
    checks = (*_stored(ctx, settings), *connection(settings))
    return Checkup(
        settings=tuple(
            Setting(name=name, value=None if entry.value is None else str(entry.value), origin=entry.origin)
            for name, entry in settings.origins.items()
        ),
        checks=checks,
        failed=tuple(check.name for check in checks if check.state == "error"),
    )


def _stored(ctx: Context, settings: Settings) -> Iterator[Check]:
    """Check what is on this machine; a file that cannot be read is reported."""
    try:
        yield from permissions(ctx.db, settings.data_dir)
        yield from lost_log(ctx.db)
        yield from _database(ctx)
    except OSError as error:
        yield Check("permissions", "error", f"{error.filename}: {error.strerror}. Check its owner and permissions.")


def _database(ctx: Context) -> Iterator[Check]:
    try:
        if not is_stored(ctx.db):
            yield Check("database", "ok", f"{ctx.db}: not created yet; `toolkit import` or `toolkit sync` creates it.")
            return
        with open_store(ctx.db, create=False) as store:
            yield (whole := integrity(store))
            if whole.state != "error":
                yield from data(store, ctx.today)
    except StoreDamagedError as error:
        yield Check("database", "error", f"{ctx.db} is not a whole database ({error.__cause__}). {advice(ctx.db)}")
    except ToolkitError as error:
        yield Check("database", "error", str(error))
