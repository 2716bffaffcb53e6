"""Every failure the toolkit raises, one class per reaction a caller can have.

    ToolkitError                      exit 1   something failed; the message says what, where, what next
    ├── WrongUsage                    exit 2   the question itself is off: ask differently
    │   └── ChoiceNeeded              exit 2   several candidates: name one of `choices`
    │       └── NameTooClose          exit 2   a new name is nearly a known one: say that it is new
    ├── SettingsError                 exit 1   a setting is missing or unreadable: set it
    ├── ImportFailed (ValueError)     exit 1   a file cannot be read at all: another file
    ├── CannotPrice (ValueError)      exit 1   a plan cannot be priced for this usage: another plan or range
    ├── StoreError                    exit 1   the database cannot do this: see the message
    │   ├── StoreBusy                 exit 1   another process is writing: wait, try again
    │   ├── NothingToCompare          exit 1   no published plan of the fuel is stored: fetch or import some
    │   ├── StoreTooNew               exit 1   made by a later version: upgrade the toolkit
    │   └── StoreDamaged              exit 1   the file is not whole: restore a backup
    ├── ServiceError                  exit 1   the service refused or failed
    │   ├── SignInNeeded              exit 4   credentials are missing, wrong, expired or revoked
    │   ├── ConsentNeeded             exit 4   no consent, or it has ended
    │   ├── Refused                   exit 1   the request was not acceptable (400, 404, 409 …)
    │   ├── RateLimited               exit 1   too many requests: wait `retry_after` seconds
    │   ├── ServerFault               exit 1   the service failed (5xx): try later
    │   └── BadAnswer                 exit 1   the answer breaks the specification: report it
    └── Unreachable                   exit 5   no answer at all: network, address, certificate

What is wrong in *data* is not raised: it is a `Problem` beside the good rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Severity = Literal["rejected", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing in the user's own input or the service's records that was not taken as it is.

    where: `file:line` or the record's id. severity: `rejected` (left out) or `warning` (taken, but look at it).
    """

    where: str
    reason: str
    severity: Severity = "rejected"

    def as_json(self) -> dict[str, str]:
        return {"where": self.where, "reason": self.reason, "severity": self.severity}


class ToolkitError(Exception):
    """Base of all; `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = 1


class WrongUsage(ToolkitError):
    exit_code = 2


class ChoiceNeeded(WrongUsage):
    """Several candidates where one is needed, or none of that name; `choices` are what may be said."""

    def __init__(self, message: str, choices: list[str]) -> None:
        super().__init__(f"{message} Choose one of: {', '.join(choices)}." if choices else message)
        self.choices = choices


class NameTooClose(ChoiceNeeded):
    """A name that nothing has, nearly that of one of `choices`."""


class SettingsError(ToolkitError):
    pass


class ImportFailed(ToolkitError, ValueError):
    """A whole file that cannot be read; `where` is `file` or `file:line`."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where, self.reason = where, reason


class CannotPrice(ToolkitError, ValueError):
    def __init__(self, plan_id: str, reason: str) -> None:
        super().__init__(f"plan {plan_id}: {reason}")
        self.plan_id, self.reason = plan_id, reason


class StoreError(ToolkitError):
    pass


class StoreBusy(StoreError):
    pass


class NothingToCompare(StoreError):
    pass


class StoreTooNew(StoreError):
    pass


class StoreDamaged(StoreError):
    pass


class ServiceError(ToolkitError):
    """The service answered, but not with what was asked.

    status: HTTP status (None where the answer was broken). name: the service's stable error name.
    reference: its support handle (`err_…`), to be quoted to the service's support.
    """

    def __init__(self, message: str, *, status: int | None = None, name: str = "", reference: str = "") -> None:
        super().__init__(message)
        self.status, self.name, self.reference = status, name, reference


class SignInNeeded(ServiceError):
    exit_code = 4


class ConsentNeeded(ServiceError):
    exit_code = 4


class Refused(ServiceError):
    pass


class RateLimited(ServiceError):
    def __init__(self, message: str, *, retry_after: float | None = None, name: str = "", reference: str = "") -> None:
        super().__init__(message, status=429, name=name, reference=reference)
        self.retry_after = retry_after


class ServerFault(ServiceError):
    pass


class BadAnswer(ServiceError):
    pass


class Unreachable(ToolkitError):
    exit_code = 5
