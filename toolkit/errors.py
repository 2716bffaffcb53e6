"""Every failure the toolkit raises, one class per reaction a caller can have.

    ToolkitError                        exit 1   something failed; the message has what, where and what next
    ├── UsageError                      exit 2   the request itself is wrong: ask differently
    │   └── ChoiceRequiredError         exit 2   several candidates: name one of `choices`
    │       └── SimilarNameError        exit 2   a new name is very close to a known one: confirm that it is new
    ├── FrameError (ValueError)         exit 2   a frame would be read wrongly: mend the column that it names
    ├── SettingsError                   exit 1   a setting is missing or unreadable: set it
    ├── ImportFailedError (ValueError)  exit 1   a file cannot be read at all: another file
    ├── PricingError (ValueError)       exit 1   a plan cannot be priced for this usage: another plan or range
    ├── StoreError                      exit 1   the database cannot do this: see the message
    │   ├── NothingStoredError          exit 1   nothing of that kind is stored yet: import it, or connect
    │   ├── StoreBusyError              exit 1   another process is writing: wait, try again
    │   │   └── NoPlansError            exit 1   no published plan of the fuel is stored: fetch or import some
    │   ├── StoreMissingError           exit 1   the file, or its log, was moved or deleted: put it back, or restore
    │   ├── StoreTooNewError            exit 1   made by a later version: upgrade the toolkit
    │   └── StoreDamagedError           exit 1   the file is damaged: restore a backup
    ├── ServiceError                    exit 1   the service refused or failed
    │   ├── AuthenticationError         exit 4   credentials are missing, wrong, expired or revoked
    │   ├── ConsentRequiredError        exit 4   no consent, or it has ended
    │   ├── RequestRejectedError        exit 1   the service rejected the request (400, 404, 409 …)
    │   ├── RateLimitError              exit 1   too many requests: wait `retry_after` seconds
    │   ├── ServerError                 exit 1   the service failed (5xx): try later
    │   └── InvalidResponseError        exit 1   the response breaks the specification: report it
    └── ConnectionFailedError           exit 5   no response at all: network, address, certificate

What is wrong in *data* is not raised: it is returned as a `Problem` next to the good rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Literal

from toolkit.remedies import Message, marked_wording, page_wording

if TYPE_CHECKING:  # programs that only say what failed load no msgspec
    from toolkit.problems import Problem


class ToolkitError(Exception):
    """Base class; `exit_code` is the exit status of the command line."""

    exit_code: ClassVar[int] = 1

    @property
    def page(self) -> str:
        """Return the message as the pages word it."""
        return page_wording(self.args[0] if self.args else "")

    @property
    def marked(self) -> str:
        """Return that with a mark in place of each remedy."""
        return marked_wording(self.args[0] if self.args else "")


class UsageError(ToolkitError):
    """The request itself is wrong: an option, a name or a range; `option`: as typed (`--to`), "" where it is none."""

    exit_code = 2

    def __init__(self, message: str, *, option: str = "") -> None:
        super().__init__(message)
        self.option = option


def refusals_of(*checks: Callable[[], object]) -> list[UsageError]:
    """Run each check, and return what is wrong by those that raise UsageError."""
    refused = []
    for check in checks:
        try:
            check()
        except UsageError as error:
            refused.append(error)
    return refused


class ChoiceRequiredError(UsageError):
    """Several candidates where one is needed, or no candidate of that name.

    `choices` are the accepted names, `question` is the message without them.
    """

    def __init__(self, message: str, choices: list[str], *, option: str = "") -> None:
        whole = Message(message, f" Choose one of: {', '.join(choices)}." if choices else "")
        whole.marked = marked_wording(message)
        super().__init__(whole, option=option)
        self.question, self.choices = message, choices


class PlanRequiredError(ChoiceRequiredError):
    """Several stored plans could be the one that the home is on. `choices` are their ids, which no page shows."""

    @property
    def page(self) -> str:
        """Return the question as the pages word it."""
        return page_wording(self.question)

    @property
    def marked(self) -> str:
        """Return what is so for those who cannot choose."""
        return "the plan that this home is on is not known."


class SimilarNameError(ChoiceRequiredError):
    """An unknown name that is very close to one of `choices`."""


class FrameError(ToolkitError, ValueError):
    """A frame, or another argument of a public function, would be read wrongly.

    The message names the column and the first row. It is a ValueError as well.

    Examples:
        >>> bank = pl.DataFrame({"when": [first, last], "aud": [-45.60, -4.405], "words": ["SHOP", "CAFE"]})
        >>> try:
        ...     toolkit.transactions(bank, date="when", amount="aud", description="words")
        ... except toolkit.FrameError as error:
        ...     print(error)
        Column 'aud', row 1: -4.405 is not a whole number of cents.
    """

    exit_code = 2


class InputWarning(UserWarning):
    r"""Input that was left out, or taken with a doubt; `problems`: all of them, where the warning speaks of several.

    Examples:
        >>> import warnings
        >>> from pathlib import Path
        >>> _ = Path("bank.csv").write_text('01/06/2026,"-45.60","SHOP","+1954.40"\n31/31/2026,"-4.40","CAFE",""\n')
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     rows, _ = toolkit.read_transactions("bank.csv", account="Everyday")
        >>> rows.height, [(problem.where, problem.severity) for problem in caught[0].message.problems]
        (1, [('bank.csv:2', 'rejected')])
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class SettingsError(ToolkitError):
    """A setting is missing or unreadable."""


class FleetError(ToolkitError):
    """Work on many households cannot go on: no scheduler, or no worker."""


class ImportFailedError(ToolkitError, ValueError):
    """A whole file cannot be read; `where` is `file` or `file:line`."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(Message(where, ": ", reason))
        self.where, self.reason = where, reason


class PricingError(ToolkitError, ValueError):
    """A plan cannot be priced for this usage."""

    def __init__(self, plan_id: str, reason: str) -> None:
        message = Message(f"plan {plan_id}: ", reason)
        # A page names plans by what people call them.
        message.page, message.marked = page_wording(reason), marked_wording(reason)
        super().__init__(message)
        self.plan_id, self.reason = plan_id, reason


class StoreError(ToolkitError):
    """The database cannot do what was asked."""


class StoreBusyError(StoreError):
    """Another process is writing to the database."""


Stored = Literal["data", "plan", "published plan", "meter data", "read", "invoice"]


class NothingStoredError(StoreError):
    """Nothing of the kind asked for is stored yet; `missing`: that kind, `data` where the store is empty."""

    def __init__(self, message: str, missing: Stored) -> None:
        super().__init__(message)
        self.missing = missing


class StoreMissingError(StoreError):
    """The database file, or its write-ahead log, was moved, deleted or replaced."""


class NoPlansError(NothingStoredError):
    """No published plan of the fuel is stored."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "published plan")


class StoreTooNewError(StoreError):
    """A later version of the toolkit made the database."""


class StoreDamagedError(StoreError):
    """The database file is damaged."""


class ServiceError(ToolkitError):
    """The service refused the request or failed.

    status: HTTP status (None where the response was broken).
    name: the service's stable error name; for a response that breaks the specification, the client's own name of the
        fault (`repeated_page`, `other_address`, `too_large` …).
    reference: its support reference (`err_…`), to quote to the service's support.
    """

    def __init__(self, message: str, *, status: int | None = None, name: str = "", reference: str = "") -> None:
        super().__init__(message)
        self.status, self.name, self.reference = status, name, reference


class AuthenticationError(ServiceError):
    """Credentials are missing, wrong, expired or revoked."""

    exit_code = 4


class ConsentRequiredError(ServiceError):
    """There is no consent, or it has ended."""

    exit_code = 4


class RequestRejectedError(ServiceError):
    """The service rejected the request (400, 404, 409 …)."""


class RateLimitError(ServiceError):
    """Too many requests; `retry_after`: seconds to wait, None where the service names none."""

    def __init__(self, message: str, *, retry_after: float | None = None, name: str = "", reference: str = "") -> None:
        super().__init__(message, status=429, name=name, reference=reference)
        self.retry_after = retry_after


class ServerError(ServiceError):
    """The service failed (5xx)."""


class InvalidResponseError(ServiceError):
    """The response breaks the specification."""


class ConnectionFailedError(ToolkitError):
    """No response at all: network, address or certificate."""

    exit_code = 5
