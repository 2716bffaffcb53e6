"""Locked pages: the token that is replaced, the passphrase, a second start, and what the Settings page keeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from streamlit.testing.v1 import AppTest

from tests.pages.seen import read
from toolkit import settings
from toolkit.pages.lock import CLOSED, LOCKED
from toolkit.pages.server import idle, passphrase, running
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.guard import Guard
from toolkit.pages.server.launch import launch
from toolkit.pages.server.launch_settings import Launch

Visit = Callable[..., AppTest]
WORDS = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_kept_from_another_test() -> Iterator[None]:
    passphrase.TRIES.wrong, passphrase.TRIES.next_at = 0, 0.0
    yield
    settings.clear_credentials()


def titles(test: AppTest) -> list[str]:
    return [title.value for title in test.title]


def enter(test: AppTest, label: str, text: str) -> None:
    next(field for field in test.text_input if field.label == label).set_value(text)


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def test_a_replaced_token_locks_open_pages_and_their_address(db: Path, visit: Visit) -> None:
    test = visit(db, "data")
    assert titles(test) == ["Data"]
    renewed = launched.renew()
    assert renewed is not None
    test.run()
    assert titles(test) == [LOCKED]
    assert "Sentinel" not in read(test)
    assert launched.current() == renewed
    assert renewed.token != "secret"


def test_neither_the_old_address_nor_its_cookie_opens_anything_after_the_idle_time(db: Path) -> None:
    async def page(_request: object) -> PlainTextResponse:
        return PlainTextResponse("figures")

    started = Launch(db, "first")
    launched.begin(started)
    app = Guard(Starlette(routes=[Route("/", page)]), launch=started, port=80)

    async def visits() -> None:
        transport = httpx.ASGITransport(app)
        at, host = "http://127.0.0.1", {"host": "127.0.0.1:80"}
        async with httpx.AsyncClient(transport=transport, base_url=at, headers=host) as browser:
            assert (await browser.get("/?token=first")).text == "figures"
            assert (await browser.get("/")).text == "figures"  # by its cookie
            renewed = launched.renew()
            assert renewed is not None
            assert (await browser.get("/")).status_code == 403
            assert (await browser.get("/?token=first")).status_code == 403
            answer = await browser.get(f"/?token={renewed.token}")
            assert (answer.text, answer.headers["cache-control"]) == ("figures", "no-store")

    asyncio.run(visits())
    launched.begin(None)


class Unused(idle.LastUse):
    """An app that nobody has used for so many seconds."""

    seconds = 59.0

    def idle_seconds(self) -> float:
        return self.seconds


def test_the_lock_comes_after_the_idle_time_and_not_before() -> None:
    locked = threading.Event()
    use = Unused()
    idle.watch(lambda: 1, locked.set, use, every=0.01)
    assert not locked.wait(0.3)
    use.seconds = 60.0
    assert locked.wait(30)


def test_a_passphrase_guards_every_page(db: Path, visit: Visit) -> None:
    settings.save_choices({"TOOLKIT_PASSPHRASE": passphrase.hashed(WORDS)})
    test = visit(db, "data")
    assert titles(test) == [CLOSED]
    assert "Sentinel" not in read(test)
    enter(test, "Passphrase", "wrong")
    assert titles(press(test, "Open")) == [CLOSED]
    enter(test, "Passphrase", WORDS)
    assert titles(press(test, "Open")) == ["Data"]
    launched.renew()
    settings.save_choices({"TOOLKIT_PASSPHRASE": None})  # whoever can write the settings file resets it
    assert titles(visit(db, "data")) == ["Data"]


def test_lock_now_asks_for_the_passphrase_on_every_open_page(db: Path, visit: Visit) -> None:
    test = visit(db, "overview")
    assert not [button for button in test.button if button.label == "Lock now"]  # no passphrase is set
    settings.save_choices({"TOOLKIT_PASSPHRASE": passphrase.hashed("quiet magpie 9")})
    test.run()
    enter(test, "Passphrase", "quiet magpie 9")
    press(test, "Open")
    other = visit(db, "data")
    assert titles(other) == ["Data"]
    press(test, "Lock now")
    assert titles(test) == titles(other.run()) == [CLOSED]


def test_the_passphrase_is_asked_for_again_once_the_last_page_was_closed(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [100.0]
    monkeypatch.setattr(launched.time, "monotonic", lambda: seconds[0])
    started = Launch(db, "first")
    launched.begin(started)
    scope = {"type": "websocket", "path": "/", "query_string": b"token=first", "headers": [(b"host", b"127.0.0.1:80")]}
    seen: list[bool] = []
    others: list[str] = []

    async def page(*_: object) -> None:
        seen.append(launched.is_admitted(started))
        if others:
            others.pop()
            await visit_after(60)

    async def visit_after(pause: float) -> None:
        seconds[0] += pause
        await door(scope, page, page)

    door = Guard(page, launch=started, port=80)
    launched.admit(started)
    asyncio.run(visit_after(60))
    launched.admit(started)
    asyncio.run(visit_after(4))  # loaded again
    others.append("a second tab, a minute after the first one, which is open")
    asyncio.run(visit_after(4))
    asyncio.run(visit_after(6))
    launched.begin(None)
    assert seen == [False, True, True, True, False]


def test_wrong_tries_are_slowed() -> None:
    kept = passphrase.hashed(WORDS)
    tries = passphrase.Tries()
    assert [tries.opens("wrong", kept) for _ in range(3)] == [False] * 3
    assert tries.wait_seconds() > 0
    assert not tries.opens(WORDS, kept)


def test_only_a_hash_is_kept_and_nothing_is_shown(db: Path, visit: Visit, home: Path) -> None:
    test = visit(db, "settings")
    enter(test, "New passphrase", WORDS)
    enter(test, "New passphrase again", WORDS + "!")
    press(test, "Save passphrase")
    assert settings.load().passphrase is None
    enter(test, "New passphrase", WORDS)
    enter(test, "New passphrase again", WORDS)
    press(test, "Save passphrase")
    kept = settings.load().passphrase
    assert kept is not None
    assert passphrase.is_right(WORDS, kept.reveal())
    assert WORDS not in settings.settings_file().read_text()
    assert settings.load().origins["TOOLKIT_PASSPHRASE"].value == settings.HIDDEN


def test_the_settings_page_keeps_choices_and_the_service(db: Path, visit: Visit) -> None:
    test = visit(db, "settings")
    test.toggle[0].set_value(False).run()
    assert not settings.load().auto_update
    test.selectbox(key="idle-minutes").set_value(30).run()
    assert settings.load().idle_minutes == 30
    enter(test, "Address of the service", "http://example.com")
    press(test, "Save")
    assert len(test.error) == 1
    assert "TOOLKIT" not in test.error[0].value
    enter(test, "Address of the service", "https://api.example.com")
    enter(test, "Client secret", "only-for-now")
    press(test, "Save")
    known = settings.load()
    assert known.base_url == "https://api.example.com"
    assert known.client_secret is not None
    assert "only-for-now" not in settings.settings_file().read_text()  # this machine has no keyring


def test_a_second_start_opens_the_running_app(served: str, db: Path) -> None:
    announced: list[str] = []
    launch(db, port=None, open_browser=False, announce=announced.append)
    assert announced == [served]
    assert running.find(db.with_name("other.db")) is None
