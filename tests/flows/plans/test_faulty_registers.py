"""Plan registers that break their own rules: what is stored all the same, and that no plan is lost by it."""

from __future__ import annotations

import json

import pytest

from tests.flows.plans.plan_shop import BEFORE, BRANDS, LATER, Shop, asked_for, counts, listed, plan, stored
from tests.scripted_service import Reply, ScriptedService, reply
from toolkit.answers.energy.plans import PlanFetch
from toolkit.api.plan_register import Register
from toolkit.flows.household.context import Context
from toolkit.flows.plans.fetch import fetch
from toolkit.flows.plans.listed import plan_list

LIST = "/alpha/cds-au/v1/energy/plans"
FIVE = {"P1@EME", "P2@EME", "P3@EME", "P4@EME", "P5@EME"}


def offered(ctx: Context) -> set[str]:
    return {row.plan_id for row in plan_list(ctx).plans if row.offered}


def kept(answer: PlanFetch) -> tuple[object, object]:
    """The retailer, and how many plans missing from its list stay on offer, as the first note has them."""
    note = answer.notes[0]
    assert note.code == "missing_plans_kept"
    return note.figures["retailer"], note.figures["count"]


@pytest.mark.parametrize(
    ("meta", "links"),
    [({"totalPages": 1}, "?page="), ({"totalPages": 3}, ""), ({"totalPages": None}, "?page=")],
)
def test_pages_go_on_while_link_or_count_says_so(
    ctx: Context, source: Register, shop: Shop, meta: dict[str, object], links: str
):
    shop.meta, shop.links = meta, links
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 5, 5, 0, 0, 0, 0)]


def test_a_page_that_is_announced_but_not_there_ends_the_list(ctx: Context, source: Register, shop: Shop):
    fetch(ctx, source, retailers=["alpha"])
    shop.meta = {"totalPages": 9}
    del shop.plans["alpha"]["P5@EME"]
    answer = fetch(ctx, source, retailers=["alpha"])
    assert (answer.failed, answer.retailers[0].removed) == ((), 0)
    assert offered(ctx) == FIVE
    assert kept(answer) == ("alpha", 1)


@pytest.mark.parametrize("left", [0, 3])
def test_a_list_that_shrinks_to_nothing_or_by_more_than_a_third_withdraws_no_plan(
    ctx: Context, source: Register, shop: Shop, left: int
):
    fetch(ctx, source, retailers=["alpha"])
    everything = dict(shop.plans["alpha"])
    for plan_id in sorted(FIVE)[left:]:
        del shop.plans["alpha"][plan_id]
    for _ in range(2):
        answer = fetch(ctx, source, retailers=["alpha"])
        assert (answer.failed, answer.retailers[0].removed) == ((), 0)
        assert offered(ctx) == FIVE
        assert kept(answer) == ("alpha", 5 - left)
    shop.plans["alpha"] = {plan_id: everything[plan_id] for plan_id in sorted(FIVE)[:4]}
    answer = fetch(ctx, source, retailers=["alpha"])
    assert (answer.retailers[0].removed, answer.notes) == (1, ())
    assert offered(ctx) == FIVE - {"P5@EME"}


@pytest.mark.parametrize("counted", [True, False])
def test_a_list_that_changes_while_it_is_read_withdraws_no_plan(
    ctx: Context, source: Register, shop: Shop, counted: bool
):
    shop.tagged = False
    shop.plans["alpha"]["P6@EME"] = plan("P6@EME")
    if not counted:
        shop.meta = {"totalRecords": None}
    fetch(ctx, source, retailers=["alpha"])
    shop.after_list = lambda page: shop.plans["alpha"].pop("P1@EME", None) if page == 1 else None
    answer = fetch(ctx, source, retailers=["alpha"])  # P3 has moved to the page that was read before
    assert answer.retailers[0].removed == 0
    assert offered(ctx) == FIVE | {"P6@EME"}
    assert kept(answer) == ("alpha", 1)
    assert fetch(ctx, source, retailers=["alpha"]).retailers[0].removed == 1


def test_a_list_that_breaks_off_keeps_its_pages_and_withdraws_no_plan(ctx: Context, source: Register, shop: Shop):
    fetch(ctx, source, retailers=["alpha", "beta"])
    shop.plans["alpha"]["P1@EME"] = plan("P1@EME", "0.35", LATER)
    del shop.plans["alpha"]["P2@EME"]
    shop.broken_page = "2"
    answer = fetch(ctx, source, retailers=["alpha", "beta"])
    assert [failed.retailer for failed in answer.failed] == ["alpha"]
    assert [(row.retailer, row.updated, row.removed) for row in answer.retailers] == [("alpha", 1, 0), ("beta", 0, 0)]
    assert offered(ctx) == FIVE | {"B1@EME"}


def cut(body: object) -> Reply:
    return reply(json.dumps(body).encode()[:-20])


def test_an_answer_cut_in_the_middle_is_asked_for_again(ctx: Context, source: Register, shop: Shop):
    shop.brands = [listed("Alpha", f"{source.base_url}/alpha")]
    shop.failing = {
        f"/{BRANDS}": [cut({"data": shop.brands})],
        LIST: [cut({"data": {"plans": [{"planId": "P1@EME"}]}, "links": {}, "meta": {}})],
        f"{LIST}/P2@EME": [cut({"data": plan("P2@EME")})],
    }
    answer = fetch(ctx, source, all_=True)
    assert counts(answer) == [("alpha", 5, 5, 5, 0, 0, 0, 0)]
    assert (answer.problems, answer.notes) == ((), ())


def test_a_page_size_that_is_refused_is_made_smaller(ctx: Context, service: ScriptedService, shop: Shop):
    shop.plans["alpha"] = {f"P{number}": plan(f"P{number}") for number in range(120)}
    shop.largest_page = 100
    with Register(service.url) as source:
        (row,) = fetch(ctx, source, retailers=["alpha"]).retailers
    assert (row.listed, row.added) == (120, 120)
    assert [asked.value("page-size") for asked in service.asked if asked.path == LIST] == ["1000", "500", "100", "100"]


def test_what_the_register_gives_now_is_in_force_though_it_is_dated_earlier(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    shop.plans["alpha"]["P1@EME"] = plan("P1@EME", "0.35", LATER)
    fetch(ctx, source, retailers=["alpha"])
    shop.plans["alpha"]["P1@EME"] = plan("P1@EME", "0.30", BEFORE)
    assert counts(fetch(ctx, source, retailers=["alpha"])) == [("alpha", 5, 1, 0, 1, 4, 0, 0)]
    assert {row.plan_id: row.last_updated for row in plan_list(ctx).plans}["P1@EME"] == BEFORE
    assert stored(ctx)["P1@EME"] == (2, False)
    asked_for(service)
    assert fetch(ctx, source, retailers=["alpha"]).retailers[0].fetched == 0


@pytest.mark.parametrize("named", ["Quokka Power", "quokka", "QUOKKA  power"])
def test_a_retailer_is_named_as_in_the_registers_own_list(ctx: Context, source: Register, shop: Shop, named: str):
    shop.plans["quokka"] = {"Q1": plan("Q1")}
    elsewhere = "https://quokka.example"
    shop.brands = [listed("Quokka Power", elsewhere, productBaseUri=f"{source.base_url}/quokka")]
    assert counts(fetch(ctx, source, retailers=[named])) == [("quokka", 1, 1, 1, 0, 0, 0, 0)]


def test_a_brands_plans_may_stand_deeper_on_the_registers_server(ctx: Context, source: Register, shop: Shop):
    shop.plans["products/v2/quokka"] = {"Q1": plan("Q1")}
    shop.brands = [listed("Quokka Power", "", productBaseUri=f"{source.base_url}/products/v2/quokka/")]
    for answer in (fetch(ctx, source, retailers=["Quokka Power"]), fetch(ctx, source, all_=True)):
        assert [(row.listed, row.rejected) for row in answer.retailers] == [(1, 0)]


def test_a_retailer_of_which_every_plan_fails_is_left_for_another_run(ctx: Context, source: Register, shop: Shop):
    for number in range(1, 21):
        shop.plans["alpha"][f"P{number}@EME"] = plan(f"P{number}@EME")
        shop.failing[f"{LIST}/P{number}@EME"] = [reply({}, 500)] * 3
    answer = fetch(ctx, source, retailers=["alpha", "beta"])
    assert [failed.retailer for failed in answer.failed] == ["alpha"]
    assert {row.retailer: row.added for row in answer.retailers} == {"alpha": 0, "beta": 1}
