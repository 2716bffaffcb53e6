"""`reconcile`: invoices written by hand, right ones and ones that are wrong for a known reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

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
    supply,
    usage,
    written,
)
from tests.meters import day, days, level, nem12, register
from tests.problems import names
from toolkit.analytics.energy.reconcile.reasons import CONDITION_MET, NOT_EARNED
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import LinkedPayment, SuggestedPayment
from toolkit.errors import NothingStoredError, UsageError
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.store import open_store

Invoice = Callable[..., dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path) -> Context:
    """Reads from 1 May to 8 August 2024, no plan and no invoice."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for suffix, kwh in (("E1", "0.5"), ("B1", "0.1")):
        read(ctx, NMI, date(2024, 5, 1), 100, kwh, suffix)
    return ctx


@pytest.fixture
def ctx(home: Context) -> Context:
    on_plan(home, contract())
    return home


@pytest.fixture
def invoice(ctx: Context) -> Invoice:
    """Store an invoice of July, check it, and give the answer's entry."""
    return lambda amount, *lines, **more: checked(ctx, amount, *lines, **more)


def causes(entry: Mapping[str, Any]) -> list[str]:
    return [reason.cause for reason in entry.causes]


def test_a_right_invoice_agrees_line_by_line(invoice: Invoice):
    entry = invoice(JULY, solar(), usage(), supply())
    assert (entry.verdict, entry.billed, entry.recomputed, entry.difference) == ("agrees", JULY, JULY, 0)
    assert (entry.reasons, entry.invoice_number) == ((), "INV-7")
    assert [(line.component, line.billed, line.recomputed) for line in entry.lines] == [
        ("supply", SUPPLY, SUPPLY),
        ("usage", USAGE, USAGE),
        ("feed_in", CREDIT, CREDIT),
    ]


def test_the_summary_serves_where_no_lines_came(invoice: Invoice):
    summary = {
        "total_usage_charges": str(USAGE),
        "other_charges": [{"amount": str(SUPPLY)}],
        "total_generation_credits": "7.44",
    }
    entry = invoice(JULY, detail=json.dumps({"electricity": summary}))
    assert [(line.component, line.difference) for line in entry.lines] == [
        ("usage", 0),
        ("charges", 0),
        ("credits", 0),
    ]


@pytest.mark.parametrize(
    ("time_zone", "usage_billed", "verdict", "cause"),
    [
        # 24 kWh a day and, in the first hour of 1 January by summer time, 10 in place of 1: it is 31 December in AEST
        ("LOCAL", "248.49", "agrees", []),  # (31 × 24 + 9) × 0.33
        ("LOCAL", "245.52", "agrees", ["period"]),  # 31 × 24 × 0.33
        ("LOCAL", "246.52", "differs", ["unexplained"]),
        ("AEST", "245.52", "agrees", []),
    ],
)
def test_a_bill_by_the_meters_days_agrees_and_says_so(
    tmp_path: Path, time_zone: str, usage_billed: str, verdict: str, cause: list[str]
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    last_hour = {"20231231": [0.5] * 46 + [5, 5]}
    rows = [day(when, last_hour.get(when, [0.5] * 48)) for when in days("2023-12-25", 50)]
    (tmp_path / "meter.csv").write_text(nem12(register(nmi=NMI), *rows))
    load(ctx, [tmp_path / "meter.csv"])
    on_plan(ctx, contract(time_zone=time_zone))
    billed = SUPPLY + Decimal(usage_billed)
    (entry,) = reconcile(ctx, from_=date(2024, 1, 1), to=date(2024, 1, 31), billed=billed).invoices
    assert (entry.verdict, causes(entry)) == (verdict, cause)


DIAL = """\
100,NEM13,202408200000,MDP,RET
250,{nmi},11,1,11,11,M1,E,1000,{first}000000,A,,,{last},{then}000000,A,,,{kwh},KWH,20241101,20240816000000,
900
"""
ACROSS = ("20240616", "20240815", 720)
"""Readings on 16 June and 15 August: 372 of the 720 kWh are taken for July's, 122.76 AUD at 0.33 each."""
ON_TIME = ("20240701", "20240801", 372)


@pytest.mark.parametrize(
    ("reading", "billed", "verdict", "cause"),
    [
        (ACROSS, "153.45", "agrees", []),
        (ACROSS, "200.00", "cannot check", ["estimated reads"]),  # 141 of the other 348 kWh more
        (ACROSS, "40.00", "cannot check", ["estimated reads"]),
        (ACROSS, "400.00", "differs", ["estimated reads", "unexplained"]),  # all the others are 114.84 AUD
        (ON_TIME, "200.00", "differs", ["unexplained"]),
    ],
)
def test_a_bill_between_two_readings_of_a_dial_cannot_be_checked(
    tmp_path: Path, reading: tuple[str, str, int], billed: str, verdict: str, cause: list[str]
) -> None:
    first, then, kwh = reading
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "dial.csv").write_text(DIAL.format(nmi=NMI, first=first, then=then, kwh=kwh, last=1000 + kwh))
    load(ctx, [tmp_path / "dial.csv"])
    on_plan(ctx, contract())
    (entry,) = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=billed).invoices
    assert (entry.verdict, causes(entry)) == (verdict, cause)


TAX = (SUPPLY + USAGE) / 11


@pytest.mark.parametrize(
    ("amount", "cause", "named"),
    [
        (JULY - TAX, "gst", "GST"),
        (JULY + TAX, "gst", "GST"),
        (JULY + CREDIT / 10, "gst", "feed-in"),
        (JULY - 2 * CREDIT, "sign", "feed-in"),
        (JULY - CREDIT, "not billed", "feed-in"),
        (JULY + Decimal("8.67"), "period", "2024-06-30 to 2024-07-31"),  # a day more: 0.99 + 7.92 − 0.24
        (JULY - Decimal("8.67"), "period", "2024-07-02 to 2024-07-31"),
        (JULY + 50, "unexplained", "$50.00 of the difference. Look on the bill for a charge that is not on the plan"),
        (JULY - 50, "unexplained", "$50.00 of the difference. Look on the bill for a discount"),
    ],
)
def test_a_total_alone_tells_its_reason(ctx: Context, amount: Decimal, cause: str, named: str):
    answer = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=amount.quantize(Decimal("0.01")))
    (entry,) = answer.invoices
    assert (entry.verdict, causes(entry)) == ("differs", [cause])
    assert named in entry.reasons[0]


def test_lines_tell_their_reasons(invoice: Invoice):
    extra = {"transaction_u_type": "onceOff", "description": "Paper bill fee", "amount": "2.20"}
    entry = invoice(JULY + Decimal("2.20") - 2 * CREDIT, supply(), usage(), solar(-CREDIT), extra)
    assert entry.difference == Decimal("17.08")
    assert causes(entry) == ["sign", "unnamed charge"]
    assert "Paper bill fee" in entry.reasons[1]


def test_an_estimate_by_the_retailer(invoice: Invoice):
    entry = invoice(JULY + 33, supply(), usage(USAGE + 33, 844, is_estimate=True), solar())
    assert causes(entry) == ["estimated reads"]
    assert names(entry.reasons[0], "844.000 kWh", "744.000 kWh")
    assert entry.lines[1].billed_quantity == 844


def test_a_line_without_gst_and_one_at_another_price(invoice: Invoice):
    entry = invoice(JULY - Decimal("2.79") + 20, supply("27.90"), usage(USAGE + 20), solar())
    assert causes(entry) == ["gst", "prices"]


def test_a_price_change_inside_the_period_is_priced_in_parts(home: Context):
    on_plan(home, contract(), last="2024-07-14")
    on_plan(home, contract("0.40"), first="2024-07-15")
    # 14 days at 0.30 and 17 at 0.40: 110.88 + 179.52
    parts = SUPPLY + Decimal("290.40") + CREDIT
    right = checked(home, parts)
    assert (right.verdict, right.difference) == ("agrees", 0)
    assert Note("recomputed_at_new_prices", day=date(2024, 7, 15)) in right.notes
    for old_or_new, amount in (("old", JULY), ("new", JULY + Decimal("81.84"))):
        entry = checked(home, amount)
        assert causes(entry) == ["price change"]
        assert old_or_new in entry.reasons[0]


def test_lines_at_the_prices_of_an_earlier_version_have_one_reason(home: Context):
    on_plan(home, contract(), last="2024-06-30")
    raised = contract("0.40")
    raised["tariff_period"][0]["daily_supply_charge"] = "1.00"
    on_plan(home, raised, first="2024-07-01")
    entry = checked(home, JULY, supply(), usage(), solar())
    assert causes(entry) == ["price change"]


def test_lines_of_another_period_have_one_reason(invoice: Invoice):
    lines = (supply("29.70"), usage("237.60", 720), solar("-7.20") | {"usage": 144})
    entry = invoice(Decimal("260.10"), *lines)
    assert causes(entry) == ["period"]
    assert names(entry.reasons[0], "2024-07-02", "2024-07-31")


def test_lines_with_more_energy_than_was_read_where_reads_are_missing(ctx: Context):
    with open_store(ctx.db) as store, store.transaction():
        store.delete("register_days", {"date": "2024-07-05"})
    entry = checked(ctx, JULY, supply(), usage(), solar())
    assert (entry.verdict, set(causes(entry))) == ("cannot check", {"missing reads"})
    assert "3.2%" in entry.reasons[0]


@pytest.mark.parametrize(
    ("more", "verdict"),
    # a day of the 30 others is 7.92 of use; the one that is not read can be twice that, or none
    [
        ("-0.50", "differs"),
        ("0.00", "agrees"),
        ("7.92", "cannot check"),
        ("15.84", "cannot check"),
        ("16.40", "differs"),
    ],
)
def test_a_bill_that_missing_reads_would_explain_cannot_be_checked(ctx: Context, more: str, verdict: str):
    with open_store(ctx.db) as store, store.transaction():
        store.delete("register_days", {"date": "2024-07-05"})
    read_alone = SUPPLY + 30 * Decimal("7.92") - 30 * Decimal("0.24")
    entry = checked(ctx, read_alone + Decimal(more))
    assert entry.verdict == verdict
    assert any("may be the difference" in reason for reason in entry.reasons) is (verdict == "cannot check")


def test_lines_with_much_more_energy_than_a_day_without_reads_holds(ctx: Context):
    with open_store(ctx.db) as store, store.transaction():
        store.delete("register_days", {"date": "2024-07-05"})
    entry = checked(ctx, JULY + Decimal("11.88"), supply(), usage(USAGE + Decimal("11.88"), 780), solar())
    assert (entry.verdict, causes(entry)[0]) == ("differs", "other reads")  # 60 kWh more; that day holds about 24


def test_blocks_counted_afresh_each_day(home: Context):
    rates = [{"unit_price": "0.20", "volume": 30}, {"unit_price": "0.40"}]
    period = {"daily_supply_charge": "0.90", "single_rate": {"rates": rates, "period": "P1D"}}
    on_plan(home, {"tariff_period": [period]})
    swollen = level(NMI, date(2024, 7, 31), 1, "1.0", updated="20250106000000")
    path = home.db.parent / "more.csv"
    path.write_text(swollen)
    load(home, [path])
    # pooled: 768 kWh are within 31 × 30; daily: the last day's 48 kWh are 18 beyond its 30
    pooled = SUPPLY + Decimal("168.96")
    assert checked(home, pooled).verdict == "agrees"
    daily = checked(home, pooled + Decimal("3.96"))
    assert causes(daily) == ["blocks"]


def test_a_conditional_discount_earned_and_a_guaranteed_one_forgotten(home: Context):
    def percent(kind: str, rate: str) -> dict[str, object]:
        return {"display_name": kind, "type": kind, "method_u_type": "percentOfBill", "percent_of_bill": {"rate": rate}}

    on_plan(home, contract(discounts=[percent("CONDITIONAL", "0.10"), percent("GUARANTEED", "0.05")]))
    fair = JULY - Decimal("13.81")  # 5 % of 276.21
    assert checked(home, fair).verdict == "agrees"
    assert checked(home, fair - Decimal("27.62")).reasons[0].startswith(CONDITION_MET)
    assert checked(home, JULY).reasons[0].startswith(NOT_EARNED)


def test_missing_and_estimated_reads_are_named_by_what_they_weigh(ctx: Context):
    august = {"period_start": "2024-08-01", "period_end": "2024-08-31"}
    entry = checked(ctx, JULY, **august)  # reads end on 8 August
    assert entry.verdict == "cannot check"
    assert "missing reads" in causes(entry)


def test_without_plan_reads_or_amount_it_cannot_be_checked(home: Context):
    assert "plan" in checked(home, JULY).reasons[0]
    on_plan(home, contract())
    entry = checked(home, JULY, period_start="2023-07-01", period_end="2023-07-31")
    assert (entry.verdict, entry.recomputed) == ("cannot check", None)


def test_an_account_that_states_everything_without_gst(ctx: Context):
    month = {"id": "june", "invoice_number": "INV-6", "period_start": "2024-06-01", "period_end": "2024-06-30"}
    net = {"gst_amount_minor": 2511, "invoice_amount_minor": 24366, "invoice_amount": "243.66"}
    # June: 29.70 + 237.60 − 7.20 = 260.10, of which 24.30 are tax
    written(ctx, "invoices", stated("235.80", **month, gst_amount_minor=2430))
    written(ctx, "invoices", stated("243.66", **{**net, "gst_amount_minor": 2511}))
    answer = reconcile(ctx)
    assert [(entry.verdict, entry.billed) for entry in answer.invoices] == [
        ("agrees", Decimal("260.10")),
        ("agrees", JULY),
    ]
    assert answer.accounts[0].amount_gst == "excluded"


def test_lines_without_gst_and_credits_as_positive_amounts(ctx: Context):
    lines = [
        supply("27.90") | {"gst_minor": 279},
        usage("223.20") | {"gst_minor": 2232},
        solar(-CREDIT),
    ]
    entry = checked(ctx, JULY, *lines)
    assert [line.difference for line in entry.lines] == [0, 0, 0]
    (account,) = reconcile(ctx).accounts
    assert (account.lines_gst, account.credits) == ("excluded", "positive")


def test_the_payment_that_settled_it(ctx: Context):
    written_names = {"institution_id": "retailer", "name": "Wombat Energy", "industry": "energy"}
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("institutions", [written_names])
    wombat = payment(1, f"-{JULY}", "2024-08-20", "BPAY WOMBAT 123")
    written(ctx, "transactions", wombat, payment(2, f"-{JULY}", "2024-08-21", "FURNITURE SHOP"))
    linked = checked(ctx, JULY).payment
    assert (type(linked), linked.transaction_id, linked.date) == (LinkedPayment, "tx-1", date(2024, 8, 20))
    written(ctx, "transactions", payment(3, f"-{JULY}", "2024-08-22", "BPAY WOMBAT 123"))
    doubtful = reconcile(ctx).invoices[0].payment
    assert type(doubtful) is SuggestedPayment
    assert [row.transaction_id for row in doubtful.candidates] == ["tx-1", "tx-3"]


@pytest.mark.parametrize("billed", ["268.77", "$268.77", " A$ 268.77 ", "AUD 268.77"])
def test_a_paper_bill_as_it_is_written(ctx: Context, billed: str):
    (entry,) = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=billed).invoices
    assert (entry.billed, entry.verdict) == (JULY, "agrees")


def test_thousands_and_a_credit_as_they_are_written(ctx: Context):
    days = {"from_": date(2024, 7, 1), "to": date(2024, 7, 31)}
    assert reconcile(ctx, **days, billed="$1,250.40").invoices[0].billed == Decimal("1250.40")
    for credit in ("-$12.30", "$-12.30", "(12.30)"):
        assert reconcile(ctx, **days, billed=credit).invoices[0].billed == Decimal("-12.30")


@pytest.mark.parametrize("billed", ["lots", "$", "12,50", "1,25.40", "1e3", "12.3.4", "125 EUR", "nan"])
def test_what_is_no_amount_is_refused_in_words(ctx: Context, billed: str):
    with pytest.raises(UsageError, match=r"--billed.*1250\.40"):
        reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=billed)
    with pytest.raises(UsageError, match=r"--billed.*1\.005"):
        reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed="1.005")


@pytest.fixture
def wombat(ctx: Context) -> Context:
    """July was billed by Wombat Energy, due on 21 August."""
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("institutions", [{"institution_id": "retailer", "name": "Wombat Energy", "industry": "energy"}])
    return ctx


def test_an_invoice_paid_in_parts(wombat: Context):
    """268.77 = 100.00 + 100.00 + 68.77; a payment to somebody else and one of another time take no part."""
    parts = [(1, 10000, "2024-08-10"), (2, 10000, "2024-08-24"), (3, 6877, "2024-09-07")]
    written(wombat, "transactions", *(bpay(*part) for part in parts))
    written(wombat, "transactions", bpay(4, 16877, "2024-08-12", "FURNITURE SHOP"), bpay(5, 16877, "2024-12-24"))
    found = checked(wombat, JULY).payment
    assert (type(found), found.date, found.amount) == (LinkedPayment, date(2024, 9, 7), -JULY)
    assert [row.transaction_id for row in found.payments] == ["tx-1", "tx-2", "tx-3"]
    assert found.invoices == ("INV-7",)


def test_parts_that_fit_in_two_ways_are_not_guessed(wombat: Context):
    """100.00 + 168.77 and 200.00 + 68.77 both come to 268.77."""
    amounts = (10000, 16877, 20000, 6877)
    written(wombat, "transactions", *(bpay(n, cents, f"2024-08-1{n}") for n, cents in enumerate(amounts)))
    found = checked(wombat, JULY).payment
    assert type(found) is SuggestedPayment
    assert [row.transaction_id for row in found.candidates] == ["tx-0", "tx-1", "tx-2", "tx-3"]


def test_parts_that_miss_by_a_cent_are_none(wombat: Context):
    written(wombat, "transactions", bpay(1, 20000, "2024-08-10"), bpay(2, 6876, "2024-08-11"))
    assert checked(wombat, JULY).payment is None


def test_parts_have_to_name_the_retailer(wombat: Context):
    written(wombat, "transactions", bpay(1, 20000, "2024-08-10"), bpay(2, 6877, "2024-08-11", "GROCER"))
    assert checked(wombat, JULY).payment is None


def june(**more: object) -> dict[str, object]:
    """260.10, issued on 4 July and due with July's."""
    days = {"period_start": "2024-06-01", "period_end": "2024-06-30", "issue_date": "2024-07-04"}
    return stated("260.10", id="june", invoice_number="INV-6", **days, **more)


def test_one_payment_of_two_invoices(wombat: Context):
    """260.10 + 268.77 = 528.87."""
    written(wombat, "invoices", june(), stated(JULY))
    written(wombat, "transactions", bpay(1, 52887, "2024-08-20"))
    both = [entry.payment for entry in reconcile(wombat).invoices]
    assert [type(found) for found in both] == [LinkedPayment, LinkedPayment]
    assert [found.invoices for found in both] == [("INV-6", "INV-7")] * 2
    assert {found.transaction_id for found in both} == {"tx-1"}
    (alone,) = reconcile(wombat, from_=date(2024, 7, 1)).invoices
    assert alone.payment == both[1]


def test_one_payment_of_two_retailers_is_none(wombat: Context):
    """Of whose names its words hold either."""
    with open_store(wombat.db) as store, store.transaction():
        store.upsert("institutions", [{"institution_id": "another", "name": "Wombat Gas", "industry": "energy"}])
    written(wombat, "invoices", june(institution_id="another"), stated(JULY))
    written(wombat, "transactions", bpay(1, 52887, "2024-08-20"))
    assert [entry.payment for entry in reconcile(wombat).invoices] == [None, None]


def test_a_payment_that_could_be_of_either_of_two_invoices_is_not_guessed(wombat: Context):
    """528.87 pays July's 268.77 and one of two invoices of 260.10."""
    written(wombat, "invoices", june(), stated(JULY), june() | {"id": "may", "invoice_number": "INV-5"})
    written(wombat, "transactions", bpay(1, 52887, "2024-08-20"))
    states = [type(entry.payment) for entry in reconcile(wombat).invoices]
    assert states == [SuggestedPayment] * 3


def test_a_payment_of_the_whole_goes_before_sums(wombat: Context):
    written(wombat, "transactions", bpay(1, 20000, "2024-08-10"), bpay(2, 6877, "2024-08-11"))
    written(wombat, "transactions", bpay(3, 26877, "2024-08-12"))
    assert checked(wombat, JULY).payment.transaction_id == "tx-3"


def test_instalments_without_end_prove_nothing(wombat: Context):
    """Thirty payments of 10.00 and of one cent less or more in the window: too many sums to mean anything."""
    written(wombat, "transactions", *(bpay(n, 1000 + n, f"2024-08-{n + 1:02}") for n in range(30)))
    assert checked(wombat, JULY).payment is None


def test_a_typed_bill_needs_both_its_dates_and_an_amount(ctx: Context):
    right = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=str(JULY))
    assert right.invoices[0].verdict == "agrees"
    with pytest.raises(UsageError, match=r"--from D --to D"):
        reconcile(ctx, to=date(2024, 7, 31), billed=JULY)
    with pytest.raises(NothingStoredError) as refused:
        reconcile(ctx)
    assert refused.value.missing == "invoice"
