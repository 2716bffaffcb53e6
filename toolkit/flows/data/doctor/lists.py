"""Check that the service's lists of records answer, and keep one record as a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolkit.answers.data import Check
from toolkit.api.client import Client
from toolkit.errors import ConsentRequiredError, ServerError, ServiceError

LISTS = ("banking.accounts", "energy.accounts")
_NOBODY = "doctor"


@dataclass
class DataLists:
    """Results. answered: lists that answered. failed: lists that did not, and why. record: a raw record of one."""

    answered: set[str] = field(default_factory=set)
    failed: dict[str, ServiceError] = field(default_factory=dict)
    record: bytes | None = None

    @property
    def checks(self) -> list[Check]:
        """An error where no list answers, a warning where one does not; nothing where nobody shares anything."""
        failing = {name: error for name, error in self.failed.items() if name not in self.answered}
        if failing and not self.answered:
            return [Check("data", "error", f"No list of records answers: {_reasons(failing)}")]
        if failing:
            return [Check("data", "warning", f"Some lists of records do not answer: {_reasons(failing)}")]
        return [Check("data", "ok", "The lists of records answer.")] if self.answered else []


def look_at_data(client: Client, people: Sequence[str], end_user: str | None) -> DataLists:
    """Request accounts of these people until one is returned. end_user: the configured one, requested first.

    A missing consent is not a failure of a list. Without people an unknown id is requested, and only a server error
    counts as a failure.
    """
    looked = DataLists()
    known = [*dict.fromkeys([*([end_user] if end_user else []), *people])]
    for person in known or [_NOBODY]:
        for name in LISTS:
            _look(client, looked, name, person)
        if looked.record is not None:
            break
    return looked


def _look(client: Client, looked: DataLists, name: str, person: str) -> None:
    if isinstance(looked.failed.get(name), ServerError):
        return
    try:
        page = next(client.pages(name, end_user_id=person, page_size=1))
    except ConsentRequiredError:
        return
    except ServiceError as error:
        if person != _NOBODY or isinstance(error, ServerError):
            looked.failed[name] = error
        return
    looked.answered.add(name)
    raws = [*page.raws, *(rejected.raw for rejected in page.rejected)]
    if looked.record is None and raws:
        looked.record = raws[0]


def _reasons(failing: dict[str, ServiceError]) -> str:
    return " ".join(str(error) for error in failing.values())
