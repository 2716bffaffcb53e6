"""Record every command's JSON answer, and compare two records, so that a change of structure changes no figure.

`python -m tests.benchmarks.record DIR` answers for the demo household, for a household made from the files below and,
where `shared/data` lies beside the clone, for those files and 1,000 published plans.
`python -m tests.benchmarks.record --compare A B` lists what differs, by key.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.meters import day, days, flat_plan, nem12, register
from toolkit.cli.main import main as toolkit

TODAY = "2026-07-15"
DATA = Path(__file__).parents[3] / "shared" / "data"
PUBLISHED = 1_000
BILLED_EVERY = 25
"""Of the published plans, every so many is also billed line by line."""

MONEY = (
    *(("spending", "--by", by, *more) for by in ("category", "merchant", "account") for more in ((), ("--months",))),
    ("spending", "--pending"),
    ("transactions",),
    ("recurring",),
    ("cashflow",),
    ("rules", "list"),
)
ENERGY = (
    ("usage",),
    ("bill",),
    ("bill", "--by-day", "--period", "month"),
    ("bill", "--period", "whole", "--blocks", "daily", "--discounts", "all"),
    ("compare", "--top", "0"),
    ("forecast",),
    ("reconcile",),
    ("solar",),
    ("solar", "--panels-kw", "6.6", "--postcode", "2000"),
    ("whatif", "battery", "--kwh", "10", "--price", "9000"),
    ("whatif", "solar", "--kw", "3"),
    ("whatif", "ev"),
    ("whatif", "shift", "--share", "0.3", "--window", "16:00-20:00", "--to-window", "11:00-14:00"),
    ("plans", "list"),
    ("plans", "show"),
)
STORE = (("status",), ("household", "list"))

CHANGING = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(\+00:00|Z)": "INSTANT",
    r'"run": "[0-9a-f]{32}"': '"run": "RUN"',
    r'"bytes": \d+': '"bytes": 0',
}

BANK_CSV = """Date,Amount,Description,Balance
01/07/2026,-45.20,WOOLWORTHS 1234 SYDNEY NSW,954.80
02/07/2026,-120.00,AGL RETAIL ENERGY,834.80
03/07/2026,-500.00,Transfer to xx5678 CommBank app,334.80
04/07/2026,2000.00,Salary ACME PTY LTD,2334.80
"""
QIF = "!Type:Bank\nD03/07/2026\nT500.00\nPTransfer from xx1234\n^\nD05/07/2026\nT-60.00\nPBP SERVICE STATION\n^\n"


def main(arguments: Sequence[str]) -> int:
    """Record into a folder, or compare two folders; 1 where the two differ."""
    if arguments and arguments[0] == "--compare":
        return compare(Path(arguments[1]), Path(arguments[2]))
    record(Path(arguments[0]))
    return 0


def record(folder: Path) -> None:
    """Write a file for each command into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, patch.dict(os.environ, isolated(made)):
        os.chdir(made)
        recorder = Recorder(folder, Path(made))
        demo(recorder)
        samples(recorder)
        if DATA.exists():
            published(recorder)
            foreign(recorder)
    print(f"{recorder.count} answers recorded in {folder}.")


def isolated(folder: str) -> dict[str, str]:
    """An environment in which no setting, file or credential of this machine is read or written."""
    return {"TOOLKIT_DATA_DIR": folder, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}


class Recorder:
    """Runs commands within this process and writes each answer to its own file, paths of this machine left out."""

    def __init__(self, folder: Path, made: Path) -> None:
        self.folder = folder
        self.made = made
        self.count = 0

    def run(self, store: str, *arguments: str) -> None:
        """Run a command on the database `store`.db and write `STORE.COMMAND….json`."""
        out, err = io.StringIO(), io.StringIO()
        argv = ["toolkit", *arguments, "--db", str(self.made / f"{store}.db"), "--today", TODAY, "--json"]
        with patch.object(sys, "argv", argv), redirect_stdout(out), redirect_stderr(err):
            code = ended()
        self.count += 1
        answer = {"exit": code, "answer": parsed(self.plain(out.getvalue())), "messages": self.plain(err.getvalue())}
        self.write(f"{store}.{name_of(arguments)}", answer)

    def plain(self, text: str) -> str:
        """Leave out what differs between two runs: folders, the time of day, random run ids."""
        for pattern, name in CHANGING.items():
            text = re.sub(pattern, name, text)
        return text.replace(str(self.made), "DIR").replace(str(DATA), "DATA")

    def write(self, name: str, answer: dict[str, Any]) -> None:
        text = json.dumps(answer, indent=1, sort_keys=True, ensure_ascii=False)
        (self.folder / f"{name}.json").write_text(text + "\n")


def ended() -> int:
    try:
        toolkit()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def name_of(arguments: Sequence[str]) -> str:
    words = [Path(word).name if "/" in word else word.strip("-") for word in arguments]
    name = "-".join(words)
    return name if len(name) < 120 else f"{name[:100]}-{sha256(name.encode()).hexdigest()[:8]}"


def demo(recorder: Recorder) -> None:
    recorder.run("demo", "demo", "--no-app")
    for arguments in (*MONEY, *ENERGY, *STORE):
        recorder.run("demo", *arguments)
    for form in ("csv", "ndjson"):
        out = recorder.made / f"export-{form}"
        recorder.run("demo", "export", "--out", str(out), "--format", form)
        recorder.write(f"demo.export-{form}-files", {path.name: path.read_text() for path in sorted(out.iterdir())})
    report = recorder.made / "report.html"
    recorder.run("demo", "report", "--out", str(report))
    words = re.sub(r"(?s)<script.*?</script>|<[^>]*>", "\n", report.read_text())
    recorder.write("demo.report-words", {"words": words.split()})


def samples(recorder: Recorder) -> None:
    """A home with solar and controlled load, and two bank files."""
    files = {"meter.csv": meter(), "bank.csv": BANK_CSV, "savings.qif": QIF, "plan.json": flat_plan()}
    for name, text in files.items():
        (recorder.made / name).write_text(text)
        recorder.run("samples", "import", str(recorder.made / name))
    recorder.run("samples", "household", "set", "--postcode", "2000", "--plan", "FLAT@EME")
    for arguments in (*MONEY, *ENERGY, *STORE):
        recorder.run("samples", *arguments)


def meter() -> str:
    """400 days that end on 8 July 2026; use and export change from day to day and over the day."""
    rows = []
    for suffix, low, high, hours in (
        ("E1", 80, 400, range(48)),
        ("E2", 0, 900, range(4, 10)),
        ("B1", 0, 700, range(18, 32)),
    ):
        rows.append(register(suffix, nmi="4103000001"))
        rows += [day(when, shape(n, low, high, hours)) for n, when in enumerate(days("2025-06-04", 400))]
    return nem12(*rows)


def shape(number: int, low: int, high: int, hours: range) -> list[str]:
    """Half-hourly kWh of a day: whole watt-hours by a fixed rule, `low` outside `hours`."""
    varied = [(number * 37 + half * 101) % (high - low) if half in hours else 0 for half in range(48)]
    return [f"{(low + more) / 1000:.3f}" for more in varied]


def published(recorder: Recorder) -> None:
    """Compare 1,000 published plans on the sample home, and bill some of them."""
    with gzip.open(DATA / "plans" / "published-2024-10.ndjson.gz", "rt") as lines:
        plans = [line for line, _ in zip(lines, range(PUBLISHED), strict=False)]
    (recorder.made / "published.ndjson").write_text("".join(plans))
    recorder.run("samples", "compare", "--plans", str(recorder.made / "published.ndjson"), "--top", "0")
    for number in range(0, PUBLISHED, BILLED_EVERY):
        file = recorder.made / f"plan-{number}.json"
        file.write_text(plans[number])
        recorder.run("samples", "bill", "--plan", str(file), "--from", "2026-04-01", "--to", "2026-06-30")


def foreign(recorder: Recorder) -> None:
    """Files that others wrote, each kind in a database of its own."""
    meters = {"nem12": "nem12/valid", "broken": "nem12/invalid", "nem13": "nem13", "green": "greenbutton"}
    for store, folder in meters.items():
        recorder.run(store, "import", str(DATA / folder))
        recorder.run(store, "usage")
    for store in ("ofx", "qif"):
        recorder.run(store, "import", str(DATA / store))
        for arguments in MONEY:
            recorder.run(store, *arguments)


def compare(first: Path, second: Path) -> int:
    """Print what differs between two records: each key once, how often, and an example."""
    differing: dict[tuple[str, str], list[str]] = defaultdict(list)
    names = sorted({path.name for folder in (first, second) for path in folder.glob("*.json")})
    for name in names:
        before, after = (read(folder / name) for folder in (first, second))
        for key, was, now in differences(before, after, ""):
            differing[name, key].append(f"{short(was)} → {short(now)}")
    for (name, key), examples in differing.items():
        print(f"{name} {key}: {len(examples)} × {examples[0]}")
    print(f"{len(names)} answers compared, {len({name for name, _ in differing})} differ.")
    return 1 if differing else 0


def read(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else None


def differences(before: Any, after: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    """(key, before, after) of each leaf that differs; entries of lists share the key `name[]`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted({*before, *after}):
            yield from differences(before.get(name, ABSENT), after.get(name, ABSENT), f"{key}.{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for was, now in zip(before, after, strict=True):
            yield from differences(was, now, f"{key}[]")
    elif before != after:
        yield key, before, after


ABSENT = "(absent)"


def short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 90 else f"{text[:87]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
