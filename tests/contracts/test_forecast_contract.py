"""Sections 6 and 8: the next bill and the solar figures, where they can be known and where not."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring
from tests.meters import day, days, flat_plan, nem12, register


def steady(first: str, count: int) -> str:
    """1 kW all the time."""
    return nem12(register(), *(day(when, [0.5] * 48) for when in days(first, count)))


def forecast(run: Run, *options: object) -> dict[str, Any]:
    ended = run("forecast", "--json", *options)
    assert ended.code == 0, ended.err
    return ended.json


def test_a_steady_home_is_told_to_the_cent(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 400))  # to 3 February 2025
    bring(flat_plan(), name="plan.json")
    answer = forecast(run, "--today", "2025-02-10")
    assert answer["period"] == {"from": "2025-02-01", "to": "2025-02-28", "source": answer["period"]["source"]}
    assert answer["metered_through"] == "2025-02-03"
    # 28 days at $1.00 and 24 kWh at 30 c, with GST; certain are the energy of three days and the supply of all
    assert (answer["p10"], answer["p50"], answer["p90"]) == ("252.56",) * 3
    assert answer["certain"] == "54.56"
    assert answer["components"] == {"supply": "30.80", "usage": "221.76"}
    assert {"origins", "mae", "wape", "bias", "coverage", "skill"} <= set(answer["backtest"])
    assert (answer["backtest"]["mae"], answer["backtest"]["coverage"]) == ("0.00", 1.0)
    assert answer["service_point_id"] == "4103000001"


def test_below_nine_past_periods_there_is_no_range_and_a_note_says_why(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 200))
    bring(flat_plan(), name="plan.json")
    answer = forecast(run, "--today", "2024-07-19")
    assert (answer["p10"], answer["p90"], answer["p50"]) == (None, None, "279.62")
    assert any("9" in note for note in answer["notes"])


def test_today_in_the_past_sees_nothing_later(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 200))
    bring(flat_plan(), name="plan.json")
    answer = forecast(run, "--today", "2024-03-10")
    assert answer["metered_through"] <= "2024-03-10"
    assert (answer["period"]["from"], answer["period"]["to"]) == ("2024-03-01", "2024-03-31")


def test_a_whole_month_metered_moves_on_to_the_next(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 31))
    bring(flat_plan(), name="plan.json")
    period = forecast(run, "--today", "2024-02-05")["period"]
    assert (period["from"], period["to"]) == ("2024-02-01", "2024-02-29")


def test_a_plan_may_be_a_file_and_the_same_question_gives_the_same_bytes(
    run: Run, bring: Bring, tmp_path: Path
) -> None:
    values = [[round(0.2 + (n * 7 + slot * 3) % 11 / 10, 1) for slot in range(48)] for n in range(420)]
    bring(nem12(register(), *(day(when, each) for when, each in zip(days("2024-01-01", 420), values, strict=True))))
    (tmp_path / "plan.json").write_text(flat_plan())
    ask = ("forecast", "--plan", tmp_path / "plan.json", "--today", "2025-02-25", "--json")
    first = run(*ask)
    assert run(*ask).out == first.out
    low, mid, high = (float(first.json[name]) for name in ("p10", "p50", "p90"))
    assert low <= mid <= high


def test_what_is_missing_is_said_and_fails(run: Run, bring: Bring) -> None:
    bring("01/07/2024,-1.00,SHOP,+1.00\n")
    for command in ("forecast", "bill"):
        ended = run(command, "--json")
        assert (ended.code, ended.out) == (1, "")
        assert "meter" in ended.err


def solar(run: Run, *options: object) -> dict[str, Any]:
    ended = run("solar", "--json", *options)
    assert ended.code == 0, ended.err
    (point,) = ended.json["service_points"]
    return point


SOLAR_KEYS = {
    *("service_point_id", "panels_kw", "panels_source", "inverter_kw", "storage_kwh", "export_kwh", "generation_kwh"),
    *("self_consumption", "self_sufficiency", "feed_in_value", "avoided_import_value", "reason"),
}


def test_solar_without_size_or_export_is_null_with_a_reason(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 40))
    point = solar(run)
    assert set(point) >= SOLAR_KEYS
    assert point["generation_kwh"] == {"low": None, "mid": None, "high": None}
    assert (point["self_consumption"], point["self_sufficiency"], point["feed_in_value"]) == (None, None, None)
    assert point["reason"]


@pytest.mark.parametrize("named", ["option", "household"])
def test_solar_with_size_and_export(run: Run, bring: Bring, named: str) -> None:
    """A winter month of Sydney sun: net export at noon, import at night."""
    out = [0.0] * 18 + [0.4, 0.6, 0.8, 0.9, 1.0, 1.0, 1.0, 0.9, 0.8, 0.6, 0.4, 0.2] + [0.0] * 18
    into = [0.2 if value == 0 else 0.0 for value in out]
    when = list(days("2024-06-01", 30))
    bring(nem12(register(), *(day(d, into) for d in when), register("B1"), *(day(d, out) for d in when)))
    rate = {"solarFeedInTariff": [{"payerType": "RETAILER", "scheme": "OTHER", "singleTariff": {"amount": "0.05"}}]}
    bring(flat_plan(**rate), name="plan.json")
    if named == "household":
        run("household", "set", "--panels-kw", "6.6", "--postcode", "2000")
    point = solar(run, *(("--panels-kw", "6.6", "--postcode", "2000") if named == "option" else ()))
    exported = round(sum(out) * 30, 3)
    assert (point["panels_kw"], point["export_kwh"]) == (6.6, pytest.approx(exported))
    generation = point["generation_kwh"]
    assert exported <= generation["low"] <= generation["mid"] <= generation["high"]
    for share in ("self_consumption", "self_sufficiency"):
        assert 0 <= point[share]["low"] <= point[share]["mid"] <= point[share]["high"] <= 1
    assert point["feed_in_value"] == f"{exported * 0.05:.2f}"
    assert float(point["avoided_import_value"]) > 0
    assert point["reason"] is None


def test_a_postcode_that_is_none_is_wrong_usage(run: Run, bring: Bring) -> None:
    bring(steady("2024-01-01", 2))
    assert run("solar", "--postcode", "20000", "--json").code == 2
    assert run("household", "set", "--postcode", "Sydney").code == 2


def test_the_plan_of_the_household_may_be_named_by_its_file(run: Run, bring: Bring, tmp_path: Path) -> None:
    bring(steady("2024-01-01", 31))
    bring(flat_plan().replace("FLAT@EME", "OTHER@EME").replace("0.30", "0.90"), name="other.json")
    (tmp_path / "plan.json").write_text(flat_plan())
    assert run("household", "set", "--plan", "no-such-plan", "--since", "2024-01-01").code == 2
    (home,) = run("household", "set", "--plan", tmp_path / "plan.json", "--since", "2024-01-01", "--json").json[
        "households"
    ]
    assert (home["plan_id"], home["plan_since"]) == ("FLAT@EME", "2024-01-01")
    (tmp_path / "plan.json").unlink()
    bill = run("bill", "--today", str(date(2024, 1, 31) + timedelta(1)), "--json").json
    assert (bill["plan_id"], bill["components"]["usage"], bill["from"], bill["to"]) == (
        *("FLAT@EME", "245.52"),
        *("2024-01-01", "2024-01-31"),
    )
