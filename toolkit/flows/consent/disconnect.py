"""End a consent at the service: `disconnect`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from toolkit.errors import RequestRejectedError
from toolkit.flows.household.context import Context
from toolkit.flows.sync.pull import Withdrawing
from toolkit.store import Store, open_store
from toolkit.sync.list_sync import Person

if TYPE_CHECKING:
    pass
from toolkit.flows.consent.consents import NO_SUCH_PATH, Row, standing, stored_consent
from toolkit.flows.sync.end_users import People


def end_consent(ctx: Context, client: Withdrawing, arrangement: str) -> dict[str, Any]:
    """End a consent at the service; its data stays stored until `forget`. Returns the consent.

    Under `problems`: what of the person's consents could not be read anew, now that one has ended.
    arrangement: its arrangement or consent id. Raises ChoiceRequiredError where no stored consent is called so,
    RequestRejectedError where the service has no way to end one, ConsentRequiredError where it knows no such
    arrangement.
    """
    with open_store(ctx.db) as store:
        consent = stored_consent(store, arrangement)
        withdraw(client, consent["arrangement_id"])
        now = datetime.now(UTC)
        store.upsert("consents", [consent])  # it may have been known from its records alone
        _mark_ended(store, consent, now)
        people = People(store, client, now, consent["household_id"])
        people.read_consents(Person(consent["household_id"], consent["end_user_id"]))
        _mark_ended(store, consent, now)
        after = stored_consent(store, consent["arrangement_id"])
        known = store.rows("institutions", where={"institution_id": after["institution_id"]})
        row = standing(after, known[0] if known else None, ctx.today)
        return {**row, "problems": [problem.as_json() for problem in people.problems]}


def withdraw(client: Withdrawing, arrangement: str) -> None:
    """End a consent at the service. Raises RequestRejectedError where the service cannot end consents."""
    try:
        client.withdraw(arrangement)
    except RequestRejectedError as error:
        if error.status not in NO_SUCH_PATH:
            raise
        raise RequestRejectedError(
            f"This service cannot end a consent, so {arrangement} stays in force: end it with the bank or retailer "
            "itself.",
            status=error.status,
        ) from error


def _mark_ended(store: Store, consent: Row, now: datetime) -> None:
    """A service that lists no consents, or lists this one as before, has agreed to end it all the same."""
    where = {name: consent[name] for name in ("household_id", "arrangement_id")} | {"state": "active"}
    store.update("consents", {"state": "revoked", "ended_at": now}, where)
