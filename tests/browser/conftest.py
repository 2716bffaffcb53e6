"""A database filled by the embedded service, the app over it, and a browser."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.keys import keys_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

TODAY = date(2026, 6, 20)
HOSTILE = "![x](https://evil.example/i) [a](//evil.example) www.evil.example <img src=x> :material/delete: $x^2$"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
PROGRAM = """
import faulthandler
import signal
import sys
from datetime import date
from pathlib import Path
from toolkit.pages.server.launch import launch
faulthandler.register(signal.SIGUSR1)
today = date.fromisoformat(sys.argv[2])
launch(Path(sys.argv[1]), port=None, open_browser=False, announce=lambda url: print(url, flush=True), today=today)
"""


@pytest.fixture(scope="session")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two households, pulled over real HTTP."""
    from tests.json_answers import connect, sync
    from toolkit.flows.consent.sandbox import sandbox
    from toolkit.flows.consent.service import service
    from toolkit.flows.household.context import Context
    from toolkit.settings import load

    ctx = Context(tmp_path_factory.mktemp("connected") / "household.db", TODAY)
    pulled = sandbox(seed=1, today=TODAY, households=2, years=1)
    with pulled as running, service(load(keys_of(running), {})) as client:
        for _, end_user, _ in running.people:
            connect(ctx, client, end_user=end_user, open_browser=print)
        answer = sync(ctx, client)
    assert not answer["problems"]
    return ctx.db


_servers: set[subprocess.Popen[str]] = set()


def show_threads() -> None:
    """Have each running app write where its threads stand, beside what a failed test shows."""
    for process in _servers:
        process.send_signal(signal.SIGUSR1)
    if _servers:
        time.sleep(1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    try:
        return (yield)
    except Exception:
        show_threads()
        raise


@contextmanager
def serving(db: Path, cwd: Path, today: date = TODAY, *, program: str = PROGRAM) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", program, str(db), str(today)], stdout=subprocess.PIPE, text=True, cwd=cwd
    ) as process:
        assert process.stdout is not None
        _servers.add(process)
        try:
            yield process.stdout.readline().strip()
        except Exception:
            show_threads()
            raise
        finally:
            _servers.discard(process)
            process.terminate()
            process.wait(timeout=20)


@pytest.fixture
def address(connected: Path, tmp_path: Path) -> Iterator[str]:
    """Where the app answers, with its token; started away from the checkout, as an installed one is."""
    with serving(connected, tmp_path) as url:
        yield url


@pytest.fixture
def hostile_address(tmp_path: Path) -> Iterator[str]:
    """An app over one household whose name is an attack, and no data."""
    from toolkit.flows.household.context import Context
    from toolkit.flows.household.listed import add_home

    db = tmp_path / "hostile" / "household.db"
    add_home(Context(db, TODAY), HOSTILE)
    with serving(db, tmp_path) as url:
        yield url


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """Chromium of the system. None on the PATH is a failure, not a skip: the pages would go unseen."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no chromium on the PATH; Debian: apt-get install chromium"
    browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
    yield browser
    browser.close()


@pytest.fixture
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, launched(playwright) as browser:
        yield browser


@pytest.fixture
def register_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The embedded register, as setting of the app, whose data folder is empty."""
    from toolkit.sandbox.serve import running

    with running(seed=1, today=TODAY, households=1, years=1) as sandbox:
        monkeypatch.setenv("TOOLKIT_REGISTER_URL", sandbox.register_url)
        monkeypatch.setenv("TOOLKIT_DATA_DIR", str(tmp_path / "data"))
        yield sandbox.register_url
