"""Data in, as text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from toolkit.answers.consents import Connected, ConnectedConsent, Consent, EndedConsent
from toolkit.answers.data import ImportReport
from toolkit.answers.households import (
    Households,
    PackagedConcessions,
    PanelArray,
    Status,
)
from toolkit.answers.sync import Sync
from toolkit.cli.options import in_local_time
from toolkit.cli.output import day, percent, printable, sentence, show_problems, table
from toolkit.flows.household.facts import FACTS
from toolkit.flows.wording import concession_terms, counted


def load(answer: ImportReport) -> Iterator[str]:
    """Show the counts, notes and problems of each imported file."""
    rows = [
        (file.path, file.kind or "–", file.added, file.updated, file.unchanged, file.rejected) for file in answer.files
    ]
    yield from table(("file", "kind", "added", "updated", "unchanged", "rejected"), rows, right=(2, 3, 4, 5))
    for file in answer.files:
        yield from (f"note: {printable(Path(file.path).name)}: {printable(str(note))}" for note in file.notes)
    yield from show_problems(answer)


def connect(answer: Connected) -> Iterator[str]:
    """Show the invitation link if there is one, and the person's consents."""
    if answer.invite_url:
        yield f"Send this link; it works until {day(answer.invite_expires_at or None)}: {answer.invite_url}"
    yield f"Household {printable(answer.household.name)}: end user {answer.end_user_id}"
    for consent in answer.consents:
        yield f"  {_institution(consent)}: {consent.state}{_until(consent)}"
    yield from show_problems(answer)
    yield "Next: toolkit sync"


def _institution(consent: ConnectedConsent | Consent) -> str:
    """Return the institution's name; one that was chosen on the service's pages is known once records come."""
    return printable(consent.institution or "institution not known yet")


def _until(consent: ConnectedConsent | Consent) -> str:
    return f" until {day(consent.ends_at)}" if consent.ends_at else ""


def disconnect(answer: EndedConsent) -> Iterator[str]:
    """Show the consent that was ended, and how to delete its data."""
    yield f"{printable(answer.institution or '–')}: {answer.state}. No more data is fetched under this consent."
    yield from show_problems(answer)
    yield f"To delete its data: toolkit forget --consent {printable(answer.id)}"


def sync(answer: Sync) -> Iterator[str]:
    """Show the counts of each resource."""
    columns = ("fetched", "added", "updated", "unchanged", "removed", "rejected")
    rows = [(entry.resource, *(getattr(entry, column) for column in columns)) for entry in answer.resources]
    yield from table(("resource", *columns), rows, right=range(1, 7))
    yield from show_problems(answer)


def status(answer: Status) -> Iterator[str]:
    """Show each household with its people, consents, dates of resources and meter data."""
    if not answer.households:
        yield "Nothing is stored yet. Try `toolkit demo`, `toolkit import FILE…` or `toolkit connect`."
    for home in answer.households:
        yield f"{printable(home.name)} ({home.id})"
        for user in home.end_users:
            if user.invite_url:
                ends = day(user.invite_expires_at or None)
                yield f"  {printable(user.name or user.id)}: {user.state}, link ends {ends}: {user.invite_url}"
        for consent in home.consents:
            yield from _consent(consent)
        for resource, read_at in home.freshness.items():
            yield f"  {resource}: read {day(in_local_time(read_at))}"
        for meter in home.meter_coverage:
            span = f"{day(meter.from_)} to {day(meter.to)}"
            yield f"  meter {printable(meter.service_point_id)}: {span}, {percent(meter.coverage, 1)} of the time"
        for file in home.files:
            days = (
                "no rows" if file.from_ is None else f"{counted(file.rows, 'row')}, {day(file.from_)} to {day(file.to)}"
            )
            yield f"  file {printable(file.name)}: {printable(file.account_id or file.kind)}, {days}"
    yield from show_problems(answer)


def _consent(consent: Consent) -> Iterator[str]:
    left = consent.ends_in_days
    ends = "" if left is None else f", {counted(left, 'day')} from now"
    yield f"  {_institution(consent)}: {consent.state}{_until(consent)}{ends}"
    if consent.reminder:
        yield f"    reminder: {sentence(consent.reminder)}"
    if consent.state == "active" and consent.connection not in (None, "HEALTHY"):
        yield f"    the connection is {printable(consent.connection)}, so new data may be late"


def households(answer: Households) -> Iterator[str]:
    """Show each household with its facts, and what a merge moved."""
    for home in answer.households:
        archived = f", archived on {day(home.archived_on)}" if home.archived_on else ""
        yield f"{printable(home.name)} ({home.id}){archived}"
        for fact in FACTS:
            value = getattr(home, fact)
            if value not in (None, ()):
                yield f"  {fact.replace('_', ' ')}: {_fact(value)}"
        if home.persons:
            yield f"  people: {printable(', '.join(home.persons))}"
        for each in home.concessions:
            yield f"  concession: {printable(each.name)}, {each.fuel.lower()}: {concession_terms(each)}"
    if answer.moved:
        counts = [f"{number:,} {name.replace('_', ' ')}" for name, number in answer.moved.items()]
        yield f"Moved: {', '.join(counts)}."
    for note in answer.notes or ():
        yield f"note: {sentence(note)}"
    if not answer.households:
        yield "No household yet. Run `toolkit import FILE` or `toolkit household add NAME`."


def packaged_concessions(answer: PackagedConcessions) -> Iterator[str]:
    """Show each concession with who may hold it and where its figures were read."""
    for each in answer.concessions:
        ended = " (ended; figures from then on are not known)" if each.lapsed else ""
        yield f"{each.id}: {each.name}, {each.state}, {each.fuel.lower()}: {concession_terms(each)}{ended}"
        yield f"  who: {each.who}"
        reservation = ", not a government page: check the amount on a bill" if each.secondary else ""
        yield f"  source: {each.source}, read {day(each.read)}{reservation}"


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "; ".join(_array(array) for array in value)
    return day(value) if isinstance(value, date) else printable(value)


def _array(array: PanelArray) -> str:
    """Word panels that face one way, such as `6.6 kW, facing 0°, tilt 20°`."""
    known = (
        array.kw is not None and f"{array.kw:g} kW",
        array.azimuth is not None and f"facing {array.azimuth:g}°",
        array.tilt is not None and f"tilt {array.tilt:g}°",
    )
    return ", ".join(text for text in known if text)
