"""What is said of a consent on a day, and what becomes of one that is ended or renewed at the embedded service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.json_answers import connect, end_consent, institutions, status
from tests.keys import keys_of
from toolkit import settings
from toolkit.api.client import Client
from toolkit.api.robot import walk_through
from toolkit.errors import ChoiceRequiredError
from toolkit.flows.consent.consents import consent_on, unlisted_consent
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import running
from toolkit.store import open_store
from toolkit.tables.schema.identity import ConsentRow, InstitutionRow

TODAY = date(2026, 11, 21)
MIA = {"email": "mia.new@example.com", "name": "Mia New"}


def consent(granted: str, ends: str) -> ConsentRow:
    return replace(
        unlisted_consent("h", "arr_1", "eu_1", "70001"),
        consent_id="consent_1",
        granted_at=datetime.fromisoformat(f"{granted}T02:00:00+00:00"),
        ends_at=datetime.fromisoformat(f"{ends}T02:00:00+00:00"),
        raw='{"arrangement_id": "arr", "accountIds": ["a", "b"], "permissions": ["balances"]}',
    )


@pytest.mark.parametrize(
    ("today", "left", "following", "said"),
    [
        ("2026-01-01", 365, "2026-04-01", None),
        ("2026-03-31", 276, "2026-04-01", None),
        ("2026-04-01", 275, "2026-06-30", "shared since 2026-01-01 (90 days): end it if it is no longer needed"),
        ("2026-04-14", 262, "2026-06-30", "shared since 2026-01-01 (103 days): end it if it is no longer needed"),
        ("2026-04-15", 261, "2026-06-30", None),
        ("2026-12-02", 30, "2026-12-27", "sharing ends in 30 days: renew it, or let it end"),
        ("2026-12-31", 1, "2027-03-27", "sharing ends in 1 day: renew it, or let it end"),
    ],
)
def test_a_person_is_reminded_every_ninety_days_and_before_the_end(
    today: str, left: int, following: str, said: str | None
) -> None:
    shown = consent_on(consent("2026-01-01", "2027-01-01"), None, date.fromisoformat(today))
    assert (shown.ends_in_days, shown.next_reminder, shown.reminder) == (
        left,
        date.fromisoformat(following),
        said,
    )


def test_a_consent_ends_after_twelve_months_at_the_latest() -> None:
    assert consent_on(consent("2024-02-29", "2025-02-28"), None, TODAY).limit_at == date(2025, 2, 28)


def test_of_an_ended_consent_nobody_is_reminded() -> None:
    shown = consent_on(consent("2025-01-01", "2026-01-01"), None, TODAY)
    assert (shown.state, shown.ends_in_days, shown.next_reminder, shown.reminder) == (
        "expired",
        None,
        None,
        None,
    )


def test_what_is_shared_and_how_its_connection_is() -> None:
    known = InstitutionRow(
        "70001", "Ironbark Bank", "banking", is_accessible=False, priority=None, connection_status="OUTAGE", raw=None
    )
    shown = consent_on(consent("2026-11-01", "2027-11-01"), known, TODAY)
    assert (shown.accounts, shown.shares) == (2, ("balances",))
    assert (shown.institution, shown.connection, shown.is_accessible) == ("Ironbark Bank", "OUTAGE", False)


@pytest.fixture
def client() -> Iterator[Client]:
    with running(seed=1, today=TODAY, years=1) as service, Client(settings.load(keys_of(service))) as made:
        yield made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def shared(ctx: Context) -> list[dict[str, Any]]:
    return [consent for home in status(ctx)["households"] for consent in home["consents"]]


def test_an_ended_consent_stays_with_its_data_until_it_is_forgotten(ctx: Context, client: Client) -> None:
    connect(ctx, client, **MIA, institution="70001", open_browser=walk_through)
    (before,) = shared(ctx)
    after = end_consent(ctx, client, before["id"])
    assert after.pop("problems") == []
    assert (before["state"], after["state"], after["ends_in_days"]) == ("active", "revoked", None)
    assert shared(ctx) == [after]
    with open_store(ctx.db) as store:
        assert store.rows("end_users")[0]["state"] == "ended"
    with pytest.raises(ChoiceRequiredError):
        end_consent(ctx, client, "arr_unknown")


def test_a_renewed_consent_keeps_its_arrangement(ctx: Context, client: Client) -> None:
    connect(ctx, client, **MIA, institution="70001", open_browser=walk_through)
    (before,) = shared(ctx)
    end_consent(ctx, client, before["id"])
    connect(ctx, client, renew=before["arrangement_id"], open_browser=walk_through)
    (after,) = shared(ctx)
    assert (after["arrangement_id"], after["state"]) == (before["arrangement_id"], "active")
    assert after["id"] != before["id"]


def test_institutions_come_in_the_order_of_the_directory_with_their_health(client: Client) -> None:
    found = institutions(client)["institutions"]
    assert [row["priority"] for row in found] == sorted(row["priority"] for row in found)
    assert {row["connection"] for row in found} == {"HEALTHY", "DEGRADED"}
    assert not all(row["is_accessible"] for row in found)
