"""What the solar page and command say of power that no meter counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.command_line import Run
from tests.meters import level
from tests.pages.seen import TODAY, metrics, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.pages.energy.solar import FROM_SIZE
from toolkit.store import open_store
from toolkit.tables.schema.identity import HouseholdRow

NIGHT, SUN = ["0.2"] * 20, ["0.9"] * 8
BOUGHT, SOLD = [*NIGHT, *["0"] * 8, *NIGHT], [*["0"] * 20, *SUN, *["0"] * 20]


def meter_file() -> str:
    """60 days of 8 kWh bought at night and 7.2 kWh sold around noon."""
    lines = ["100,NEM12,202606170000,MDP1,RETAIL1"]
    for suffix, values in (("E1", BOUGHT), ("B1", SOLD)):
        lines.append(f"200,4103012345,E1B1,,{suffix},N1,METER01,KWH,30,")
        lines += [f"300,{date(2026, 4, 15) + timedelta(days=n):%Y%m%d},{','.join(values)},A,,,," for n in range(60)]
    return "\n".join([*lines, "900", ""])


def with_daily_inverter(folder: Path, daily: int) -> Path:
    """A home of that meter and 60 days of an inverter's file. daily: what it says was generated each day, in kWh."""
    rows = [f"{date(2026, 4, 15) + timedelta(n):%d/%m/%Y},{daily}\n" for n in range(60)]
    (folder / "meter.csv").write_text(meter_file())
    (folder / "inverter.csv").write_text("".join(["Time,System Production (kWh)\n", *rows]))
    load(Context(folder / "home.db", TODAY), [folder / "meter.csv", folder / "inverter.csv"])
    return folder / "home.db"


def test_estimated_shares_are_ranges_and_say_what_they_cover(
    run: Run, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    (tmp_path / "meter.csv").write_text(meter_file())
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    (point,) = run("solar", "--panels-kw", "5", "--postcode", "2000", "--db", db, "--json").json["service_points"]
    used, made = point["self_consumption"], point["generation_kwh"]
    assert point["export_kwh"] == 432.0
    assert 0 <= used["low"] < used["mid"] < used["high"] < 1
    assert 432 <= made["low"] < made["mid"] < made["high"]
    assert point["generation_source"] == "estimate"
    assert "solar_used_estimated" in point["note_codes"]
    page = visit(db, "solar")
    shown = metrics(page)
    assert " to " in shown["Used at home"]
    assert " to " in shown["Share of your power from solar"]
    page = visit(db, "solar", tab="Day by day")
    reads = next(frame.value for frame in page.dataframe if "quality" in frame.value.columns)
    sold = reads[reads["direction"] == "Exported"]
    assert sold["kwh"].sum() == pytest.approx(7 * 7.2)  # of the week that ends with the last day


def test_generation_of_an_inverters_daily_file_is_among_the_reads_of_its_days(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """9 kWh a day, which the meter's export of 7.2 kWh is a part of."""
    db = with_daily_inverter(tmp_path, 9)
    page = visit(db, "solar", tab="Day by day")
    assert metrics(page)["Generated"] == "540 kWh"
    reads = next(frame.value for frame in page.dataframe if "quality" in frame.value.columns)
    generated = reads[reads["register_suffix"] == "GENERATION"]
    assert generated["kwh"].sum() == pytest.approx(7 * 9)
    assert set(generated["direction"]) == {"Generated, whole day"}


def test_generation_by_another_clock_leads_to_its_days_and_reads(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """The inverter's hours are three after the meter's, and no size of the panels is known to judge months by."""
    noon = [f"{hour:02}:{minute:02}" for hour in range(13, 17) for minute in (0, 30)]
    times = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30)]
    days = [date(2026, 4, 15) + timedelta(days=n) for n in range(60)]
    rows = [f"{day:%Y-%m-%d} {time},{1.1 if time in noon else 0}\n" for day in days for time in times]
    (tmp_path / "meter.csv").write_text(meter_file())
    (tmp_path / "inverter.csv").write_text("".join(["Time,System Production (kWh)\n", *rows]))
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv", tmp_path / "inverter.csv"])
    page = visit(db, "solar")
    assert metrics(page)["Generated"] == "528 kWh"
    assert "Is it working?" not in [tab.label for tab in page.tabs]
    key = next(button.key for button in page.button if "Generated" in (button.key or ""))
    page.button(key=key).click().run()
    assert not page.exception
    reads = next(frame.value for frame in page.dataframe if "quality" in frame.value.columns)
    assert reads[reads["register_suffix"] == "GENERATION"]["kwh"].sum() > 0


def test_a_home_that_seems_to_have_a_battery_is_asked_for_its_size_and_not_for_the_panels(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Nothing is bought from sunrise to midnight, whatever the evening uses."""
    served = meter_file().replace(",".join(BOUGHT), ",".join([*NIGHT, *["0"] * 28]))
    (tmp_path / "meter.csv").write_text(served)
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    links = [link.proto.label for link in visit(db, "solar").get("page_link")]
    assert any("battery" in label for label in links)
    assert not any("panels" in label for label in links)


@pytest.mark.parametrize("page", ["usage", "solar"])
def test_the_meter_is_chosen_above_its_days(page: str, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    (tmp_path / "meter.csv").write_text(meter_file())
    (tmp_path / "other.csv").write_text(meter_file().replace("4103012345", "4103012346"))
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv", tmp_path / "other.csv"])
    assert [field.label for field in visit(db, page).selectbox][:2] == ["Meter", "Period"]


def test_what_is_estimated_is_said_once(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    (tmp_path / "meter.csv").write_text(meter_file())
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    page = visit(db, "solar")
    assert [text.value.count("nine homes in ten") for text in (*page.caption, *page.markdown)].count(1) == 1


def test_how_much_is_metered_and_estimated_stands_beside_the_figures(
    run: Run, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Of 60 days 15 are not in the file, and 9 of those that are were substituted."""
    head, imports, exports = meter_file().split("200,")
    kept = []
    for register in (imports, exports.removesuffix("900\n")):
        first, *rows = register.splitlines()
        kept += [f"200,{first}", *(row.replace(",A,", ",S14,") for row in rows[:9]), *rows[9:20], *rows[35:]]
    (tmp_path / "meter.csv").write_text("\n".join([head.strip(), *kept, "900", ""]))
    db = tmp_path / "home.db"
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    (point,) = run("solar", "--db", db, "--json").json["service_points"]
    (used,) = run("usage", "--db", db, "--json").json["service_points"]
    assert (point["coverage"], point["substituted_share"]) == (0.75, 0.2)
    assert (used["coverage"], used["substituted_share"]) == (0.75, 0.2)
    shown = metrics(visit(db, "solar"))
    assert (shown["Meter data"], shown["Estimated reads"]) == ("75.0%", "20.0%")


def test_a_table_of_times_and_watts_is_an_inverters_where_the_person_says_so(
    run: Run, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """3 kW from 10 to 14: 12 kWh a day."""
    db = tmp_path / "home.db"
    (tmp_path / "meter.csv").write_text(meter_file())
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    days = [date(2026, 4, 15) + timedelta(days=n) for n in range(60)]
    rows = [f"{day} {hour:02}:00;{3000 if 10 <= hour < 14 else 0}" for day in days for hour in range(24)]
    text = "\n".join(["time;power W", *rows, ""])
    test = visit(db, "data")
    test.file_uploader[0].set_value([("power.csv", text.encode(), "text/csv")]).run()
    test.selectbox(key="kind-0").set_value("inverter")
    test.button(key="import-files").click().run()
    assert not test.exception
    (point,) = run("solar", "--db", db, "--json").json["service_points"]
    assert (point["generation_source"], point["generation_kwh"]["mid"]) == ("inverter", 720.0)


def test_of_several_meters_with_solar_one_is_shown_by_name_down_to_its_reads(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """The second sells half as much, a third meter nothing."""
    half = (
        meter_file()
        .replace("4103012345", "4103012346")
        .replace(",".join(SOLD), ",".join(["0"] * 20 + ["0.45"] * 8 + ["0"] * 20))
    )
    alone = meter_file().replace("4103012345", "4103012347").split("200,4103012347,E1B1,,B1")[0] + "900\n"
    files = [tmp_path / f"{number}.csv" for number in range(3)]
    for file, text in zip(files, (meter_file(), half, alone), strict=True):
        file.write_text(text)
    db = tmp_path / "home.db"
    load(Context(db, TODAY), files)
    page = visit(db, "solar", tab="Exports")
    assert not page.exception
    chooser = page.selectbox(key="meter")
    assert chooser.options == ["Electricity meter ending 2345", "Electricity meter ending 2346"]
    assert metrics(page)["Exported"] == "432 kWh"
    chooser.select("4103012346").run()
    assert metrics(page)["Exported"] == "216 kWh"
    page = visit(db, "solar", tab="Day by day")
    assert any("quality" in frame.value.columns for frame in page.dataframe)


def test_what_panels_of_a_battery_home_generate_is_said_to_be_typical_of_their_size(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    (tmp_path / "meter.csv").write_text(meter_file())
    ctx = Context(tmp_path / "home.db", TODAY)
    load(ctx, [tmp_path / "meter.csv"])
    set_home(ctx, panels_kw=5, battery_kwh=10, postcode="2000")
    page = visit(ctx.db, "solar")
    (made,) = [metric for metric in page.metric if metric.label == "Generated"]
    assert made.help == FROM_SIZE


def test_generation_in_another_unit_is_not_used_and_the_remedy_is_said(
    run: Run, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """60 days of 9 kWh generated, written in Wh and said to be in kWh."""
    db = with_daily_inverter(tmp_path, 9_000)
    (point,) = run("solar", "--postcode", "2000", "--db", db, "--json").json["service_points"]
    assert (point["generation_kwh"]["mid"], point["self_consumption"]) == (None, None)
    assert point["export_kwh"] == 432.0
    page = visit(db, "solar")
    assert len(page.warning) == 1
    assert names(read(page), "9,000 kWh", "Wh", "Data page")
    detail = visit(db, "solar", tab="Day by day")
    assert "generated" not in next(text.value for text in detail.caption if "half-hours are metered" in text.value)


def test_nothing_is_estimated_from_exports_in_another_unit(
    run: Run, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """8,000 kWh bought and 7,200 sold a day: Wh said to be kWh."""
    db = tmp_path / "home.db"
    large = meter_file().replace("0.2", "200").replace("0.9", "900")
    (tmp_path / "meter.csv").write_text(large)
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    (point,) = run("solar", "--postcode", "2000", "--db", db, "--json").json["service_points"]
    assert (point["generation_kwh"]["mid"], point["self_consumption"], point["feed_in_value"]) == (None, None, None)
    page = visit(db, "solar")
    assert len(page.warning) == 1
    assert names(read(page), "8,000 kWh", "Data page")
    assert {"Generated", "Panels", "Grid power avoided"}.isdisjoint(metrics(page))


def test_a_home_without_solar_is_not_asked_for_a_period(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db = tmp_path / "home.db"
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 4, 1), 60))
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    page = visit(db, "solar")
    assert names(read(page), "No solar found")
    assert not page.selectbox


def test_days_without_export_are_not_said_to_be_a_home_without_solar(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Two months with export, then one of which the file has none."""
    db = tmp_path / "home.db"
    (tmp_path / "meter.csv").write_text(meter_file())
    later = level("4103012345", date(2026, 6, 14), 31, "0.2")
    later += level("4103012345", date(2026, 6, 14), 31, "0", suffix="B1")
    (tmp_path / "later.csv").write_text(later)
    load(Context(db, date(2026, 7, 20)), [tmp_path / "meter.csv", tmp_path / "later.csv"])
    page = visit(db, "solar")
    page = page.selectbox(key="span").set_value("Last 30 days").run()
    assert names(read(page), "Nothing was exported", "15 Jun 2026")
    assert "No solar found" not in read(page)
    assert page.selectbox(key="span").value == "Last 30 days"


def test_the_size_of_panels_on_record_leads_to_the_record(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """20 panels of 0.33 kW, as the distributor has them on record."""
    db = tmp_path / "home.db"
    (tmp_path / "meter.csv").write_text(meter_file())
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    sample = Path(__file__).parents[1] / "samples" / "energy.der_records" / "200.json"
    record = json.dumps(json.loads(sample.read_text())["der_records"][0])
    with open_store(db) as store, store.transaction():
        home = store.load(HouseholdRow)[0].household_id
        row = {"household_id": home, "id": "der", "service_point_id": "4103012345", "panels_kw": 6.6, "raw": record}
        store.upsert("der_records", [row])
    page = visit(db, "solar")
    assert metrics(page)["Panels"] == "6.6 kW"
    links = [(link.proto.label, link.proto.query_string) for link in page.get("page_link")]
    assert ("Usage →", "tab=Meter") in links
    shown = visit(db, "usage", tab="Meter")
    assert "Solar and battery equipment on record" in [expander.label for expander in shown.expander]


def test_generation_of_a_battery_home_leads_to_the_size_it_is_taken_from(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """What the meter reads of such a home shows nothing of it: a file of the inverter does."""
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "meter.csv").write_text(meter_file())
    load(ctx, [tmp_path / "meter.csv"])
    set_home(ctx, panels_kw=5, battery_kwh=10, postcode="2000")
    page = visit(ctx.db, "solar")
    assert next(metric.help for metric in page.metric if metric.label == "Generated") == FROM_SIZE
    assert not [button for button in page.button if button.key and button.key.endswith("Generated")]
    assert names(read(page), "battery", "inverter", "Data page")
