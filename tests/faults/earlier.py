"""Make a small store with the program of an earlier commit, and record what that program answered about it.

`git worktree add ../earlier COMMIT`, then `python -m tests.faults.earlier ../earlier SCHEMA` writes
`tests/samples/stores/SCHEMA.db.gz` and `SCHEMA.json`. Everything in it is made up: the sample responses of
`tests/samples`, three days of meter reads, four bank rows and a plan.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from re import fullmatch, sub
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from tests.meters import day, days, flat_plan, nem12, register
from toolkit.wire.endpoints import ENDPOINTS, Endpoint

SAMPLES = Path(__file__).parents[1] / "samples"
STORES = SAMPLES / "stores"
TODAY = "2026-07-15"
END_USER = "eu_2d1f"
ASKED = ("spending", "transactions", "usage", "bill", "status", "household list")
BANK_CSV = """Date,Amount,Description,Balance
01/07/2026,-45.20,WOOLWORTHS 1234 SYDNEY NSW,954.80
02/07/2026,-120.00,AGL RETAIL ENERGY,834.80
03/07/2026,-12.00,CORNER CAFE,822.80
04/07/2026,2000.00,SALARY ACME PTY LTD,2822.80
"""


def _pattern(row: Endpoint) -> str:
    prefix = "(/v1)?" if row.core else ""
    return prefix + sub(r"\{\w+\}", r"[^/]+", row.path)


class Samples(BaseHTTPRequestHandler):
    """Answer with the sample response of a path; lists have one page."""

    def do_POST(self) -> None:
        """Give a token."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer("token")

    def do_GET(self) -> None:
        """Give a list, one end user or one institution."""
        asked = urlsplit(self.path).path
        names = [row.name for row in ENDPOINTS if row.method == "GET" and fullmatch(_pattern(row), asked)]
        self._answer(names[0] if names else "")

    def _answer(self, name: str) -> None:
        path = SAMPLES / name / "200.json"
        known = bool(name) and path.is_file()
        content: dict[str, Any] = json.loads(path.read_text()) if known else {"error": "not_found"}
        body = json.dumps({**content, "links": {}} if "links" in content else content).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class's name
        """Print nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the samples on a loopback port; give the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Samples) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def files(folder: Path) -> list[Path]:
    """Write the files to import."""
    reads = nem12(register(), *(day(when, [0.25] * 48) for when in days("2026-07-01", 3)))
    texts = {"meter.csv": reads, "plan.json": flat_plan(), "everyday.csv": BANK_CSV}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def make(checkout: Path, name: str) -> None:
    """Fill a store with the program in `checkout`, and write it and the program's answers to `STORES`."""
    with tempfile.TemporaryDirectory() as home, served() as url:
        db = Path(home) / "household.db"
        environment = {
            **os.environ,
            "PYTHONPATH": str(checkout.resolve()),
            "TOOLKIT_DATA_DIR": home,
            "TOOLKIT_DB": str(db),
            "TOOLKIT_BASE_URL": url,
            "TOOLKIT_CLIENT_ID": "id",
            "TOOLKIT_CLIENT_SECRET": "secret",
            "TOOLKIT_END_USER": END_USER,
        }

        def run(*arguments: str) -> str:
            command = [sys.executable, "-m", "toolkit", *arguments, "--json"]
            done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 3):
                raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
            return done.stdout

        run("sync")
        run("import", *map(str, files(Path(home))))
        run("household", "set", "--plan", "FLAT@EME", "--since", "2026-01-01")
        answers = {command: json.loads(run(*command.split(), *options(command))) for command in ASKED}
        with closing(sqlite3.connect(db)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")
        STORES.mkdir(exist_ok=True)
        (STORES / f"{name}.db.gz").write_bytes(gzip.compress(db.read_bytes(), mtime=0))
        (STORES / f"{name}.json").write_text(json.dumps(answers, separators=(",", ":"), sort_keys=True) + "\n")


def options(command: str) -> list[str]:
    """Return the options of a command: the meter of the file, and the day of "so far"."""
    point = ["--service-point", "4103000001"] if command in ("bill", "usage") else []
    return [*point, "--today", TODAY] if command in ("spending", "bill") else point


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2])
