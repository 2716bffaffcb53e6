"""The pages over a real database, filled from files that the test can be read beside."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from tests.keys import keys_of
from tests.meters import day, days, level, nem12, register
from tests.pages.seen import PLAN, TODAY, beside, metrics, press, read, said, with_bank_rows
from tests.problems import names
from toolkit.errors import StoreBusyError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import list_invoices
from toolkit.pages.data import accounts
from toolkit.pages.data.connecting import DONE as CONNECTED
from toolkit.pages.data.home import MORE
from toolkit.pages.energy import plans as plans_page
from toolkit.pages.energy.invoices import NO_INVOICES
from toolkit.pages.importing.upload import written
from toolkit.pages.lock import LOCKED
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.launch import ENTRY
from toolkit.store import Store, open_store

Visit = Callable[..., AppTest]
FIRST, DAYS = date(2026, 3, 1), 107
PAGES = ("overview", "spending", "bills", "plans", "usage", "solar", "data")
TITLES = {"bills": "Energy bills"}
HALF_HOURS = ",".join(["0.250"] * 48)
ELSEWHERE = "another process is writing"
NO_SUN, SUN = ["0"] * 20, ["0.600"] * 8
EXPORT = ",".join([*NO_SUN, *SUN, *NO_SUN])

BANK = """\
19/06/2026,"-42.50","WOOLWORTHS 1234 NEWTOWN","+1000.00"
02/06/2026,"2500.00","SALARY ACME PTY LTD","+1042.50"
20/05/2026,"-57.50","=HYPERLINK(1) <b>CAFE</b> https://evil.example","-1457.50"
"""


def meter_file() -> str:
    """12 kWh in and 4.8 kWh out, each day."""
    days = [f"{FIRST + timedelta(days=n):%Y%m%d}" for n in range(DAYS)]
    lines = ["100,NEM12,202606170000,MDP1,RETAIL1"]
    for suffix, values in (("E1", HALF_HOURS), ("B1", EXPORT)):
        lines.append(f"200,4103012345,E1B1,,{suffix},N1,METER01,KWH,30,")
        lines += [f"300,{day},{values},A,,,20260617000000," for day in days]
    return "\n".join([*lines, "900", ""])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    (folder / "meter.csv").write_text(meter_file())
    (folder / "bank.csv").write_text(BANK)
    (folder / "plan.json").write_text(json.dumps(PLAN))
    ctx = Context(folder / "home" / "household.db", TODAY)
    answer = load(ctx, [folder / "meter.csv", folder / "bank.csv", folder / "plan.json"])
    assert [file.rejected for file in answer.files] == [0, 0, 0]
    set_home(
        ctx, name="The Cassowaries", postcode="4870", panels_kw=5.0, plan_id="EXA100001MRE", plan_since="2026-01-01"
    )
    return ctx.db


@pytest.fixture
def own_copy(filled: Path, tmp_path: Path) -> Path:
    """The filled database, for a test that changes it or what the server knows of it."""
    db = tmp_path / "home" / "household.db"
    db.parent.mkdir()
    shutil.copy(filled, db)
    return db


@pytest.mark.parametrize("page", PAGES)
def test_every_page_stands_on_a_full_database(page: str, filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, page)
    assert not test.exception
    assert [error.value for error in test.error] == []
    assert [warning.value for warning in test.warning] == []
    assert [title.value for title in test.title] == [TITLES.get(page, page.capitalize())]
    assert "Cassowaries" in said(test)
    if page != "data":
        assert test.metric
        assert test.get("plotly_chart")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_what_to_do_on_an_empty_database(
    page: str, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    db = tmp_path / "none.db"
    test = visit(db, page)
    assert not test.exception
    assert not test.error
    assert not test.warning
    if page == "data":
        assert test.get("file_uploader")
        assert "NEM12" in said(test)
    else:
        advisers = {"households"} if page == "overview" else set()
        assert {link.proto.page for link in test.get("page_link")} == {"data", *advisers}
    assert not db.exists()


def test_spending_adds_up(filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, "spending")
    shown = metrics(test)
    assert shown["Spent"] == "$100.00"
    assert shown["Income"] == "$2,500.00"
    assert shown["Left over"] == "$2,400.00"


def test_spending_reads_of_transactions_only_those_that_it_lists(
    own_copy: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    uncounted, asked = Store.read, list[Mapping[str, Any] | None]()

    def counted(store: Store, name: str, *args: Any, **options: Any) -> Any:
        if name == "transactions":
            asked.append(options.get("where"))
        return uncounted(store, name, *args, **options)

    monkeypatch.setattr(Store, "read", counted)
    test = visit(own_copy, "spending")
    assert len(test.get("plotly_chart")) == 2
    test.session_state["every-transaction"] = True
    test.run()
    assert "SALARY ACME PTY LTD" in test.dataframe[-1].value["description"].to_list()
    assert [list(where or {}) for where in asked] in ([], [["id"]])  # classifying reads all of them


def test_usage_is_what_the_meter_file_holds(filled: Path, visit: Callable[..., AppTest]) -> None:
    shown = metrics(visit(filled, "usage"))
    assert shown["From the grid"] == "1,284 kWh"
    assert shown["A day, on average"] == "12.0 kWh"
    assert shown["Exported"] == "514 kWh"
    assert shown["Highest half-hour"] == "0.50 kW"
    assert shown["Meter data"] == "100%"


def test_a_bill_is_the_plan_times_the_meter(filled: Path, visit: Callable[..., AppTest]) -> None:
    """May: 31 days at $1.00 and 372 kWh at $0.30, each plus 10 % GST: 34.10 + 122.76."""
    test = visit(filled, "bills", tab="A past bill")
    shown = metrics(test)
    assert shown["Total"] == "$156.86"
    assert shown["Includes GST of"] == "$14.26"
    assert names(read(test), "1 May 2026", "31 May 2026", "Example Saver")


def test_a_home_with_several_plans_is_asked_once_for_its_own(
    own_copy: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    ctx = Context(own_copy, TODAY)
    others = [{"data": {**PLAN["data"], "planId": f"EXA10000{number}MRE"}} for number in range(2, 9)]
    (tmp_path / "plans.json").write_text(json.dumps(others))
    load(ctx, [tmp_path / "plans.json"])
    set_home(ctx, plan_id="", plan_since="")
    test = visit(own_copy, "bills")
    assert not test.warning
    assert test.selectbox(key="my-retailer-ELECTRICITY").options == ["Example Energy"]
    assert "EXA100002MRE" not in said(test)
    set_home(ctx, plan_id="EXA100002MRE")
    assert "Total" in metrics(visit(own_copy, "bills", tab="A past bill"))


def test_another_choice_prices_another_bill(filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, "bills", tab="A past bill")
    test.selectbox(key="which-bill").select("Choose dates").run()
    test.date_input(key="bill-dates").set_value((date(2026, 5, 1), date(2026, 5, 10))).run()
    assert not test.exception
    assert metrics(test)["Total"] == "$50.60"


def test_a_line_is_followed_from_the_bill_to_the_meter(filled: Path, visit: Callable[..., AppTest]) -> None:
    """372 kWh at $0.30 and 10 % GST is $122.76; 12 kWh a day in 48 reads of 0.25 kWh."""
    test = visit(filled, "bills", tab="A past bill")
    assert names(read(test), "372.000 kWh", "30.00 c", "10% GST", "$122.76")
    assert " 372.000 kWh." in read(test)
    test.selectbox(key="followed-day").select(date(2026, 5, 20)).run()
    assert names(read(test), "48 reads", "20 May 2026", "12.000 kWh")
    reads = next(table.value for table in test.dataframe if "interval_minutes" in table.value.columns)
    assert reads["time"].iloc[0].isoformat() == "2026-05-20T00:00:00"
    assert set(reads["quantity"]) == {0.25}


def test_a_plan_is_compared_by_what_it_would_have_cost(filled: Path, visit: Callable[..., AppTest]) -> None:
    """107 days with reads at $1.00 and 12 kWh at $0.30, plus 10 % GST: 117.70 + 423.72; today's plan is it.

    What-ifs are of the same days.
    """
    test = visit(filled, "plans")
    shown = metrics(test)
    assert (shown["Cheapest plan"], shown["Your plan"]) == ("$541.42", "$541.42")
    assert (shown["You would save"], shown["Plans priced"]) == ("$0.00", "1")
    assert metrics(visit(filled, "plans", tab="What if"))["Bills before"] == "$541.42"
    priced = next(frame.value for frame in test.dataframe if "total" in frame.value.columns)
    assert priced["total"].to_list() == [541.42, 541.42]


@pytest.fixture
def on_a_part(filled: Path, tmp_path: Path) -> Path:
    """The home says that it is on a plan whose evenings alone have a price."""
    evenings = {
        "type": "PEAK",
        "rates": [{"unitPrice": "0.40"}],
        "timeOfUse": [{"startTime": "15:00", "endTime": "21:00", "days": []}],
    }
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "1.00", "timeOfUseRates": [evenings]}
    contract = {"pricingModel": "TIME_OF_USE", "timeZone": "AEST", "tariffPeriod": [period]}
    part = {**PLAN["data"], "planId": "PART", "displayName": "Evenings", "electricityContract": contract}
    db = tmp_path / "part.db"
    shutil.copy(filled, db)
    (tmp_path / "part.json").write_text(json.dumps(part))
    ctx = Context(db, TODAY)
    load(ctx, [tmp_path / "part.json"])
    set_home(ctx, plan_id="PART")
    return db


def test_no_saving_is_shown_against_a_part_of_todays_plan(on_a_part: Path, visit: Callable[..., AppTest]) -> None:
    """107 days at $1.00 and a quarter of 12 kWh at $0.40, plus 10 % GST: 117.70 + 141.24."""
    test = visit(on_a_part, "plans")
    shown = metrics(test)
    assert (shown["Cheapest plan"], shown["Your plan"]) == ("$541.42", "$258.94")
    assert "You would save" not in shown
    ranked = next(frame.value for frame in test.dataframe if "total" in frame.value.columns)
    assert ranked["total"].to_list() == [541.42]
    assert "saving" not in ranked.columns
    partly = next(frame.value for frame in test.dataframe if "reason" in frame.value.columns)
    assert partly[["name", "total"]].to_numpy().tolist() == [["Your plan: Evenings", 258.94], ["Evenings", 258.94]]


def test_missing_reads_are_shown_with_what_they_leave_out(
    filled: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """1 February is read, the 27 days from then to 1 March are not: of 135 days to 15 June 20 %."""
    db = tmp_path / "gap.db"
    shutil.copy(filled, db)
    (tmp_path / "meter.csv").write_text(level("4103012345", date(2026, 2, 1), 1))
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    test = visit(db, "plans")
    assert "Meter data: 27 days missing of 135. Totals" in read(test)
    assert "missing of" not in read(visit(filled, "plans"))


def test_only_a_store_without_offered_plans_has_none_to_compare(
    filled: Path, tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "none.db"
    shutil.copy(filled, db)
    with open_store(db) as store, store.transaction():
        store.update("plans", {"vanished_at": "2026-06-01T00:00:00+00:00"}, {"plan_id": "EXA100001MRE"})
    assert plans_page.NO_PLANS_TITLE in said(visit(db, "plans"))

    def busy(*_: object, **__: object) -> None:
        raise StoreBusyError(ELSEWHERE)

    monkeypatch.setattr(plans_page, "compare", busy)
    test = visit(db, "plans")
    assert names(read(test).lower(), ELSEWHERE)
    assert plans_page.NO_PLANS_TITLE not in said(test)


def test_plans_that_fit_but_lack_a_price_are_not_called_unfit(
    filled: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Without its $1.00 a day the plan would cost 423.72 for 107 days."""
    db = tmp_path / "bare.db"
    shutil.copy(filled, db)
    (period,) = PLAN["data"]["electricityContract"]["tariffPeriod"]
    bare = {**period, "dailySupplyCharge": None}
    contract = {**PLAN["data"]["electricityContract"], "tariffPeriod": [bare]}
    newer = {**PLAN["data"], "lastUpdated": "2026-02-01T00:00:00Z", "electricityContract": contract}
    (tmp_path / "bare.json").write_text(json.dumps(newer))
    load(Context(db, TODAY), [tmp_path / "bare.json"])
    test = visit(db, "plans")
    assert plans_page.NONE_WHOLE in read(test)
    partly = next(frame.value for frame in test.dataframe if "reason" in frame.value.columns)
    assert partly["total"].to_list() == [423.72, 423.72]
    assert all(names(reason, "107 of the 107 days") for reason in partly["reason"])


def test_plans_are_chosen_from_by_what_they_are(filled: Path, visit: Callable[..., AppTest]) -> None:
    for key, choice in (("plans-green", "At least half"), ("plans-customer", "A business")):
        test = visit(filled, "plans")
        test.selectbox(key=key).select(choice).run()
        assert not test.exception
        assert plans_page.NONE_FITS in said(test)


def test_a_bill_from_paper_is_checked(filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, "bills", tab="Are they correct?")
    assert NO_INVOICES in said(test)
    test.date_input(key="paper-first").set_value(date(2026, 5, 1))
    test.date_input(key="paper-last").set_value(date(2026, 5, 31))
    test.text_input(key="paper-amount").set_value("$256.86")
    next(button for button in test.button if button.label == "Check").click().run()
    assert not test.exception
    assert "Different" in said(test)
    assert names(read(test), "$256.86", "$156.86")
    test.text_input(key="paper-amount").set_value("lots")
    next(button for button in test.button if button.label == "Check").click().run()
    assert [names(warning.value, "lots") for warning in test.warning] == [True]


def test_a_checked_paper_bill_is_kept_when_asked(own_copy: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(own_copy, "bills")
    test.date_input(key="paper-first").set_value(date(2026, 5, 1))
    test.date_input(key="paper-last").set_value(date(2026, 5, 31))
    test.text_input(key="paper-amount").set_value("256.86")
    press(test, "Check")
    assert list_invoices(Context(own_copy, TODAY)).invoices == ()  # looked at, not kept
    keep = next(field for field in test.text_input if field.label == "Retailer" and field.key.startswith("paper-"))
    keep.set_value("Wren Energy")
    next(
        button for button in test.button if button.label == "Save this bill" and button.form_id.startswith("form-paper")
    ).click().run()
    assert not test.exception
    assert len(test.success) == 1
    (bill,) = list_invoices(Context(own_copy, TODAY)).invoices
    assert (bill.fuel, bill.from_, bill.to, str(bill.billed), bill.retailer) == (
        *("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31)),
        *("256.86", "Wren Energy"),
    )


def test_a_change_is_tried_on_the_homes_own_use(filled: Path, visit: Callable[..., AppTest]) -> None:
    """7.5 kWh a day more at $0.33, the cents of each month rounded: 76.73 + 74.25 + 76.73 + 37.13 in 107 days."""
    test = visit(filled, "plans", tab="What if")
    next(choice for choice in test.button_group if choice.key == "whatif").set_value(["An electric vehicle"]).run()
    assert not test.exception
    shown = metrics(test)
    assert shown["Extra cost a year"] == "$903.43"
    before, after = (Decimal(shown[label].replace("$", "")) for label in ("Bills before", "Bills after"))
    assert (after - before, shown["Extra cost"]) == (Decimal("264.84"), "$264.84")


def test_hostile_text_is_shown_as_text_only(filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, "spending")
    test.session_state["every-transaction"] = True
    test.run()
    assert not [element for element in test.markdown if element.allow_html and "evil" in str(element.value)]
    assert "evil" not in said(test)
    frames = [frame.value for frame in test.dataframe]
    assert any("evil.example" in str(value) for frame in frames for value in frame.to_numpy().ravel())


def test_without_the_token_nothing_is_shown(filled: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(filled, "overview", token="wrong")
    assert [title.value for title in test.title] == [LOCKED]
    assert not test.metric
    assert not test.get("plotly_chart")
    assert "Cassowaries" not in said(test)


def test_a_home_is_told_once_and_kept(filled: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db = tmp_path / "home" / "household.db"
    test = visit(db, "data")
    next(field for field in test.text_input if field.label == "Postcode").set_value("3070")
    next(field for field in test.text_input if field.label == "Solar panels, kW").set_value("6.6")
    next(button for button in test.button if button.label == "Save").click().run()
    assert not test.error
    assert len(test.success) == 1
    assert next(field for field in visit(db, "data").text_input if field.label == "Postcode").value == "3070"


def field(test: AppTest, label: str) -> Any:
    return next(field for field in test.text_input if field.label == label)


def test_an_impossible_field_is_one_sentence_and_the_others_are_kept(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    db = tmp_path / "household.db"
    test = visit(db, "data")
    field(test, "Postcode").set_value("20x0")
    field(test, "Solar panels, kW").set_value("6.6")
    field(test, "Electricity distributor (as on the bill)").set_value("Ausgrid")
    field(test, "People in the household").set_value("Kim Nguyen; Lee Tran")
    press(test, "Save")
    assert ["postcode" in warning.value for warning in test.warning] == [True]
    shown = {
        label: field(test, label).value
        for label in ("Postcode", "Solar panels, kW", "Electricity distributor (as on the bill)")
    }
    assert shown == {
        "Postcode": "20x0",
        "Solar panels, kW": "6.6",
        "Electricity distributor (as on the bill)": "Ausgrid",
    }
    [kept] = homes(Context(db, TODAY)).households
    assert (kept.postcode, kept.panels_kw, kept.network) == (None, 6.6, "Ausgrid")
    field(test, "Postcode").set_value("2000")
    assert kept.persons == ("Kim Nguyen", "Lee Tran")
    field(test, "Solar panels, kW").set_value("lots")
    field(test, "People in the household").set_value("Lee Tran")
    press(test, "Save")
    assert ["lots" in warning.value for warning in test.warning] == [True]
    [kept] = homes(Context(db, TODAY)).households
    assert (kept.postcode, kept.panels_kw, kept.persons) == ("2000", 6.6, ("Lee Tran",))
    assert ["Everything else" in success.value for success in test.success] == [True]
    press(test, "Save")
    assert ["lots" in warning.value for warning in test.warning] == [True]
    assert not test.success  # nothing else was changed


def test_a_stale_form_says_what_was_changed_in_another_tab(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db = tmp_path / "household.db"
    set_home(Context(db, TODAY), postcode="2000", panels_kw="5")
    stale, other = visit(db, "data"), visit(db, "data")
    field(other, "Postcode").set_value("2600")
    press(other, "Save")
    field(stale, "Postcode").set_value("3000")
    field(stale, "Solar panels, kW").set_value("6.6")
    press(stale, "Save")
    assert ["2600" in warning.value for warning in stale.warning] == [True]
    [kept] = homes(Context(db, TODAY)).households
    assert (kept.postcode, kept.panels_kw) == ("2600", 6.6)


def test_files_are_taken_by_drag_and_drop(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db = tmp_path / "home" / "household.db"
    test = visit(db, "data")
    test.get("file_uploader")[0].set_value(
        [("bank.csv", BANK.encode(), "text/csv"), ("x.csv", b"hello", "text/csv")]
    ).run()
    next(button for button in test.button if button.label == "Import").click().run()
    assert not test.error
    assert names(said(test), "3")
    assert any("x.csv" in line for line in read(test).splitlines())
    assert "x.csv" in str([frame.value.to_dict() for frame in test.dataframe])
    assert "toolkit-import" not in said(test) + str([frame.value.to_dict() for frame in test.dataframe])
    assert metrics(visit(db, "spending"))["Spent"] == "$100.00"


def test_nothing_can_be_imported_before_there_is_a_file_and_what_is_typed_stays(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    test = visit(tmp_path / "household.db", "data")
    field(test, "Name of the bank account").set_value("Everyday").run()
    assert [button.disabled for button in test.button if button.label == "Import"] == [True]
    test.get("file_uploader")[0].set_value([("bank.csv", BANK.encode(), "text/csv")]).run()
    assert field(test, "Name of the bank account").value == "Everyday"
    press(test, "Import")
    assert field(test, "Name of the bank account").value == ""
    with open_store(tmp_path / "household.db") as store:
        assert [row["account_id"] for row in store.rows("accounts")] == ["Everyday"]


@pytest.mark.usefixtures("set_up_service")
def test_connecting_asks_for_what_is_missing(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db = tmp_path / "home" / "household.db"
    add_home(Context(db, TODAY), "Wombats")
    test = visit(db, "data")
    field(test, "Email").set_value("pia@example.com")
    test.selectbox(key="connect-into").select("A new household").run()
    press(test, "Connect")
    asked = ("Email", "Name", "Name of the new household")
    assert [len(beside(test, label)) for label in asked] == [0, 1, 1]
    assert field(test, "Email").value == "pia@example.com"


def test_new_data_shows_at_once(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """Answers are kept only as long as the database stays as it is."""
    db, bank = tmp_path / "home" / "household.db", tmp_path / "bank.csv"
    assert not visit(db, "spending").metric
    for on, spent in (("18/06/2026", "$10.00"), ("19/06/2026", "$20.00")):
        bank.write_text(f'{on},"-10.00","SHOP","+1000.00"\n')
        load(Context(db, TODAY), [bank])
        assert metrics(visit(db, "spending"))["Spent"] == spent


def test_a_home_with_several_meters_chooses_one(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    db, meter = tmp_path / "home" / "household.db", tmp_path / "meter.csv"
    meter.write_text(
        meter_file().replace("900\n", "") + meter_file().replace("4103012345", "4103099999").partition("\n")[2]
    )
    load(Context(db, TODAY), [meter])
    for page in PAGES:
        test = visit(db, page)
        assert not test.exception
        assert not test.error
    test = visit(db, "usage")
    test.selectbox(key="meter").select_index(1).run()
    assert not test.error
    assert metrics(test)["From the grid"] == "1,284 kWh"


def test_a_missing_service_is_set_up_before_accounts_are_connected(
    own_copy: Path, visit: Callable[..., AppTest], request: pytest.FixtureRequest
) -> None:
    test = visit(own_copy, "data", tab="Connected accounts")
    assert "Set up the service first" in said(test)
    assert not {"Connect", "Update"} & {button.label for button in test.button}
    request.getfixturevalue("set_up_service")
    test = visit(own_copy, "data", tab="Connected accounts")
    assert "Set up the service first" not in said(test)
    labels = {button.label for button in test.button}
    assert "Connect" in labels
    assert "Update" not in labels  # nobody shares anything yet


def test_published_plans_are_fetched_behind_the_page(
    own_copy: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.flows.consent.sandbox import sandbox
    from toolkit.pages.server import background

    with sandbox(seed=1, today=TODAY, households=1, years=1) as running:
        monkeypatch.setenv("TOOLKIT_REGISTER_URL", running.register_url)
        listed = httpx.get(f"{running.register_url}/quoll/cds-au/v1/energy/plans", headers={"x-v": "1"}).json()
        offered = listed["meta"]["totalRecords"]
        test = visit(own_copy, "plans")
        test.multiselect(key="register-retailers").set_value(["quoll", "agl"]).run()
        next(button for button in test.button if button.label == "Get their plans").click().run()
        job = background.job(f"plans {own_copy}")
        assert job is not None
        assert job.wait(120)
        assert job.error is None
    test = visit(own_copy, "plans")
    fetched = next(table.value for table in test.dataframe if "listed" in table.value.columns)
    (quoll,) = fetched.to_dict("records")
    assert (quoll["retailer"], quoll["listed"], quoll["added"], quoll["removed"]) == ("quoll", offered, offered, 0)
    assert "as before" not in read(test)  # nothing was
    assert names(read(test), "AGL", "'agl'")


def test_connecting_and_fetching_go_on_behind_the_page(
    tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.api.robot import walk_through
    from toolkit.flows.consent.sandbox import sandbox
    from toolkit.pages.server import background

    db = tmp_path / "home" / "household.db"
    with sandbox(seed=1, today=TODAY, households=2, years=1) as running:
        for name, value in keys_of(running).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("TOOLKIT_AUTO_UPDATE", "no")
        test = visit(db, "data")
        next(field for field in test.text_input if field.label == "Email").set_value("new@example.com")
        next(field for field in test.text_input if field.label == "Name").set_value("Noor New")
        next(button for button in test.button if button.label == "Connect").click().run()
        connecting = background.job(f"connect {db} None")
        assert connecting is not None
        assert connecting.linked(20)
        assert connecting.link is not None
        walk_through(connecting.link)
        assert connecting.wait(120)
        assert connecting.error is None
        test.run()
        assert CONNECTED in said(test)
        next(button for button in test.button if button.label == "Update").click().run()
        assert CONNECTED not in said(test)  # that is done
        fetching = background.job(f"sync {db} {test.session_state['household_id']}")
        assert fetching is not None
        assert fetching.wait(120)
        test.run()
    assert not test.error
    assert accounts.UP_TO_DATE in said(test)
    assert metrics(visit(db, "spending"))["Spent"] != "$0.00"


def test_the_checkout_asks_for_no_token(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`streamlit run app.py`: the database of the settings, on loopback by the committed configuration."""
    launched.begin(None)
    monkeypatch.setenv("TOOLKIT_DB", str(filled))
    test = AppTest.from_file(str(ENTRY.parents[3] / "app.py"), default_timeout=120).run()
    assert not test.exception
    assert not test.error
    assert [title.value for title in test.title] == ["Overview"]
    assert "Cassowaries" in said(test)


def test_the_committed_options_say_what_the_launcher_says() -> None:
    """`streamlit run app.py` reads a file, `toolkit app` brings its options along: they must not drift apart."""
    import tomllib

    from toolkit.pages.server import appearance

    written = tomllib.loads((ENTRY.parents[3] / ".streamlit" / "config.toml").read_text())
    flat = dict(_flat(written, ""))
    ours = appearance.options(0)
    assert {name: ours.get(name) for name in flat} == flat
    assert set(appearance.theme()) <= set(flat)


def _flat(options: dict[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def test_uploads_are_private_while_they_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    class Upload:
        name = "../bank.csv"

        def getbuffer(self) -> bytes:
            return b"x"

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = os.umask(0)
    try:
        with written([Upload()]) as paths:
            assert [path.stat().st_mode & 0o777 for path in paths] == [0o600]
            assert paths[0].parent.stat().st_mode & 0o777 == 0o700
            assert paths[0].is_relative_to(tmp_path)
    finally:
        os.umask(before)
    assert not paths[0].exists()


def test_the_home_card_asks_first_for_what_the_stored_data_needs(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """Nothing, then bank rows, then a meter that exports and no bills: the other fields wait behind one line."""
    db = tmp_path / "home.db"

    def asked() -> list[str]:
        test = visit(db, "data")
        form = next(field for field in test.text_input if field.label == "Postcode").form_id
        more = next(block for block in test.expander if block.label == MORE)
        behind = {field.label for field in (*more.text_input, *more.selectbox, *more.checkbox)}
        shown = (*test.text_input, *test.selectbox, *test.checkbox)
        return sorted(field.label for field in shown if field.form_id == form and field.label not in behind)

    assert asked() == ["Postcode"]
    with_bank_rows(tmp_path, '19/06/2026,"-42.50","CORNER CAFE",""\n')
    assert asked() == ["People in the household", "Postcode"]
    reads = [day(when, ["0.1"] * 48) for when in days("2026-06-01", 3)]
    (tmp_path / "meter.csv").write_text(nem12(register("E1"), *reads, register("B1"), *reads))
    load(Context(db, TODAY), [tmp_path / "meter.csv"])
    assert asked() == [
        *("Battery, kWh", "Energy bills come", "People in the household", "Postcode", "Solar panels, kW"),
    ]
