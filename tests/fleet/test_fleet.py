"""Many households on Dask answer what each answers alone."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.problems import names

DAY = ",".join(["0.5"] * 48)
METER = "100,NEM12,202603010000,MDP,RET\n200,{nmi},E1,1,E1,N1,M1,kWh,30,\n300,20260201,{day},A,,,20260202000000\n900\n"


@pytest.fixture
def two_homes(run: Run, tmp_path: Path) -> None:
    for name, amount, nmi in (("Ours", "-45.60", "6100000001"), ("Theirs", "-4.50", "6100000002")):
        (tmp_path / "bank.csv").write_text(f'01/02/2026,"{amount}","SHOP","+1954.40"\n')
        (tmp_path / "meter.csv").write_text(METER.format(nmi=nmi, day=DAY))
        assert run("import", tmp_path / "bank.csv", tmp_path / "meter.csv", "--household", name).code == 0


@pytest.mark.usefixtures("two_homes")
@pytest.mark.filterwarnings("ignore")  # Dask's own, of its workers' coming and going
def test_the_fleet_gives_what_each_household_gives(run: Run) -> None:
    spent = {row["household"]: row["spent"] for row in run("fleet", "--workers", 2, "--json").json["households"]}
    assert spent == {"Ours": "45.60", "Theirs": "4.50"}
    used = run("fleet", "--analysis", "usage", "--workers", 1, "--json").json["households"]
    assert [(row["household"], row["import_kwh"], row["coverage"]) for row in used] == [
        ("Ours", 24.0, 1.0),
        ("Theirs", 24.0, 1.0),
    ]
    shown = run("fleet", "--workers", 1)
    assert [row.split() for row in shown.out.splitlines() if row.startswith("Ours")] == [
        ["Ours", "1", "Feb", "2026", "1", "Feb", "2026", "$45.60", "$0.00"]
    ]
    assert "Traceback" not in shown.err


@pytest.mark.usefixtures("two_homes")
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_unreachable(run: Run) -> None:
    dask = pytest.importorskip("dask")
    with socket.socket() as free, dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        ended = run("fleet", "--scheduler", address)
    assert (ended.code, ended.out) == (5, "")
    assert names(ended.err, "error: ", address)


@pytest.mark.usefixtures("two_homes")
@pytest.mark.parametrize("said", ["nonsense", "tcp://somewhere", "http://127.0.0.1:8786", ""])
def test_what_is_no_address_is_wrong_usage(run: Run, said: str) -> None:
    ended = run("fleet", "--scheduler", said)
    assert ended.code == 2
    assert names(ended.err, "--scheduler", repr(said))
