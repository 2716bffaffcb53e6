"""Whether connected data is due to be updated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from toolkit.analytics.consents import state_on
from toolkit.flows.household.context import Context, open_home
from toolkit.tables.schema.identity import ConsentRow
from toolkit.tables.schema.journal import PositionRow

FRESH_FOR = timedelta(days=1)


def is_update_due(ctx: Context) -> bool:
    """Return whether a consent of the household is in force and some of its data was last read over a day ago.

    An archived household's data is never due. Raises as `open_home`.
    """
    with open_home(ctx) as (store, household):
        home = household.household_id
        if household.archived_on or all(state_on(row, ctx.today) != "active" for row in store.load(ConsentRow, home)):
            return False
        read = [row.fresh_at for row in store.load(PositionRow, home) if row.fresh_at is not None]
    return not read or min(read) < datetime.now(UTC) - FRESH_FOR
