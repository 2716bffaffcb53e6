"""The table of all households with figures as stored: `desk`. What works them out is `refresh`."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime

from toolkit.analytics.consents import state_on
from toolkit.answers.insights import Desk, DeskConsent, DeskHousehold, DeskLink, LinkState
from toolkit.flows.desk.stored import Figures, basis_of, figures_of
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.store.connection import is_stored
from toolkit.tables.schema.desk import HouseholdFiguresRow
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, HouseholdRow

NOT_KNOWN = Figures(date.min, None, None, None, None, None, [], [])
"""Of a household with figures that have not been worked out yet."""


def desk(ctx: Context) -> Desk:
    """List every household that is not archived, by name, with its figures as stored; nothing is worked out."""
    if not is_stored(ctx.db):
        return Desk(households=())
    with open_store(ctx.db) as store:
        homes = sorted(store.load(HouseholdRow), key=lambda row: (row.name.casefold(), row.household_id))
        figures = {row.household_id: row for row in store.load(HouseholdFiguresRow)}
        consents: dict[str, list[ConsentRow]] = defaultdict(list)
        for consent in store.load(ConsentRow):
            consents[consent.household_id].append(consent)
        people: dict[str, list[EndUserRow]] = defaultdict(list)
        for person in store.load(EndUserRow):
            people[person.household_id].append(person)
    now = ctx.now()
    on_desk = [home for home in homes if home.archived_on is None]
    return Desk(
        households=tuple(
            _household(
                home,
                figures.get(home.household_id),
                consents[home.household_id],
                people[home.household_id],
                ctx.today,
                now,
            )
            for home in on_desk
        ),
        archived=len(homes) - len(on_desk),
    )


def _household(
    home: HouseholdRow,
    stored: HouseholdFiguresRow | None,
    consents: list[ConsentRow],
    people: list[EndUserRow],
    today: date,
    now: datetime,
) -> DeskHousehold:
    figures = figures_of(stored) if stored else NOT_KNOWN
    active = [row for row in consents if state_on(row, today) == "active"]
    active.sort(key=lambda row: (str(row.ends_at), row.arrangement_id))
    return DeskHousehold(
        id=home.household_id,
        name=home.name,
        data_to=figures.data_to,
        next_bill=figures.next_bill,
        saving=figures.saving,
        low_point=figures.low_point,
        accounts_left_out=sum(insight.kind == "account" for insight in figures.insights) if stored else None,
        bills_that_differ=figures.bills_that_differ,
        consents=tuple(
            DeskConsent(row.granted_at.date() if row.granted_at else None, home.purpose, row.ends_at) for row in active
        ),
        links=tuple(link for person in people if (link := _link(person, now))),
        purpose=home.purpose,
        follow_up=home.follow_up,
        note=home.note,
        as_of=stored.as_of if stored else None,
    )


def _link(person: EndUserRow, now: datetime) -> DeskLink | None:
    """Return the state of a person's consent link at `now`; None where no link was made."""
    if person.invite_url is None:
        return DeskLink(person.invited_at, "done") if person.invited_at else None
    expires = person.invite_expires_at
    state: LinkState = "expired" if expires is not None and expires <= now else "sent"
    return DeskLink(person.invited_at, state)


def out_of_date(ctx: Context) -> list[str]:
    """Return the households on the desk with figures of another day, or of data that has changed, oldest first."""
    if not is_stored(ctx.db):
        return []
    with open_store(ctx.db) as store:
        homes = [row.household_id for row in store.load(HouseholdRow) if row.archived_on is None]
        stored = {row.household_id: row for row in store.load(HouseholdFiguresRow)}
        basis = basis_of(store, homes)
    changed = [
        home
        for home in homes
        if home not in stored or stored[home].as_of != ctx.today or stored[home].basis != basis[home]
    ]
    return sorted(changed, key=lambda home: (stored[home].as_of if home in stored else date.min, home))
