"""The cache of compiled plans: in the data folder, for its owner alone, under any umask."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from toolkit.flows.context import Context
from toolkit.flows.load import load

PLAN = {
    "planId": "FLAT1@EME",
    "fuelType": "ELECTRICITY",
    "electricityContract": {
        "tariffPeriod": [
            {
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharge": "1.00",
                "singleRate": {"rates": [{"unitPrice": "0.30"}]},
            }
        ]
    },
}


@pytest.fixture
def careless_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless_umask")
def test_folders_and_files_are_the_owners_alone(home: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    load(Context(tmp_path / "elsewhere" / "my.db", date(2026, 3, 1)), [tmp_path / "plan.json"])
    made = [home, *home.rglob("*")]
    assert [path.name for path in made if path.suffix == ".msgpack"]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}
