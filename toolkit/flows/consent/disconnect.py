"""End a consent at the service: `disconnect`."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import asdict

from toolkit.answers.consents import EndedConsent
from toolkit.errors import RequestRejectedError
from toolkit.flows.consent.consents import consent_on, stored_consent, upsert_consents
from toolkit.flows.consent.service import NO_SUCH_PATH, Withdrawing
from toolkit.flows.household.context import Context
from toolkit.flows.sync.end_users import People
from toolkit.store import Store, open_store
from toolkit.sync.list_sync import Person
from toolkit.tables.schema.identity import ConsentRow, InstitutionRow


def end_consent(ctx: Context, client: Withdrawing, arrangement: str) -> EndedConsent:
    """End a consent at the service; its data stays stored until `forget`.

    arrangement: its arrangement or consent id. Raises ChoiceRequiredError where no stored consent has that id,
    RequestRejectedError where the service cannot end consents, ConsentRequiredError where it does not know the
    arrangement.
    """
    with open_store(ctx.db) as store:
        consent = stored_consent(store, arrangement)
        withdraw(client, consent.arrangement_id)
        now = datetime.now(UTC)
        upsert_consents(store, consent)  # it may have been known from its records alone
        _mark_ended(store, consent, now)
        people = People(store, client, now, consent.household_id)
        people.read_consents(Person(consent.household_id, consent.end_user_id))
        _mark_ended(store, consent, now)
        after = stored_consent(store, consent.arrangement_id)
        institution = store.first(InstitutionRow, where={"institution_id": after.institution_id})
        return EndedConsent(**asdict(consent_on(after, institution, ctx.today)), problems=tuple(people.problems))


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


def _mark_ended(store: Store, consent: ConsentRow, now: datetime) -> None:
    """Mark the consent as revoked, also where the service lists no consents or still lists it as active."""
    where = {"household_id": consent.household_id, "arrangement_id": consent.arrangement_id, "state": "active"}
    store.update("consents", {"state": "revoked", "ended_at": now}, where)
