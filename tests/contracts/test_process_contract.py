"""Section 1 as processes: first lines, interruptions, pipes, imports, file modes."""

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

SANDBOX_KEYS = {
    *("base_url", "client_id", "client_secret", "limited_client_id", "limited_client_secret", "redirect_uri", "ca"),
    *("client_cert", "client_key", "webhook_secret", "control_url"),
}


def start(*arguments: object, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "toolkit", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **more})


def ended(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    process = start(*arguments, **more)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


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


def test_a_sync_cut_short_is_made_good_by_the_next(home: Path) -> None:
    with serving("sandbox", "--json", "--households", 2, "--years", 1) as told:
        service = {
            "TOOLKIT_BASE_URL": told["base_url"],
            "TOOLKIT_CLIENT_ID": told["client_id"],
            "TOOLKIT_CLIENT_SECRET": told["client_secret"],
            "TOOLKIT_END_USER": told["people"][1][1],
        }
        cut = start("sync", "--json", **service)
        assert cut.stderr is not None
        cut.stderr.readline()  # it has begun
        cut.send_signal(signal.SIGTERM)
        out, err = cut.communicate(timeout=120)
        assert (cut.returncode, out) == (130, "")
        assert "Traceback" not in err
        assert ended("sync", "--json", **service).returncode == 0
        again = ended("sync", "--json", **service)
        assert sum(entry["added"] + entry["removed"] for entry in json.loads(again.stdout)["resources"]) == 0
        assert told["client_secret"] not in again.stdout + again.stderr + err

        stranger = ended("sync", "--json", **{**service, "TOOLKIT_END_USER": "eu_nobody"})
        assert (stranger.returncode, stranger.stdout) == (1, "")
        wrong = ended("sync", "--json", **{**service, "TOOLKIT_CLIENT_SECRET": "wrong-one"})
        assert (wrong.returncode, "wrong-one" in wrong.stderr) == (4, False)
    assert ended("sync", "--json", **service).returncode == 5
    assert len(json.loads(ended("household", "list", "--json").stdout)["households"]) == 1


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


def test_a_reader_that_leaves_early_is_no_failure_to_tell(tmp_path: Path) -> None:
    rows = "".join(f"0{1 + n % 9}/07/2024,-{n}.00,SHOP {n},+1.00\n" for n in range(1, 3000))
    (tmp_path / "bank.csv").write_text(rows)
    assert ended("import", tmp_path / "bank.csv").returncode == 0
    process = start("transactions", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=120)
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_files_and_folders_are_the_persons_own_under_any_umask(home: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "bank.csv").write_text("01/07/2024,-1.00,SHOP,+1.00\n")
        assert ended("import", tmp_path / "bank.csv").returncode == 0
        kept = ended("credentials", "set", "--client-id", "me", "--client-secret", "kept-to-myself", "--json")
        assert (kept.returncode, "kept-to-myself" in kept.stdout + kept.stderr) == (0, False)
        assert ended("export", "--out", tmp_path / "out").returncode == 0
        assert ended("backup").returncode == 0
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), stat.S_IMODE(path.stat().st_mode))
        for root in (home, tmp_path / "out")
        for path in [root, *root.rglob("*")]
    }
    assert modes == {(True, 0o700), (False, 0o600)}
    shown = ended("doctor", "--json")
    origins = {entry["name"]: entry["origin"] for entry in json.loads(shown.stdout)["settings"]}
    assert origins["TOOLKIT_DB"] == "default"
    assert origins["TOOLKIT_CLIENT_ID"].startswith("file")
    assert "kept-to-myself" not in shown.stdout
    outranked = json.loads(ended("doctor", "--json", TOOLKIT_CLIENT_ID="other").stdout)["settings"]
    assert {"name": "TOOLKIT_CLIENT_ID", "value": "other", "origin": "environment"} in outranked


def test_secrets_of_the_environment_are_never_written(home: Path, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text("01/07/2024,-1.00,SHOP,+1.00\n")
    secret = {"TOOLKIT_CLIENT_SECRET": "only-in-memory", "TOOLKIT_WEBHOOK_SECRET": "neither-is-this"}
    for command in (
        ("import", tmp_path / "bank.csv"),
        ("credentials", "set", "--client-id", "me"),
        ("doctor", "--json"),
    ):
        said = ended(*command, **secret)
        assert "only-in-memory" not in said.stdout + said.stderr
        assert "neither-is-this" not in said.stdout + said.stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"only-in-memory" not in written
    assert b"neither-is-this" not in written
