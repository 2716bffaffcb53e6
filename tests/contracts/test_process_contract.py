"""Section 1 as processes: first lines, interruptions, pipes, imports, file modes.

A command runs in a process of its own where a signal, a pipe or its imports matter, and within the test's elsewhere.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.command_line import Run

SANDBOX_KEYS = {
    *("base_url", "client_id", "client_secret", "limited_client_id", "limited_client_secret", "redirect_uri", "ca"),
    *("client_cert", "client_key", "webhook_secret", "control_url"),
}


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "toolkit", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


@contextmanager
def serving(*arguments: object, how: signal.Signals = signal.SIGINT) -> Iterator[dict[str, Any]]:
    """The command's first line, until it is ended by a signal: it ends well."""
    process = start(*arguments)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(how)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err


def test_importing_is_light() -> None:
    heavy = "polars pandas streamlit httpx sqlite_utils"
    for said in (
        "import toolkit",
        "import sys; sys.argv = ['toolkit', '--help']; from toolkit.cli.main import main; main()",
    ):
        code = f"import sys, atexit; atexit.register(lambda: print([m for m in '{heavy}'.split() if m in sys.modules]))"
        found = subprocess.run([sys.executable, "-c", f"{code}\n{said}"], capture_output=True, text=True, check=True)
        assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_sandbox_tells_its_first_line_and_ends_well(how: signal.Signals) -> None:
    with serving("sandbox", "--json", "--households", 1, "--years", 1, how=how) as told:
        assert set(told) >= SANDBOX_KEYS
        assert (told["ca"], told["client_cert"], told["client_key"]) == (None, None, None)


def test_a_sync_cut_short_is_made_good_by_the_next(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("sandbox", "--json", "--households", 2, "--years", 1) as told:
        service = {
            "TOOLKIT_BASE_URL": told["base_url"],
            "TOOLKIT_CLIENT_ID": told["client_id"],
            "TOOLKIT_CLIENT_SECRET": told["client_secret"],
            "TOOLKIT_END_USER": told["people"][1][1],
        }
        for name, value in service.items():
            monkeypatch.setenv(name, value)
        cut = start("sync", "--json")
        assert cut.stderr is not None
        cut.stderr.readline()  # it has begun
        cut.send_signal(signal.SIGTERM)
        out, err = cut.communicate(timeout=120)
        assert (cut.returncode, out) == (130, "")
        assert "Traceback" not in err
        assert run("sync", "--json").code == 0
        again = run("sync", "--json")
        assert sum(entry["added"] + entry["removed"] for entry in again.json["resources"]) == 0
        assert told["client_secret"] not in again.out + again.err + err

        monkeypatch.setenv("TOOLKIT_END_USER", "eu_nobody")
        stranger = run("sync", "--json")
        assert (stranger.code, stranger.out) == (1, "")
        monkeypatch.setenv("TOOLKIT_END_USER", service["TOOLKIT_END_USER"])
        monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", "wrong-one")
        wrong = run("sync", "--json")
        assert (wrong.code, "wrong-one" in wrong.err) == (4, False)
        monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", told["client_secret"])
    assert run("sync", "--json").code == 5
    assert len(run("household", "list", "--json").json["households"]) == 1


def test_the_app_asks_for_its_token_and_its_own_host() -> None:
    with serving("app", "--json", "--no-browser", how=signal.SIGTERM) as told:
        url = urlsplit(told["url"])
        assert url.hostname == "127.0.0.1"
        assert url.query

        def status(path: str, **headers: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", url.port or 0, timeout=120)
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            with closing(connection):
                connection.request("GET", path, headers=sent)
                return connection.getresponse().status

        websocket = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        websocket["Sec_WebSocket_Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
        assert status(f"/?{url.query}") == 200
        assert status("/") == 403
        assert status(f"/?{url.query}", Host="elsewhere.example") == 403
        assert status("/_stcore/stream", **websocket) == 403
        assert status(f"/_stcore/stream?{url.query}", Origin="http://elsewhere.example", **websocket) == 403


def test_a_reader_that_leaves_early_is_no_failure_to_tell(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"0{1 + n % 9}/07/2024,-{n}.00,SHOP {n},+1.00\n" for n in range(1, 3000))
    (tmp_path / "bank.csv").write_text(rows)
    assert run("import", tmp_path / "bank.csv").code == 0
    process = start("transactions", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=120)
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_files_and_folders_are_the_persons_own_under_any_umask(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "bank.csv").write_text("01/07/2024,-1.00,SHOP,+1.00\n")
        assert run("import", tmp_path / "bank.csv").code == 0
        kept = run("credentials", "set", "--client-id", "me", "--client-secret", "kept-to-myself", "--json")
        assert (kept.code, "kept-to-myself" in kept.out + kept.err) == (0, False)
        assert run("export", "--out", tmp_path / "out").code == 0
        assert run("backup").code == 0
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), stat.S_IMODE(path.stat().st_mode))
        for root in (home, tmp_path / "out")
        for path in [root, *root.rglob("*")]
    }
    assert modes == {(True, 0o700), (False, 0o600)}
    shown = run("doctor", "--json")
    origins = {entry["name"]: entry["origin"] for entry in shown.json["settings"]}
    assert origins["TOOLKIT_DB"] == "default"
    assert origins["TOOLKIT_CLIENT_ID"].startswith("file")
    assert "kept-to-myself" not in shown.out
    monkeypatch.setenv("TOOLKIT_CLIENT_ID", "other")
    outranked = run("doctor", "--json").json["settings"]
    assert {"name": "TOOLKIT_CLIENT_ID", "value": "other", "origin": "environment"} in outranked


def test_secrets_of_the_environment_are_never_written(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bank.csv").write_text("01/07/2024,-1.00,SHOP,+1.00\n")
    monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", "only-in-memory")
    monkeypatch.setenv("TOOLKIT_WEBHOOK_SECRET", "neither-is-this")
    for command in (
        ("import", tmp_path / "bank.csv"),
        ("credentials", "set", "--client-id", "me"),
        ("doctor", "--json"),
    ):
        said = run(*command)
        assert "only-in-memory" not in said.out + said.err
        assert "neither-is-this" not in said.out + said.err
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"only-in-memory" not in written
    assert b"neither-is-this" not in written
