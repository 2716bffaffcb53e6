"""Several households: one on screen, a table of all, and addresses that name nobody."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput
from streamlit.util import calc_hash

from tests.bill_pdfs import BOXES
from tests.pages.seen import TODAY, said
from tests.problems import names
from toolkit.flows.desk import desk as desk_flow
from toolkit.flows.desk import figures
from toolkit.flows.desk.desk import desk, out_of_date
from toolkit.flows.desk.refresh import bring_up_to_date
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.merge import merge
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.money.summary import spending
from toolkit.pages import entry, widgets
from toolkit.pages.desk.figures import REFRESH, WORKING
from toolkit.pages.importing.unrecognised import LABEL
from toolkit.pages.server import background
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.visit import ON_SCREEN
from toolkit.pages.text import plain
from toolkit.store import Store, open_store

Visit = Callable[..., AppTest]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Two households without data."""
    home = Context(tmp_path / "home" / "household.db", TODAY)
    for name in ("Wombats", "Quolls"):
        add_home(home, name)
    return home


def ids(ctx: Context) -> dict[str, str]:
    return {home.name: home.id for home in homes(ctx).households}


def field(test: AppTest, label: str) -> TextInput:
    return next(field for field in test.text_input if field.label == label)


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def selected(test: AppTest, row: int) -> AppTest:
    """The page after a row of the table was selected, as the browser tells it."""
    test.session_state["table-households"] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return test.run()


def shown_household(test: AppTest) -> str:
    """The name above every page; empty where no household is on screen."""
    shown = [re.fullmatch('<div class="household-name">(.*)</div>', html.proto.body) for html in test.get("html")]
    return next((name[1] for name in shown if name), "")


def test_the_list_comes_first_and_one_is_opened_by_its_name(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "overview")
    assert [title.value for title in test.title] == ["Households"]
    assert test.dataframe[0].value["name"].to_list() == ["Quolls", "Wombats"]
    test.selectbox(key="household-0").select(ids(ctx)["Wombats"]).run()
    assert shown_household(test) == "Wombats"
    test = visit(ctx.db, "households", household=lambda: launched.in_address(ids(ctx)["Wombats"]))
    assert shown_household(test) == ""  # another one may be ticked in the table


def test_a_household_is_chosen_also_where_the_next_click_has_come_already(
    ctx: Context, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit ends what a click began at the first thing that is sent to the browser after another click."""
    apply_click, send = SessionState.on_script_will_rerun, ScriptRunContext.enqueue
    is_in_click = threading.local()

    def followed_by_a_click(*args: Any, **options: Any) -> None:
        is_in_click.now = True
        try:
            apply_click(*args, **options)
        finally:
            is_in_click.now = False

    def sent(run: ScriptRunContext, message: ForwardMsg) -> None:
        if getattr(is_in_click, "now", False):
            raise RerunException(RerunData())
        send(run, message)

    monkeypatch.setattr(SessionState, "on_script_will_rerun", followed_by_a_click)
    monkeypatch.setattr(ScriptRunContext, "enqueue", sent)
    test = visit(ctx.db, "spending", household=lambda: launched.in_address(ids(ctx)["Quolls"]))
    test.selectbox(key="household-0").select(ids(ctx)["Wombats"]).run()
    assert shown_household(test) == "Wombats"
    assert launched.in_address(ids(ctx)["Wombats"]) in test.query_params["household"]


def test_an_address_names_nobody_and_changes_with_the_launch(ctx: Context, visit: Visit) -> None:
    wombats = ids(ctx)["Wombats"]
    test = visit(ctx.db, "spending", household=lambda: launched.in_address(wombats))
    assert shown_household(test) == "Wombats"
    address = str(test.query_params)
    assert wombats not in address
    assert "Wombats" not in address
    assert [title.value for title in test.title] == ["Spending"]


@pytest.mark.parametrize("page", ["overview", "spending", "data"])
def test_an_address_of_an_earlier_launch_leads_to_the_list(page: str, ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, page, household="0123456789abcdef")
    assert shown_household(test) == ""
    assert not test.error
    if page == "overview":
        assert [title.value for title in test.title] == ["Households"]
    else:
        assert len(test.get("page_link")) == 1


@pytest.mark.parametrize("page", ["overview", "spending", "data"])
def test_a_link_to_a_household_that_is_gone_shows_nobody_elses(page: str, ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, page, household=lambda: launched.in_address("home_000000000000"))
    assert [title.value for title in test.title] == [entry.GONE]
    assert not test.error
    assert shown_household(test) == ""
    press(test, "Wombats")
    assert shown_household(test) == "Wombats"
    assert test.title[0].value != entry.GONE


def test_a_household_deleted_while_it_is_on_screen_is_not_replaced_by_another(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "spending", household=lambda: launched.in_address(ids(ctx)["Quolls"]))
    assert shown_household(test) == "Quolls"
    merge(ctx, "Wombats", "Quolls")
    test.run()
    assert [title.value for title in test.title] == [entry.GONE]


def test_one_is_chosen_by_name_where_no_mouse_ticks_a_row(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    assert not [title for title in test.subheader if title.value in ids(ctx)]
    for choose, expected in (
        (lambda: test.selectbox(key="household-by-name").select(ids(ctx)["Wombats"]).run(), "Wombats"),
        (lambda: selected(test, 0), "Quolls"),
        (lambda: test.selectbox(key="household-by-name").select(ids(ctx)["Wombats"]).run(), "Wombats"),
    ):
        choose()
        assert [title.value for title in test.subheader if title.value in ids(ctx)] == [expected]
        assert test.selectbox(key="household-by-name").value == ids(ctx)[expected]


def test_one_is_renamed_noted_archived_and_put_back(ctx: Context, visit: Visit) -> None:
    test = selected(visit(ctx.db, "households"), 0)
    next(field for field in test.text_input if field.label == "Name").set_value("Quokkas")
    next(field for field in test.text_input if field.label == "Note").set_value("Call back")
    press(test, "Save")
    rows = {row.name: row for row in desk(ctx).households}
    assert rows["Quokkas"].note == "Call back"
    table = next(frame.value for frame in test.dataframe if "note" in frame.value.columns)
    assert list(table.columns) == ["name", "note"]  # last, as it may be long
    drawn = selected(test, 0).dataframe[0].proto.id
    press(test, "Archive")
    assert [row.name for row in desk(ctx).households] == ["Wombats"]
    assert test.dataframe[0].proto.id == drawn  # another table would not be sorted as a person sorted it
    assert not [title for title in test.subheader if title.value == "Wombats"]  # in the place of the one selected
    press(test, "Put back")
    assert len(desk(ctx).households) == 2


def test_what_is_said_over_the_page_names_no_household_where_there_are_several(ctx: Context, visit: Visit) -> None:
    """It stays for some seconds, also over the pages of another household."""
    test = press(selected(visit(ctx.db, "households"), 0), "Archive")
    assert [box.value for box in test.success] == [plain("Quolls is archived.")]
    assert [box.value for box in test.toast] == ["Done."]


def test_an_archived_household_is_no_longer_the_one_on_screen(ctx: Context, visit: Visit) -> None:
    quolls = ids(ctx)["Quolls"]
    test = selected(visit(ctx.db, "households", household=lambda: launched.in_address(quolls)), 0)
    assert test.session_state[ON_SCREEN] == quolls
    press(test, "Archive")
    assert [row.name for row in desk(ctx).households] == ["Wombats"]
    assert test.session_state[ON_SCREEN] != quolls


def test_what_another_tab_wrote_of_a_household_stays(ctx: Context, visit: Visit) -> None:
    """One tab writes a note, the other what was agreed; then the second writes a note and is told of the first's."""
    first, second = (selected(visit(ctx.db, "households"), 0) for _ in range(2))

    def write(test: AppTest, label: str, text: str) -> None:
        next(field for field in test.text_input if field.label == label).set_value(text)
        press(test, "Save")

    def written() -> tuple[str | None, str | None]:
        (home,) = [home for home in homes(ctx).households if home.name == "Quolls"]
        return home.note, home.purpose

    write(first, "Note", "Call back")
    write(second, "What the client agreed to", "Budget")
    assert written() == ("Call back", "Budget")
    second = selected(visit(ctx.db, "households"), 0)
    write(selected(first, 0), "Note", "Called")
    write(second, "Note", "Rent is late")
    assert [names(warning.value, "Called") for warning in second.warning] == [True]
    assert written() == ("Called", "Budget")
    press(second, "Save")
    assert written() == ("Rent is late", "Budget")


def test_one_is_added(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    field(test, "Name of the new household").set_value("Numbats")
    press(test, "Add")
    assert [home.name for home in homes(ctx).households] == ["Numbats", "Quolls", "Wombats"]
    assert test.selectbox(key="desk-into").value == ids(ctx)["Numbats"]  # for files that are still on their way
    assert next(button for button in test.button if button.label == "Add").disabled  # as there are none yet


def test_one_that_was_added_without_files_is_opened_to_connect_its_accounts(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    field(test, "Name of the new household").set_value("Numbats")
    press(test, "Add")
    test.button(key="desk-open-new").click().run()
    assert shown_household(test) == "Numbats"
    assert [title.value for title in test.title] == ["Overview"]
    assert "demo-open" not in {button.key for button in test.button}  # the demo is for somebody with nothing yet


def test_files_that_are_there_go_into_the_household_that_is_chosen(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    test.selectbox(key="desk-into").select(ids(ctx)["Wombats"]).run()
    test.file_uploader[0].set_value([("everyday.csv", b"01/06/2026,-12.50,CAFE,100.00\n", "text/csv")]).run()
    press(test, "Add")
    assert spending(replace(ctx, household="Wombats")).spent == Decimal("12.50")


def test_a_file_that_is_not_recognised_is_asked_about_on_the_page_of_the_household_that_was_added(
    ctx: Context, visit: Visit
) -> None:
    test = visit(ctx.db, "households")
    field(test, "Name of the new household").set_value("Numbats")
    own = ("own.csv", b"when,who,worth\n01/06/2026,CAFE,-3.00\n", "text/csv")
    test.file_uploader[0].set_value([own, ("bill.pdf", BOXES, "application/pdf")]).run()
    press(test, "Add")
    assert (shown_household(test), [title.value for title in test.title]) == ("Numbats", ["Data"])
    assert [names(warning.value.replace("\\", ""), "own.csv is not", LABEL) for warning in test.warning] == [True]
    assert LABEL in {expander.label for expander in test.expander}


def test_a_name_that_is_taken_is_refused_and_kept_in_its_field(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    field(test, "Name of the new household").set_value("Quolls")
    press(test, "Add")
    assert [names(warning.value, "Quolls") for warning in test.warning] == [True]
    assert field(test, "Name of the new household").value == "Quolls"


def test_a_name_that_differs_in_capitals_only_is_refused(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households")
    field(test, "Name of the new household").set_value(" quolls")
    press(test, "Add")
    assert names(test.warning[0].value, "Quolls", "already")
    test = selected(visit(ctx.db, "households"), 1)
    field(test, "Name").set_value("QUOLLS")
    press(test, "Save")
    assert names(test.warning[0].value, "Quolls", "already")
    assert sorted(ids(ctx)) == ["Quolls", "Wombats"]


def test_households_whose_day_to_follow_up_has_come_are_named(ctx: Context, visit: Visit) -> None:
    set_home(replace(ctx, household="Quolls"), follow_up=TODAY)
    set_home(replace(ctx, household="Wombats"), follow_up=TODAY + timedelta(1))
    (told,) = [text for text in said(visit(ctx.db, "households")).splitlines() if "To follow up" in text]
    assert names(told, "Quolls")
    assert "Wombats" not in told


def test_two_are_merged_and_the_merge_undone(ctx: Context, visit: Visit) -> None:
    test = selected(visit(ctx.db, "households"), 0)
    test.selectbox(key="desk-merge").select(ids(ctx)["Wombats"]).run()
    press(test, "Merge")
    assert list(ids(ctx)) == ["Quolls"]
    press(test, "Undo the merge")
    assert sorted(ids(ctx)) == ["Quolls", "Wombats"]
    assert "Undo the merge" not in [button.label for button in test.button]


def test_the_one_on_screen_is_merged_into_another_and_the_merge_undone(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "households", household=lambda: launched.in_address(ids(ctx)["Wombats"]))
    selected(test, 0).selectbox(key="desk-merge").select(ids(ctx)["Wombats"]).run()
    press(test, "Merge")
    assert [title.value for title in test.title] == ["Households"]
    press(test, "Undo the merge")
    assert sorted(ids(ctx)) == ["Quolls", "Wombats"]


def test_the_list_is_in_the_menu_from_the_first_one_on(tmp_path: Path, visit: Visit) -> None:
    home = Context(tmp_path / "first" / "household.db", TODAY)
    test = visit(home.db, "households")
    field(test, "Name of the new household").set_value("Numbats")
    press(test, "Add")
    own = widgets.PAGES["households"].visibility
    visit(home.db, "overview")  # another visit, of one household
    assert (own, widgets.PAGES["households"].visibility) == ("visible", "hidden")


def test_one_is_deleted_only_with_its_name_typed(ctx: Context, visit: Visit) -> None:
    test = selected(visit(ctx.db, "households"), 0)
    job = background.job(f"desk {ctx.db} {TODAY}")
    assert job is not None
    assert job.wait(120)
    typed = f"delete-name-{ids(ctx)['Quolls']}"
    test.text_input(key=typed).set_value("Wombats")
    press(test, "Delete")
    assert len(homes(ctx).households) == 2
    selected(test, 0).text_input(key=typed).set_value("quolls")
    press(test, "Delete")
    assert [home.name for home in homes(ctx).households] == ["Wombats"]
    assert b"Quolls" not in test.session_state["households-record"]
    test.download_button(key="desk-record").click().run()
    assert [button.key for button in test.download_button if button.key == "desk-record"]  # the browser fetches it
    assert not [button.key for button in test.run().download_button if button.key == "desk-record"]


def test_a_deletion_gives_its_record_also_where_the_page_was_left_meanwhile(
    ctx: Context, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left(_job: background.Job) -> None:
        raise StopException

    test = selected(visit(ctx.db, "households"), 0)
    test.text_input(key=f"delete-name-{ids(ctx)['Quolls']}").set_value("Quolls")
    with monkeypatch.context() as patched:
        patched.setattr(background.Job, "wait_for_end", left)
        press(test, "Delete")
    again = visit(ctx.db, "households")
    assert names(said(again), "Quolls is deleted")
    assert [home.name for home in homes(ctx).households] == ["Wombats"]
    assert b"Quolls" not in again.session_state["households-record"]
    assert "households-record" not in visit(ctx.db, "households").session_state


def test_the_figures_are_worked_out_behind_the_page(ctx: Context, visit: Visit) -> None:
    assert {row.as_of for row in desk(ctx).households} == {None}
    visit(ctx.db, "households")
    job = background.job(f"desk {ctx.db} {TODAY}")
    assert job is not None
    assert job.wait(120)
    assert {row.as_of for row in desk(ctx).households} == {TODAY}
    test = visit(ctx.db, "households")
    assert WORKING not in said(test)
    assert "20 Jun 2026" in said(test)  # one day for all: a column of it would push others out of sight
    assert "as_of" not in test.dataframe[0].value.columns


def test_figures_that_changed_are_looked_for_once_while_nothing_is_stored(
    ctx: Context, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_up_to_date(ctx)
    looked = []
    basis_of = desk_flow.basis_of

    def counted(store: Store, homes: Iterable[str]) -> dict[str, str]:
        if threading.current_thread().name != REFRESH:  # the page; the background job looks too
            looked.append(homes)
        return basis_of(store, homes)

    monkeypatch.setattr(desk_flow, "basis_of", counted)
    test = visit(ctx.db, "households").run()
    assert len(looked) == 1
    add_home(ctx, "Bilbies")
    test.run()
    assert len(looked) == 2


def test_a_household_added_while_figures_are_worked_out_gets_its_own_at_the_next_look(
    ctx: Context, visit: Visit
) -> None:
    def added() -> bool:
        if "Numbats" not in ids(ctx):
            add_home(ctx, "Numbats")
        return False

    job = background.start(f"desk {ctx.db} {TODAY}", "Figures", lambda _job: bring_up_to_date(ctx, is_stopped=added))
    assert job.wait(120)
    assert out_of_date(ctx) == [ids(ctx)["Numbats"]]
    visit(ctx.db, "households")
    again = background.job(f"desk {ctx.db} {TODAY}")
    assert again is not None
    assert again.wait(120)
    assert {row.as_of for row in desk(ctx).households} == {TODAY}


def test_figures_of_data_that_changed_meanwhile_are_worked_out_again(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    wombats = ids(ctx)["Wombats"]

    def changed(of: Context) -> figures.Figures:
        answer = work_out(of)
        set_home(replace(ctx, household=wombats), postcode="2042")
        return answer

    work_out = figures.work_out
    with monkeypatch.context() as patched:
        patched.setattr(figures, "work_out", changed)
        figures.current_figures(replace(ctx, household=wombats))
    assert wombats in out_of_date(ctx)
    assert bring_up_to_date(ctx) == frozenset()
    assert out_of_date(ctx) == []


def test_a_link_that_was_not_used_in_time_has_expired(ctx: Context, visit: Visit) -> None:
    sent = datetime(2026, 6, 1, 2, tzinfo=UTC)
    with open_store(ctx.db) as store:
        for name, ends in (("Quolls", sent + timedelta(3)), ("Wombats", sent + timedelta(30))):
            person = {"household_id": ids(ctx)[name], "end_user_id": name, "state": "invited", "invited_at": sent}
            store.upsert("end_users", [person | {"invite_url": "https://x.example", "invite_expires_at": ends}])
    table = visit(ctx.db, "households").dataframe[0].value
    assert table["link"].tolist() == ["Expired, sent 1 Jun 2026", "Sent 1 Jun 2026"]


def test_many_are_narrowed_down_and_stay_so_while_one_of_them_is_open(ctx: Context, visit: Visit) -> None:
    for number in range(8):
        add_home(ctx, f"Family {number}")
    for name in ("Quolls", "Family 3"):
        set_home(replace(ctx, household=name), follow_up=TODAY)
    test = visit(ctx.db, "households")
    show = test.selectbox(key="households-show")
    assert show.options == ["All households (10)", "To follow up (2)"]
    show.select("To follow up").run()
    assert test.dataframe[0].value["name"].to_list() == ["Family 3", "Quolls"]
    selected(test, 1).button(key="desk-open").click().run()
    assert shown_household(test) == "Quolls"
    test._page_hash = calc_hash("households")
    test.run()
    assert test.dataframe[0].value["name"].to_list() == ["Family 3", "Quolls"]
    set_home(replace(ctx, household="Quolls"), follow_up="")
    set_home(replace(ctx, household="Family 3"), follow_up="")
    test.run()  # the last one of these was seen to
    assert len(test.dataframe[0].value) == 10


def test_the_table_says_of_how_many_accounts_the_balance_is_not_known(ctx: Context, visit: Visit) -> None:
    (ctx.db.parent / "known.csv").write_text('01/06/2026,"-20.00","GYM","900.00"\n')
    (ctx.db.parent / "unknown.csv").write_text('01/06/2026,"-30.00","RENT",""\n')
    for name in ("known.csv", "unknown.csv"):
        load(replace(ctx, household="Quolls"), [ctx.db.parent / name])
    bring_up_to_date(ctx)
    table = visit(ctx.db, "households").dataframe[0].value
    assert dict(zip(table["name"], table["left_out"].fillna(""), strict=True)) == {"Quolls": "1 account", "Wombats": ""}
    assert [row.accounts_left_out for row in desk(ctx).households] == [1, 0]


def test_a_link_was_sent_on_a_day_of_the_readers_time_zone(ctx: Context, visit: Visit) -> None:
    """20:00 UTC is the next morning in Sydney, which counts where the browser does not say its zone."""
    sent = datetime(2026, 6, 18, 20, tzinfo=UTC)
    person = {"household_id": ids(ctx)["Quolls"], "end_user_id": "eu", "state": "invited"}
    times = {"invite_url": "https://x.example", "invited_at": sent, "invite_expires_at": sent + timedelta(5)}
    with open_store(ctx.db) as store:
        store.upsert("end_users", [person | times])
    table = visit(ctx.db, "households").dataframe[0].value
    assert table["link"].tolist() == ["Sent 19 Jun 2026", ""]
