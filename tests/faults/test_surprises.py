"""Generated schema surprises: nothing crashes, and every record is stored as it was given or in quarantine by name.

A stored record's fields that could not be read are warned of by name.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.faults.surprises import surprising
from tests.flows.sync.written import WrittenService
from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import running
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.sync.list_sync import LISTS
from toolkit.tables.schema import STORED

MUTATIONS = count("MUTATIONS", 500)
AT_ONCE = 100
KEPT_APART = 40
Records = dict[str, list[dict[str, Any]]]


class Whole(WrittenService):
    """All records of a list once, whatever is asked for: the surprise may be in the field that is asked by."""

    def pages(self, resource: str, *, start: str | None = None, **parameters: str) -> Iterator[Any]:
        pages = list(super().pages(resource))
        self.lists[resource] = []
        return iter(pages)


@pytest.fixture(scope="module")
def records() -> Records:
    """Some of every list of the sandbox, as it gives them."""
    found: Records = defaultdict(list)
    with running(today=TODAY, households=2, years=1) as sandbox, Client(load({}, keys_of(sandbox))) as client:
        for _, end_user, _ in sandbox.people:
            for resource in (*LISTS, "banking.transactions", "energy.usage"):
                page = next(client.pages(resource, end_user_id=end_user, page_size=KEPT_APART))
                found[resource] += [json.loads(raw) for raw in page.raws]
    return found


def changed(records: Records, chance: random.Random, number: int) -> Records:
    """So many surprising records, one list as likely as another; the identity is another one each time."""
    made: Records = defaultdict(list)
    for nth in range(number):
        resource = chance.choice(sorted(records))
        record = chance.choice(records[resource])
        made[resource].append(surprising({**record, **_own(resource, nth)}, chance))
    return made


def _own(resource: str, nth: int) -> dict[str, Any]:
    """What makes a record another one: its identity; of reads, the day."""
    day = str(date(2000, 1, 1) + timedelta(nth))
    days = {"read_start_date": day, "read_end_date": day} if resource == "energy.usage" else {}
    return {"platform_id": f"{resource}-{nth}", **days}


def served(given: Records) -> Whole:
    service = Whole()
    service.page_size = KEPT_APART
    for resource, listed in given.items():
        service.lists[resource] = list(listed)
    service.lists["banking.accounts"].append({"platform_id": "sound", "account_id": "a", "institution_id": "bank"})
    service.lists["energy.service_points"].append({"platform_id": "sound", "service_point_id": "sp"})
    return service


def raws(db: Path) -> dict[str, set[str]]:
    """Every raw record that is kept, in a table or in quarantine, by resource."""
    found: dict[str, set[str]] = defaultdict(set)
    with open_store(db) as store:
        assert store.damage() == []
        for table in STORED:
            if table.resource and "raw" in table.names:
                found[table.resource] |= {row[0] for row in store.tuples(table.name, ("raw",)) if row[0]}
        for resource, raw in store.tuples("quarantine", ("resource", "raw")):
            found[resource].add(raw)
    return found


def comparable(resource: str, raw: str) -> str:
    """A usage record is kept without its values, which the register-day holds."""
    record = json.loads(raw)
    inner = record.get("interval_read") if resource == "energy.usage" else None
    if isinstance(inner, dict):
        inner.pop("interval_reads", None)
    return json.dumps(record, sort_keys=True)


def lost(given: Records, raw_records: dict[str, set[str]]) -> list[tuple[str, dict[str, Any]]]:
    kept = {resource: {comparable(resource, raw) for raw in found} for resource, found in raw_records.items()}
    return [
        (resource, record)
        for resource, listed in given.items()
        for record in listed
        if comparable(resource, json.dumps(record)) not in kept.get(resource, ())
        and not _replaced(resource, record, listed)
    ]


def of_text(records: Records) -> dict[str, set[str]]:
    """Fields of each list that hold text: an object, a list or a truth value there cannot be read."""
    return {
        resource: {name for record in listed for name, value in record.items() if isinstance(value, str)}
        for resource, listed in records.items()
    }


def unreadable(given: Records, texts: dict[str, set[str]], quarantined: set[str]) -> set[tuple[str, str]]:
    """What must be warned of: such a field in a record that was taken."""
    return {
        (resource, name)
        for resource, listed in given.items()
        for record in listed
        if json.dumps(record) not in quarantined
        for name, value in record.items()
        if name in texts[resource] and isinstance(value, dict | list | bool)
    }


def is_told(reason: str, resource: str, name: str) -> bool:
    return reason.startswith(f"{resource}: ") and f"`{name}` is left empty" in reason


def test_nothing_crashes_and_nothing_is_lost(records: Records, tmp_path: Path) -> None:
    chance, rejected, texts, emptied = random.Random(18), 0, of_text(records), 0
    for start in range(0, MUTATIONS, AT_ONCE):
        given = changed(records, chance, min(AT_ONCE, MUTATIONS - start))
        db = tmp_path / f"{start}.db"
        answer = sync(Context(db, TODAY), served(given), end_user="eu")
        assert answer["failed"] == []
        for entry in answer["resources"]:
            assert entry["fetched"] == entry["added"] + entry["updated"] + entry["unchanged"] + entry["rejected"], entry
        named = {problem["where"] for problem in answer["problems"] if problem["severity"] == "rejected"}
        warned = [problem["reason"] for problem in answer["problems"] if problem["severity"] == "warning"]
        rejected += sum(entry["rejected"] for entry in answer["resources"])
        assert lost(given, raws(db)) == []
        with open_store(db) as store:
            quarantine = store.rows("quarantine")
        assert {row["id"] for row in quarantine} <= named
        odd = unreadable(given, texts, {row["raw"] for row in quarantine})
        emptied += len(odd)
        assert [field for field in sorted(odd) if not any(is_told(reason, *field) for reason in warned)] == []
        db.unlink()
    assert emptied
    print(f"{MUTATIONS} surprises: {MUTATIONS - rejected} stored, {rejected} in quarantine by name, 0 lost")


def _replaced(resource: str, record: dict[str, Any], listed: list[dict[str, Any]]) -> bool:
    """Whether a later record of the list says that it is the same thing: the service's own word, not a loss."""
    names = ("service_point_id", "meter_id", "register_suffix", "read_start_date")
    own = ("platform_id",) if resource != "energy.usage" else names

    def known(of: dict[str, Any]) -> str:
        return json.dumps([of.get(name) for name in own])

    return [known(other) for other in listed].count(known(record)) > 1
