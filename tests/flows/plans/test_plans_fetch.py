"""Plans from a register on a real socket: what is asked, how often, and what is stored."""

from __future__ import annotations

from datetime import date

import pytest

from tests.flows.plans.plan_shop import BEFORE, LATER, LISTED, Shop, asked_for, counts, listed, plan, stored
from tests.problems import names
from tests.scripted_service import ScriptedService, reply, scripted_service
from toolkit.api.plan_register import Register
from toolkit.api.transport import RetryPolicy
from toolkit.errors import ChoiceRequiredError, ConnectionFailedError
from toolkit.flows.household.context import Context
from toolkit.flows.plans.fetch import Watcher, fetch
from toolkit.sandbox.serve import running
from toolkit.store import open_store


def test_all_pages_and_plans_of_the_named_retailers(ctx: Context, source: Register, service: ScriptedService):
    answer = fetch(ctx, source, retailers=["alpha", "Beta"])
    assert counts(answer) == [("alpha", 5, 5, 5, 0, 0, 0, 0), ("beta", 1, 1, 1, 0, 0, 0, 0)]
    assert (answer.failed, answer.problems) == ((), ())
    assert set(stored(ctx)) == {"P1@EME", "P2@EME", "P3@EME", "P4@EME", "P5@EME", "B1@EME"}
    with open_store(ctx.db) as store:
        assert {row["source"] for row in store.rows("plans")} == {"register"}


def test_a_second_reading_asks_for_no_plan(ctx: Context, source: Register, service: ScriptedService):
    fetch(ctx, source, retailers=["alpha"])
    asked_for(service)
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 0, 0, 0, 5, 0, 0)]
    assert asked_for(service) == ["alpha"] * 3


def test_without_tags_the_time_of_change_saves_the_asking(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.tagged = False
    fetch(ctx, source, retailers=["alpha"])
    asked_for(service)
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 0, 0, 0, 5, 0, 0)]
    assert asked_for(service) == ["alpha"] * 3


def test_a_changed_plan_is_a_new_version_and_one_gone_is_marked(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    fetch(ctx, source, retailers=["alpha"])
    shop.plans["alpha"]["P2@EME"] = plan("P2@EME", "0.35", LATER)
    del shop.plans["alpha"]["P5@EME"]
    asked_for(service)
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 4, 1, 0, 1, 3, 0, 1)]
    # the two pages once more before a plan counts as gone: it may have moved while they were read
    assert asked_for(service) == ["alpha"] * 4 + ["alpha/P2@EME"]
    assert stored(ctx)["P2@EME"] == (2, False)
    assert stored(ctx)["P5@EME"] == (1, True)
    shop.plans["alpha"]["P5@EME"] = plan("P5@EME")
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 0, 0, 0, 5, 0, 0)]
    assert stored(ctx)["P5@EME"] == (1, False)


def test_a_plan_that_another_brand_still_lists_stays(ctx: Context, source: Register, shop: Shop):
    shop.plans["beta"]["P5@EME"] = plan("P5@EME")
    fetch(ctx, source, retailers=["alpha", "beta"])
    del shop.plans["alpha"]["P5@EME"]
    fetch(ctx, source, retailers=["alpha"])
    assert stored(ctx)["P5@EME"] == (1, False)


def test_a_plan_that_keeps_failing_is_rejected_by_name_and_asked_for_again(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.failing["/alpha/cds-au/v1/energy/plans/P4@EME"] = [reply({}, 500)] * 3
    shop.listed = (*LISTED, "displayName", "brandName")
    shop.plans["alpha"]["P4@EME"]["displayName"] = "Saver 4"
    answer = fetch(ctx, source, retailers=["alpha"])
    assert answer.failed == ()
    assert [(problem.where, problem.severity) for problem in answer.problems] == [("P4@EME", "rejected")]
    assert answer.names == {"P4@EME": "Saver 4 (Example Energy)"}
    assert counts(answer) == [("alpha", 5, 4, 4, 0, 0, 1, 0)]
    asked_for(service)
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 1, 1, 0, 4, 0, 0)]
    assert asked_for(service) == ["alpha", "alpha", "alpha", "alpha/P4@EME"]


def test_a_run_that_is_stopped_goes_on_where_it_stopped(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.plans["alpha"] = {f"P{number:02}": plan(f"P{number:02}") for number in range(30)}
    said: list[str] = []
    stopped = Watcher(said.append, stop=lambda: any("plans read" in line for line in said))
    answer = fetch(ctx, source, retailers=["alpha"], watcher=stopped)
    (row,) = answer.retailers
    assert (row.added, row.to_go, answer.to_go) == (20, 10, 10)
    (row,) = fetch(ctx, source, retailers=["alpha"]).retailers
    assert (row.added, row.unchanged, row.to_go) == (10, 20, 0)


def test_no_more_requests_than_allowed(ctx: Context, source: Register, service: ScriptedService):
    source.most_requests = 6
    answer = fetch(ctx, source, retailers=["alpha"])
    assert (len(service.asked), answer.requests, answer.to_go) == (6, 6, 3)
    source.most_requests = None
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 3, 3, 0, 2, 0, 0)]


def test_a_busy_register_is_waited_for_as_long_as_it_asks(
    ctx: Context, source: Register, shop: Shop, slept: list[float]
):
    shop.failing["/beta/cds-au/v1/energy/plans"] = [reply({}, 429, retry_after="7"), reply({}, 503, retry_after="9")]
    assert counts(fetch(ctx, source, retailers=["beta"])) == [("beta", 1, 1, 1, 0, 0, 0, 0)]
    assert slept == [7.0, 9.0]


def test_what_is_no_plan_is_rejected_and_looked_at_again(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.plans["alpha"]["P1@EME"] = {"planId": "P1@EME", "lastUpdated": BEFORE}
    answer = fetch(ctx, source, retailers=["alpha"])
    assert counts(answer) == [("alpha", 5, 4, 4, 0, 0, 1, 0)]
    (problem,) = answer.problems
    assert (problem.where, problem.severity) == ("P1@EME", "rejected")
    shop.plans["alpha"]["P1@EME"] = plan("P1@EME")
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 1, 1, 0, 4, 0, 0)]


def test_another_retailer_goes_on_after_one_that_is_unknown(ctx: Context, source: Register):
    answer = fetch(ctx, source, retailers=["nosuch", "beta"])
    assert counts(answer)[-1] == ("beta", 1, 1, 1, 0, 0, 0, 0)
    (failed,) = answer.failed
    assert failed.retailer == "nosuch"
    assert "'nosuch'" in failed.reason


def test_a_link_elsewhere_ends_that_retailer_and_is_not_followed(
    ctx: Context, source: Register, service: ScriptedService
):
    page = {"data": {"plans": []}, "links": {"next": "https://elsewhere.example/plans?page=2"}, "meta": {}}
    service.answer = lambda _: reply(page)
    (failed,) = fetch(ctx, source, retailers=["alpha"]).failed
    assert failed.retailer == "alpha"
    assert asked_for(service) == ["alpha"]


def test_pages_that_go_in_a_circle_end(ctx: Context, source: Register, service: ScriptedService, shop: Shop):
    page = {"data": {"plans": [{"planId": "B1@EME", "lastUpdated": BEFORE}]}, "links": {}, "meta": {"totalPages": 99}}
    detail = reply({"data": plan("B1@EME")})
    service.answer = lambda asked: detail if asked.path.endswith("B1@EME") else reply(page)
    (failed,) = fetch(ctx, source, retailers=["beta"]).failed
    assert failed.retailer == "beta"
    assert asked_for(service) == ["beta", "beta", "beta/B1@EME"]


def test_redirects_are_not_followed(ctx: Context, source: Register, service: ScriptedService):
    service.answer = lambda _: reply({}, 302, location="https://elsewhere.example/")
    (failed,) = fetch(ctx, source, retailers=["alpha"]).failed
    assert names(failed.reason, 302, "TOOLKIT_REGISTER_URL")


def test_nobody_there(ctx: Context):
    with (
        Register("http://127.0.0.1:9", retry_policy=RetryPolicy(sleep=lambda _: None)) as source,
        pytest.raises(ConnectionFailedError, match="TOOLKIT_REGISTER_URL"),
    ):
        fetch(ctx, source, all_=True)


def test_retailers_have_to_be_named(ctx: Context, source: Register, service: ScriptedService):
    with pytest.raises(ChoiceRequiredError, match="--retailer"):
        fetch(ctx, source)
    assert service.asked == []


def test_of_all_known_retailers_the_absent_ones_are_only_noted(ctx: Context, source: Register, shop: Shop):
    shop.plans["agl"] = {"A1@EME": plan("A1@EME")}
    answer = fetch(ctx, source, all_=True)
    assert counts(answer) == [("agl", 1, 1, 1, 0, 0, 0, 0)]
    assert answer.failed == ()
    unread, absent = answer.notes
    assert (unread.code, absent.code) == ("brands_not_read", "retailers_without_plans")
    assert "404" in str(unread)
    assert "origin" in str(absent.figures["names"])


def test_all_retailers_are_those_of_the_registers_own_list(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    own = source.base_url
    shop.brands = [
        listed("Alpha", f"{own}/alpha"),
        listed("Alpha Direct", f"{own}/alpha/"),
        listed("Beta", "https://elsewhere.example/beta", productBaseUri=f"{own}/beta"),
    ]
    answer = fetch(ctx, source, all_=True)
    assert [row.retailer for row in answer.retailers] == ["alpha", "beta"]
    assert answer.notes == ()
    assert {path.partition("/")[0] for path in asked_for(service)} == {"alpha", "beta"}


def test_an_address_elsewhere_is_not_asked(ctx: Context, source: Register, service: ScriptedService, shop: Shop):
    shop.plans["agl"] = {"A1@EME": plan("A1@EME")}
    shop.brands = [
        listed("Beta", f"{source.base_url}/beta"),
        listed("AGL", "https://elsewhere.example/agl"),
        {"brandName": 7},
        listed("Odd", f"{source.base_url}/odd/deeper"),
        listed("None", ""),
    ]
    answer = fetch(ctx, source, all_=True)
    assert [row.retailer for row in answer.retailers] == ["agl", "beta"]
    assert answer.note_codes[0] == "brands_elsewhere"
    assert answer.notes[0].figures == {"count": 5, "elsewhere": 3}


def test_a_brand_is_found_by_its_name_in_the_registers_list(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.brands = [listed("Beta Power & Gas", f"{source.base_url}/beta")]
    assert counts(fetch(ctx, source, retailers=["beta  power & GAS"])) == [("beta", 1, 1, 1, 0, 0, 0, 0)]
    shop.brands = None
    (failed,) = fetch(ctx, source, retailers=["beta power & gas"]).failed
    assert failed.retailer == "beta-power-&-gas"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 5}'])
def test_a_list_of_brands_that_is_none(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop, body: bytes
):
    service.answer = lambda asked: reply(body) if "brands" in asked.path else shop.answer(asked)
    answer = fetch(ctx, source, all_=True)
    assert answer.failed == ()
    assert answer.note_codes[0] == "brands_not_read"


def test_an_address_of_the_list_that_does_not_answer_is_named_by_its_setting(
    ctx: Context, service: ScriptedService, shop: Shop
):
    service.answer = shop.answer
    with Register(
        service.url, brands_url="http://127.0.0.1:9", retry_policy=RetryPolicy(sleep=lambda _: None)
    ) as source:
        unread = fetch(ctx, source, all_=True).notes[0]
    assert "TOOLKIT_BRANDS_URL" in str(unread)


def test_the_list_of_brands_may_stand_on_another_host(ctx: Context, service: ScriptedService, shop: Shop):
    with scripted_service() as other:
        other.answer = lambda _: reply({"data": [listed("Beta", f"{service.url}/beta")]})
        with Register(service.url, brands_url=other.url) as source:
            answer = fetch(ctx, source, all_=True)
        assert [row.retailer for row in answer.retailers] == ["beta"]
        assert [asked.path for asked in other.asked] == ["/cdr-register/v1/energy/data-holders/brands/summary"]


def test_all_of_the_sandboxs_market(ctx: Context):
    with (
        running(seed=1, today=date(2026, 3, 1), households=1, years=1) as service,
        Register(service.register_url) as it,
    ):
        answer = fetch(ctx, it, all_=True)
    assert len(answer.retailers) == 14
    assert sum(row.added for row in answer.retailers) > 2000
    assert (answer.failed, answer.notes) == ((), ())


def test_the_register_of_the_sandbox_is_read_and_read_again(ctx: Context):
    with (
        running(seed=1, today=date(2026, 3, 1), households=1, years=1) as service,
        Register(service.register_url) as it,
    ):
        (first,) = fetch(ctx, it, retailers=["lyrebird"]).retailers
        (again,) = fetch(ctx, it, retailers=["lyrebird"]).retailers
    assert first.listed == first.added > 100
    assert (again.fetched, again.unchanged) == (0, first.listed)
