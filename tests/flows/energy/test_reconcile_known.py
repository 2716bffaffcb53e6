"""`reconcile` judges by all invoices that are stored, says what it cannot check, and lets none fall by the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.command_line import Run
from tests.flows.energy.homes import NMI, TODAY
from tests.flows.energy.invoices import (
    CREDIT,
    JULY,
    SUPPLY,
    USAGE,
    bpay,
    checked,
    contract,
    on_plan,
    payment,
    read,
    solar,
    stated,
    stated_line,
    supply,
    usage,
    written,
)
from tests.problems import names
from toolkit.answers.energy.invoices import LinkedPayment, SuggestedPayment
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.reconcile import CONVENTION_INVOICES, reconcile
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.tables.rows.plans import account_plan_row, plan_row, read_account_plan

OTHER = "4103000002"
IN_JULY = {"from_": date(2024, 7, 1), "to": date(2024, 7, 31)}


@pytest.fixture
def unplanned(tmp_path: Path) -> Context:
    """Reads from 1 May to 8 August 2024: 24 kWh in and 4.8 kWh out a day."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 100, "0.5")
    read(ctx, NMI, date(2024, 5, 1), 100, "0.1", "B1")
    return ctx


@pytest.fixture
def ctx(unplanned: Context) -> Context:
    on_plan(unplanned, contract())
    return unplanned


@pytest.fixture
def two(ctx: Context) -> Context:
    """A second meter, 24 kWh in a day on the same plan by an account of its own: 276.21 in July."""
    read(ctx, OTHER, date(2024, 5, 1), 100, "0.5")
    supplied(ctx, "acc2", "2024-01-01", OTHER)
    return ctx


def supplied(ctx: Context, account: str, first: str, *points: str, last: str | None = None, **more: object) -> None:
    overview = {"display_name": account, "start_date": first, "end_date": last}
    detail = {"electricity_contract": contract(**more)}
    entry = read_account_plan(
        account, {"service_point_ids": list(points), "plan_overview": overview, "plan_detail": detail}
    )
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert("plans", [plan_row(entry.plan, household_id=home, source="service", sequence=0)])
        store.upsert("account_plans", [account_plan_row(entry, household_id=home)])


def without_gst(month: int, days: int, **more: object) -> dict[str, object]:
    """A right invoice of a month, whose amount leaves GST out.

    A day without GST: 0.90 + 24 × 0.30 − 4.8 × 0.05 = 7.86; the GST of it: 0.81.
    """
    net, gst = Decimal("7.86") * days, Decimal("0.81") * days
    period = {"period_start": f"2024-{month:02}-01", "period_end": f"2024-{month:02}-{days}"}
    return stated(net, id=f"i{month}", invoice_number=f"INV-{month}", gst_amount_minor=int(gst * 100), **period) | more


def verdicts(answer: Mapping[str, Any]) -> dict[str, str]:
    return {invoice.invoice_number: invoice.verdict for invoice in answer.invoices}


def reason(entry: Mapping[str, Any]) -> str:
    (sentence,) = entry.reasons
    return str(sentence)


def test_an_invoice_is_judged_alike_in_every_range(ctx: Context):
    """Alone, an amount without GST is a mistake; two and more of an account are its way."""
    written(ctx, "invoices", without_gst(5, 31), without_gst(6, 30), without_gst(7, 31))
    whole, month = reconcile(ctx), reconcile(ctx, **IN_JULY)
    assert verdicts(whole) == {"INV-5": "agrees", "INV-6": "agrees", "INV-7": "agrees"}
    assert verdicts(month) == {"INV-7": "agrees"}
    assert month.invoices == whole.invoices[2:]
    assert (month.invoices[0].billed, month.accounts) == (JULY, whole.accounts)
    assert (month.agrees, month.differs, month.cannot_check) == (1, 0, 0)
    assert month.accounts[0].amount_gst == "excluded"


def test_the_only_invoice_without_gst_is_not_believed(ctx: Context):
    written(ctx, "invoices", without_gst(7, 31))
    answer = reconcile(ctx)
    (entry,) = answer.invoices
    assert (entry.verdict, entry.causes[0].cause) == ("differs", "gst")
    assert answer.accounts[0].amount_gst == "included"


@pytest.mark.parametrize(
    ("newer", "way"), [(CONVENTION_INVOICES - 2, "excluded"), (CONVENTION_INVOICES - 1, "included")]
)
def test_the_newest_invoices_tell_of_gst(ctx: Context, newer: int, way: str):
    """Those of days without reads tell nothing; two that do have to be among the newest."""
    later = [
        without_gst(7, 31, id=f"later{n}", invoice_number=f"L-{n}", period_start=f"2025-03-{n + 1:02}")
        | {"period_end": f"2025-03-{n + 1:02}"}
        for n in range(newer)
    ]
    written(ctx, "invoices", without_gst(6, 30), without_gst(7, 31), *later)
    (account,) = reconcile(ctx, **IN_JULY).accounts
    assert account.amount_gst == way


def test_payments_are_found_alike_in_every_range(ctx: Context):
    """The payment may be May's of one account, as GST makes that 268.77, or July's of the other, whichever is asked."""
    written(ctx, "invoices", without_gst(5, 31, issue_date="2024-08-01"), without_gst(6, 30))
    written(ctx, "invoices", stated(JULY, account_id="acc-b", invoice_number="B-7", id="b7"))
    category = {"secondary_category": "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"}
    written(ctx, "transactions", payment(1, "-268.77", "2024-08-05", "POWER") | category)
    whole, month = reconcile(ctx), reconcile(ctx, **IN_JULY)
    assert [entry.invoice_number for entry in month.invoices] == ["B-7"]
    assert isinstance(month.invoices[0].payment, SuggestedPayment)
    assert month.invoices == whole.invoices[2:]


def test_lines_without_gst_of_amounts_without_gst(ctx: Context):
    """27.90 + 223.20 − 7.44 = 243.66, as the invoice says, with 2.79 + 22.32 of GST beside."""
    lines = (supply("27.90") | {"gst_minor": 279}, usage("223.20") | {"gst_minor": 2232}, solar())
    written(ctx, "invoices", without_gst(6, 30), without_gst(7, 31))
    written(ctx, "billing", *(stated_line(n, line) for n, line in enumerate(lines)))
    answer = reconcile(ctx, **IN_JULY)
    assert [(line.billed, line.difference) for line in answer.invoices[0].lines] == [
        (SUPPLY, 0),
        (USAGE, 0),
        (CREDIT, 0),
    ]
    assert (answer.accounts[0].lines_gst, answer.accounts[0].amount_gst) == ("excluded", "excluded")


def test_what_a_summary_does_not_give_is_not_taken_for_nothing(ctx: Context):
    """7.44 of a discount that the plan does not name; no charges, no credits, and a usage that is no number."""
    summary = {"total_usage_charges": "NaN", "total_once_off_discounts": "7.44"}
    written(ctx, "invoices", stated(JULY, detail=json.dumps({"electricity": summary})))
    (entry,) = reconcile(ctx).invoices
    assert [(line.component, line.billed, line.recomputed) for line in entry.lines] == [
        ("usage", None, USAGE),
        ("charges", None, SUPPLY),
        ("discounts", CREDIT, 0),
        ("credits", None, CREDIT),
    ]


def test_only_invoices_with_credits_tell_their_sign(ctx: Context):
    """Two months without a credit outnumber the one with, and say nothing of its sign."""
    for month, days in ((5, 31), (6, 30)):
        number = {"invoice_number": f"INV-{month}", "service_point_id": NMI, "account_id": "acc"}
        lines = (supply(Decimal("0.99") * days), usage(Decimal("7.92") * days, 24 * days))
        rows = [stated_line(n, line) | number | {"id": f"{month}-{n}"} for n, line in enumerate(lines)]
        written(ctx, "billing", *rows)
        written(ctx, "invoices", without_gst(month, days, invoice_amount_minor=int(Decimal("8.91") * days * 100)))
    entry = checked(ctx, JULY, supply(), usage(), solar(-CREDIT))
    assert [line.difference for line in entry.lines] == [0, 0, 0]
    (account,) = reconcile(ctx).accounts
    assert account.credits == "positive"


def test_an_invoice_that_does_not_say_its_meter_cannot_be_checked(two: Context):
    silent = stated("200.00", id="i8", invoice_number="INV-8", account_id="unknown", service_points="[]")
    written(two, "invoices", stated(JULY), silent)
    answer = reconcile(two)
    assert verdicts(answer) == {"INV-7": "agrees", "INV-8": "cannot check"}
    assert (answer.agrees, answer.differs, answer.cannot_check) == (1, 0, 1)
    entry = answer.invoices[1]
    assert names(reason(entry), NMI, OTHER, "--service-point")
    assert (entry.billed, entry.recomputed, entry.service_points) == (Decimal("200.00"), None, ())


def test_of_one_meter_are_answered_its_invoices_and_those_of_no_known_one(two: Context):
    silent = stated("200.00", id="i8", invoice_number="INV-8", account_id="unknown", service_points="[]")
    others = stated("276.21", id="i9", invoice_number="INV-9", account_id="acc2", service_points=json.dumps([OTHER]))
    written(two, "invoices", stated(JULY), silent, others)
    assert verdicts(reconcile(replace(two, service_point=NMI))) == {"INV-7": "agrees", "INV-8": "cannot check"}
    assert verdicts(reconcile(replace(two, service_point=OTHER))) == {"INV-8": "cannot check", "INV-9": "agrees"}
    with pytest.raises(ChoiceRequiredError) as refused:
        reconcile(replace(two, service_point="elsewhere"))
    assert refused.value.choices == [NMI, OTHER]


def test_an_invoice_of_a_meter_that_is_not_here_cannot_be_checked(ctx: Context):
    written(ctx, "invoices", stated("545.00", service_points=json.dumps([NMI, "GAS-1"])))
    written(ctx, "invoices", stated("276.21", id="i8", invoice_number="INV-8", service_points='["GAS-2"]'))
    both, gone = reconcile(ctx).invoices
    assert (both.verdict, gone.verdict) == ("cannot check", "cannot check")
    assert "GAS-1" in reason(both)
    assert "GAS-2" in reason(gone)
    assert verdicts(reconcile(replace(ctx, service_point=NMI))) == {"INV-7": "cannot check"}


def test_an_invoice_of_two_meters_is_recomputed_for_both_whichever_is_asked(two: Context):
    """268.77 + 276.21 = 544.98."""
    written(two, "invoices", stated("544.98", service_points=json.dumps([NMI, OTHER])))
    for asked in (None, NMI, OTHER):
        (entry,) = reconcile(replace(two, service_point=asked)).invoices
        assert (entry.verdict, entry.recomputed) == ("agrees", Decimal("544.98"))
        assert entry.service_points == (NMI, OTHER)


def test_an_account_that_moved_house_is_billed_for_the_meter_of_the_time(ctx: Context):
    """The old home's reads go on: another bill's."""
    read(ctx, OTHER, date(2024, 5, 1), 100, "0.5")
    supplied(ctx, "mover", "2024-01-01", OTHER, last="2024-06-30")
    supplied(ctx, "mover", "2024-07-01", NMI, price="0.31")
    after = stated(JULY, account_id="mover", service_points="[]")
    before = stated("267.30", id="june", invoice_number="INV-6", account_id="mover", service_points="[]")
    written(ctx, "invoices", after, before | {"period_start": "2024-06-01", "period_end": "2024-06-30"})
    june, july = reconcile(ctx).invoices
    assert (june.service_points, june.verdict, june.recomputed) == ((OTHER,), "agrees", Decimal("267.30"))
    assert july.service_points == (NMI,)


def test_without_any_meter_invoices_are_still_answered(ctx: Context):
    written(ctx, "invoices", stated(JULY))
    with open_store(ctx.db) as store, store.transaction():
        store.delete("service_points", {"service_point_id": NMI})
    entry = reconcile(ctx).invoices[0]
    assert (entry.verdict, entry.recomputed, entry.service_points) == ("cannot check", None, ())


@pytest.mark.parametrize(
    ("days", "named"),
    [
        ({"period_start": None}, ["first day"]),
        ({"period_end": None}, ["last day"]),
        ({"period_start": None, "period_end": None}, ["first day", "last day"]),
        ({"period_start": "2024-08-01"}, ["2024-08-01", "2024-07-31"]),
    ],
)
def test_an_invoice_without_a_period_is_told(ctx: Context, days: dict[str, object], named: list[str]):
    written(ctx, "invoices", stated("99.00", id="i9", invoice_number="INV-9") | days)
    answer = reconcile(ctx)
    (problem,) = answer.problems
    assert (problem.where, problem.severity, answer.invoices) == ("i9", "rejected", ())
    assert names(problem.reason, "INV-9", *named)
    written(ctx, "invoices", stated(JULY))
    answer = reconcile(ctx, **IN_JULY)
    assert (verdicts(answer), answer.problems) == ({"INV-7": "agrees"}, (problem,))


def test_of_one_meter_the_undated_invoices_of_another_are_not_told(two: Context):
    undated = stated("99.00", id="i9", service_points=json.dumps([OTHER]), period_start=None)
    written(two, "invoices", undated)
    assert reconcile(replace(two, service_point=NMI)).problems == ()
    assert [problem.where for problem in reconcile(replace(two, service_point=OTHER)).problems] == ["i9"]


def test_a_charge_by_the_years_energy_is_alike_in_every_range(unplanned: Context):
    """In the year up to July 2023 they used 334 × 4.8 + 31 × 24 = 2,347.2 kWh; July alone, scaled up, is 8,760."""
    steps = [{"volume": "5000", "unit_price": "0.90"}, {"unit_price": "2.00"}]
    terms = contract()
    terms["tariff_period"][0] |= {"daily_supply_charge_type": "BAND", "banded_daily_supply_charges": steps}
    terms["tariff_period"][0].pop("daily_supply_charge")
    on_plan(unplanned, terms, first="2022-01-01")
    read(unplanned, NMI, date(2022, 8, 1), 334, "0.1")
    read(unplanned, NMI, date(2023, 7, 1), 31, "0.5")
    then = stated("276.21", id="then", invoice_number="INV-1", period_start="2023-07-01", period_end="2023-07-31")
    written(unplanned, "invoices", then, stated(JULY))
    alone = reconcile(unplanned, from_=date(2023, 7, 1), to=date(2023, 7, 31)).invoices
    assert (alone[0].verdict, alone[0].recomputed) == ("agrees", SUPPLY + USAGE)
    assert reconcile(unplanned).invoices[:1] == alone


def test_days_out_of_order_are_refused(ctx: Context):
    written(ctx, "invoices", stated(JULY))
    with pytest.raises(UsageError, match=r"2024-07-31.*2024-07-01"):
        reconcile(ctx, from_=date(2024, 7, 31), to=date(2024, 7, 1))


@pytest.fixture
def wombat(ctx: Context) -> Context:
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("institutions", [{"institution_id": "retailer", "name": "Wombat Energy", "industry": "energy"}])
    return ctx


def level_bills(**june: object) -> list[dict[str, object]]:
    """Two invoices of one amount: June's and July's."""
    days = {"period_start": "2024-06-01", "period_end": "2024-06-30", "issue_date": "2024-07-04"}
    return [stated(JULY, id="june", invoice_number="INV-6", **days | june), stated(JULY)]


def test_one_payment_that_either_of_two_invoices_may_claim_is_linked_to_none(wombat: Context):
    written(wombat, "invoices", *level_bills())
    written(wombat, "transactions", bpay(1, 26877, "2024-08-20"))
    found = [entry.payment for entry in reconcile(wombat).invoices]
    assert [type(payment) for payment in found] == [SuggestedPayment, SuggestedPayment]
    assert [[row.transaction_id for row in payment.candidates] for payment in found] == [["tx-1"], ["tx-1"]]


@pytest.mark.parametrize("months", [(6, 7), (7, 6)])
def test_a_payment_that_one_invoice_alone_may_claim_is_no_longer_the_others(wombat: Context, months: tuple[int, int]):
    """20 July lies before the late one's issue; so 20 August is its only one, in whatever order the months come."""
    early, late = (
        {"invoice_number": name, "id": name, "period_start": f"2024-{month:02}-01", "period_end": f"2024-{month:02}-30"}
        for name, month in zip(("EARLY", "LATE"), months, strict=True)
    )
    written(wombat, "invoices", stated(JULY, issue_date="2024-07-04", **early), stated(JULY, **late))
    written(wombat, "transactions", bpay(1, 26877, "2024-07-20"), bpay(2, 26877, "2024-08-20"))
    found = {entry.invoice_number: entry.payment for entry in reconcile(wombat).invoices}
    assert [type(found[name]) for name in ("EARLY", "LATE")] == [LinkedPayment, LinkedPayment]
    assert [found[name].transaction_id for name in ("EARLY", "LATE")] == ["tx-1", "tx-2"]


def test_the_command_shows_what_cannot_be_checked_and_what_was_left_out(two: Context, run: Run):
    silent = stated("200.00", id="i8", invoice_number="INV-8", account_id="unknown", service_points="[]")
    undated = stated("99.00", id="i9", invoice_number="INV-9", period_start=None)
    written(two, "invoices", stated(JULY), silent, undated)
    shown = run("reconcile", "--db", two.db)
    assert shown.code == 3
    assert names(shown.out, "INV-7", "INV-8", "--service-point")
    assert "INV-9" in shown.out + shown.err


@pytest.mark.parametrize(
    ("first", "last", "known"),
    [
        ("2024-07-01", None, "2024-07-01"),
        ("2024-06-10", None, "2024-06-10"),
        ("2024-01-01", "2024-06-20", "2024-06-21"),
        (None, None, "2024-06-02"),  # seen first on that day
    ],
)
def test_a_bill_on_days_without_a_plan_of_the_account_does_not_differ(
    unplanned: Context, first: str | None, last: str | None, known: str
):
    """June is 260.10 at the nearest plan's prices: not the retailer's fault if the bill says otherwise."""
    overview = {"display_name": "Mine", "start_date": first, "end_date": last}
    given = {"service_point_ids": [NMI], "plan_overview": overview, "plan_detail": {"electricity_contract": contract()}}
    entry = read_account_plan("acc", given)
    seen = int(datetime(2024, 6, 2, tzinfo=UTC).timestamp())
    with open_store(unplanned.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert("plans", [plan_row(entry.plan, household_id=home, source="service", sequence=seen)])
        store.upsert("account_plans", [account_plan_row(entry, household_id=home)])
    june = {"period_start": "2024-06-01", "period_end": "2024-06-30"}
    written(unplanned, "invoices", stated("300.00", **june))
    (entry_of_june,) = reconcile(unplanned).invoices
    assert entry_of_june.verdict == "cannot check"
    assert known in reason(entry_of_june)
    written(unplanned, "invoices", stated("260.10", **june))
    assert reconcile(unplanned).invoices[0].verdict == "agrees"
