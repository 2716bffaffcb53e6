"""One of several programs that write to the same database at once: `python -m tests.faults.writers KIND DB COUNT`.

KIND is `sync` (the app's or the command's), `command` (decisions by the command line) or `tabs` (decisions by two
threads of one process, as two tabs of the app make them). Ends with 0 where everything was stored.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from unittest.mock import patch

from toolkit.cli.main import main as command_line
from toolkit.flows.consent.service import service
from toolkit.flows.household.context import Context
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.rules import add_rule
from toolkit.flows.sync.run import sync
from toolkit.settings import load

TODAY = date(2026, 7, 15)
CATEGORY = "Fuel"
ACCOUNT = "acc_1"


def syncs(db: Path, count: int) -> None:
    """Read everything again, several times."""
    settings = load({}, dict(os.environ))
    with service(settings) as client:
        for _ in range(count):
            sync(Context(db, TODAY), client, full=True, end_user=settings.end_user)


def commands(db: Path, count: int) -> None:
    """Add rules by the command line."""
    for number in range(count):
        arguments = ["toolkit", "rules", "add", f"command {number}", CATEGORY, "--db", str(db)]
        with patch.object(sys, "argv", arguments):
            try:
                command_line()
            except SystemExit as ended:
                if ended.code:
                    raise


def tab(db: Path, name: str, count: int) -> None:
    """Add rules and rename an account, as the pages do."""
    for number in range(count):
        add_rule(Context(db, TODAY), f"{name} {number}", CATEGORY)
        set_account(Context(db, TODAY), ACCOUNT, name=f"{name} {number}")


def tabs(db: Path, count: int) -> None:
    """Two tabs at once."""
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(tab, db, name, count) for name in ("tab a", "tab b")]:
            done.result()


if __name__ == "__main__":
    {"sync": syncs, "command": commands, "tabs": tabs}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
