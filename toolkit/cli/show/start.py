"""First steps as text."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.answers.data import Checkup, Credentials, SandboxAddress, Setting
from toolkit.answers.start import Demo, Shortcut
from toolkit.cli.output import printable
from toolkit.cli.show import energy, money

MARKS = {"ok": "✓", "warning": "!", "error": "✗"}


def demo(answer: Demo) -> Iterator[str]:
    """Yield the four answers in their shortest form."""
    sections = (
        ("Where does the money go?", money.spending(answer.spending)),
        ("What will the next power bill be?", energy.forecast(answer.forecast)),
        ("When is power used?", energy.usage(answer.usage)),
        ("What is the solar worth?", energy.solar(answer.solar)),
    )
    for question, lines in sections:
        yield ""
        yield question
        yield "─" * len(question)
        yield from lines
    yield ""
    yield f"This household is invented. Its data is in {printable(answer.db)}."


def sandbox(address: SandboxAddress) -> Iterator[str]:
    """Show addresses and credentials of the embedded service, and its invented people."""
    yield f"The embedded service listens at {address.base_url} until Ctrl-C."
    for name in address.__struct_fields__:
        value = getattr(address, name)
        if value is not None and name != "people":
            yield f"  {name}: {printable(value)}"
    yield "Who lives there:"
    yield from (f"  {email}: {end_user}, {kind}" for email, end_user, kind in address.people)
    yield "Use it: set TOOLKIT_BASE_URL, TOOLKIT_CLIENT_ID and TOOLKIT_CLIENT_SECRET, then `toolkit connect`."


def doctor(answer: Checkup) -> Iterator[str]:
    """Show the settings in force and the result of each check."""
    yield "Settings"
    for setting in answer.settings:
        yield f"  {_setting(setting)}"
    yield "Checks"
    for check in answer.checks:
        yield f"  {MARKS[check.state]} {check.name}: {printable(check.message)}"


def credentials(answer: Credentials) -> Iterator[str]:
    """Show which credentials are set, and where each comes from."""
    for setting in answer.credentials:
        yield _setting(setting)


def _setting(setting: Setting) -> str:
    value = "–" if setting.value is None else printable(setting.value)
    return f"{setting.name} = {value}  ({setting.origin})"


def shortcut(answer: Shortcut) -> Iterator[str]:
    """Say where the icon is."""
    yield f"The icon is {printable(answer.path)}. It starts the app, or opens the one that runs."
