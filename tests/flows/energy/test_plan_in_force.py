"""Which plan counts on a day: one rule for `bill`, `reconcile`, `solar` and `forecast`."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.flows.energy.homes import NMI, TODAY, flat_plan, on
from tests.flows.energy.invoices import stated, written
from tests.meters import level
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import PlanDays
from toolkit.errors import PricingError
from toolkit.flows.energy.bill import bill, bill_reads
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import plan_named, set_home
from toolkit.flows.imports.load import load
from toolkit.store import open_store


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Reads from 1 May to 18 August 2024: 24 kWh a day in, 4.8 out."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for suffix, kwh in (("E1", "0.5"), ("B1", "0.1")):
        meter = tmp_path / f"{suffix}.csv"
        meter.write_text(level(NMI, date(2024, 5, 1), 110, kwh, suffix))
        load(ctx, [meter])
    return ctx


def price_on(ctx: Context, day: date) -> int:
    """Cents that `bill` asks on that day; `reconcile` and `forecast` must take the same."""
    answer = bill(ctx, BillingQuestion(from_=day, to=day))
    (usage,) = [line for line in answer.lines if line.component == "usage"]
    cents = int(Decimal(usage.unit_price) * 100)
    (checked,) = reconcile(ctx, from_=day, to=day, billed=answer.total).invoices
    assert checked.verdict == "agrees"
    return cents


JUNE, JULY, AUGUST = date(2024, 6, 15), date(2024, 7, 15), date(2024, 8, 15)


def test_the_plan_that_began_last_and_has_not_ended(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    assert [price_on(ctx, day) for day in (JUNE, date(2024, 6, 30), date(2024, 7, 1), AUGUST)] == [20, 20, 30, 30]


def test_prices_changed_in_place_count_from_when_they_were_seen(ctx: Context):
    """The retailer keeps the plan's first day and puts new prices in: the old ones were last given on 9 July."""
    on(ctx, 20, "2024-01-01", seen="2024-03-01", current=False)
    on(ctx, 30, "2024-01-01", seen="2024-07-10")
    assert [price_on(ctx, day) for day in (JUNE, date(2024, 7, 9), date(2024, 7, 10), AUGUST)] == [20, 20, 30, 30]


def test_a_plan_that_is_given_no_longer_counts_for_its_own_days(ctx: Context):
    """It was never given a last day; the next plan's first day ends it."""
    on(ctx, 20, "2024-01-01", seen="2024-03-01", current=False)
    on(ctx, 30, "2024-07-01", seen="2024-07-02")
    assert [price_on(ctx, day) for day in (JUNE, JULY)] == [20, 30]


def test_a_first_day_that_was_put_right(ctx: Context):
    """First said to begin on 1 July, then on 1 May: what was said first counts no more."""
    on(ctx, 20, "2024-07-01", seen="2024-07-02", current=False)
    on(ctx, 30, "2024-05-01", seen="2024-07-10")
    assert [price_on(ctx, day) for day in (JUNE, JULY, AUGUST)] == [30, 30, 30]


def test_an_ended_plan_of_last_year_puts_nothing_right(ctx: Context):
    on(ctx, 20, "2023-01-01", "2024-06-30", seen="2024-07-20")
    on(ctx, 25, "2024-07-01", seen="2024-07-02", current=False)
    on(ctx, 30, "2024-07-01", seen="2024-07-25")
    assert [price_on(ctx, day) for day in (JUNE, JULY, AUGUST)] == [20, 25, 30]


def test_a_plan_without_a_first_day_begins_when_it_is_seen(ctx: Context):
    on(ctx, 20, "2024-01-01", seen="2024-03-01", current=False)
    on(ctx, 30, None, seen="2024-07-10")
    assert [price_on(ctx, day) for day in (JUNE, JULY)] == [20, 30]


def test_where_none_holds_the_nearest_counts_and_is_said(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-08-01")
    assert [price_on(ctx, day) for day in (JULY, AUGUST)] == [20, 30]
    assert Note("plan_gap", day=JULY) in bill(ctx, BillingQuestion(JULY, JULY)).notes


def test_a_plan_that_a_person_named_is_told_of_where_the_account_says_another(ctx: Context, tmp_path: Path):
    (tmp_path / "other.json").write_text(json.dumps(flat_plan("OTHER", "0.10")))
    set_home(ctx, plan_id=plan_named(ctx, str(tmp_path / "other.json")))
    note = Note("plan_not_used", plan="OTHER")
    assert note not in bill(ctx, BillingQuestion(JULY, JULY)).notes
    on(ctx, 20, "2024-01-01")
    priced, expected = bill(ctx, BillingQuestion(JULY, JULY)), forecast(ctx)
    assert (note in priced.notes, priced.plan_id == "OTHER") == (True, False)
    assert (str(note) in map(str, expected.notes), expected.plan_id == "OTHER") == (True, False)


def test_before_all_plans_the_first_to_begin_counts(ctx: Context):
    on(ctx, 30, "2024-08-01")
    on(ctx, 20, "2024-07-01", "2024-07-31")
    assert price_on(ctx, JUNE) == 20


def test_the_next_bill_is_on_the_plan_of_the_day_it_begins(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-08-10")
    on(ctx, 30, "2024-08-11")
    days = date(2024, 8, 9), date(2024, 8, 18)
    answers = [forecast(replace(ctx, today=day)) for day in days]
    assert len({answer.plan_id for answer in answers}) == 2
    for answer in answers:
        assert Note("prices_will_change", day=date(2024, 8, 11)) in answer.notes


@pytest.mark.parametrize("period", ["whole", "month"])
def test_a_bill_over_a_change_prices_each_day_on_the_plan_of_its_time(ctx: Context, period: str):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    answer = bill(ctx, BillingQuestion(JUNE, JULY, period=period))
    usage = [(line.from_, line.to, line.amount) for line in answer.lines if line.component == "usage"]
    assert usage == [  # 16 days x 24 kWh x 22 c, 15 days x 24 kWh x 33 c
        (JUNE, date(2024, 6, 30), Decimal("84.48")),
        (date(2024, 7, 1), JULY, Decimal("118.80")),
    ]
    assert answer.total == Decimal("84.48") + Decimal("118.80") - Decimal("1.54") - Decimal("2.16")
    assert [(part.from_, part.to) for part in answer.plans] == [
        (JUNE, date(2024, 6, 30)),
        (date(2024, 7, 1), JULY),
    ]
    assert answer.plan_id == answer.plans[1].plan_id != answer.plans[0].plan_id
    assert Note("prices_changed", day=date(2024, 7, 1)) in answer.notes
    (checked,) = reconcile(ctx, from_=JUNE, to=JULY, billed=answer.total).invoices
    assert checked.verdict == "agrees"


def test_reads_missing_on_both_sides_of_a_change_are_told_once(ctx: Context):
    """Reads are from 1 May to 18 August: 30 days are missing in April, 13 in August."""
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    answer = bill(ctx, BillingQuestion(from_=date(2024, 4, 1), to=date(2024, 8, 31), period="whole"))
    assert answer.missing_share == pytest.approx(43 / 153)
    [note] = [note for note in answer.notes if note.code == "missing_reads"]
    assert note.figures == {"share": answer.missing_share}


def test_a_comparison_is_with_the_plan_of_today_whatever_the_days(ctx: Context, tmp_path: Path):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    (tmp_path / "other.json").write_text(json.dumps(flat_plan("OTHER", "0.25")))
    load(ctx, [tmp_path / "other.json"])
    answer = compare(ctx, BillingQuestion(from_=date(2024, 6, 1), to=date(2024, 6, 30)))
    todays = bill(ctx, BillingQuestion(JULY, JULY)).plan_id
    assert answer.current.plan_id == todays
    assert (
        answer.current.total
        == bill(ctx, BillingQuestion(plan=todays, from_=date(2024, 6, 1), to=date(2024, 6, 30))).total
    )


def test_a_named_plan_prices_all_days(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    latest = bill(ctx, BillingQuestion(JULY, JULY)).plan_id
    answer = bill(ctx, BillingQuestion(plan=latest, from_=JUNE, to=JULY))
    assert answer.plans == (PlanDays(latest, JUNE, JULY),)
    assert answer.components["usage"] == Decimal("245.52")  # 31 days x 24 kWh x 33 c


def test_a_bill_over_a_change_is_followed_on_both_sides(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    traced = [bill(ctx, BillingQuestion(JUNE, JULY), by_day=True, reads=day) for day in (JUNE, JULY)]
    used = [row.quantity for row in traced[0].by_day if row.component == "usage"]
    assert used == [24] * 31
    assert [sum(read.quantity for read in t.reads if read.component == "usage") for t in traced] == [24, 24]


def test_what_changes_no_price_changes_no_bill(ctx: Context):
    """On 16 July only a contact was added: demand is still that of the whole month, and the invoice is right."""
    charge = {"display_name": "Peak", "amount": "0.30", "start_time": "15:00", "end_time": "21:00"}
    period = {"single_rate": {"rates": [{"unit_price": "0.20"}]}, "demand_charges": [charge]}
    on(ctx, 0, "2024-01-01", seen="2024-03-01", current=False, contract={"tariff_period": [period]})
    contacts = {"authorised_contacts": [{"first_name": "Ann", "last_name": "B"}]}
    on(ctx, 0, "2024-01-01", seen="2024-07-16", contract={"tariff_period": [period]}, **contacts)
    answer = bill(ctx, BillingQuestion(from_=date(2024, 7, 1), to=date(2024, 7, 31)))
    assert answer.components == {"usage": Decimal("163.68"), "demand": Decimal("10.23")}  # 1 kW x 31 days x 0.33
    assert len(answer.plans) == 1
    assert not [code for code in answer.note_codes if code == "prices_changed"]
    (checked,) = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed="300.00").invoices
    assert "price change" not in [reason.cause for reason in checked.causes]


def test_concessions_are_those_of_the_account_that_supplied_on_the_day(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-07-15")
    on(ctx, 20, "2024-07-16", account="next")
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        rebate = {"display_name": "Rebate", "type": "FIXED_AMOUNT", "amount": "1.00", "discount_frequency": "P1D"}
        store.upsert("concessions", [{**rebate, "household_id": home, "account_id": "next", "id": "c"}])
    july = bill(ctx, BillingQuestion(from_=date(2024, 7, 1), to=date(2024, 7, 31)))
    assert july.components["concession"] == Decimal("-16.00")
    (checked,) = reconcile(ctx, from_=date(2024, 7, 1), to=date(2024, 7, 31), billed=july.total).invoices
    assert checked.verdict == "agrees"


@pytest.mark.parametrize("scheme", [{"scheme": "premium"}, {"payer_type": "Government"}])
def test_a_closed_feed_in_tariff_is_the_accounts_however_it_is_written(ctx: Context, scheme: dict[str, str]):
    closed = {**scheme, "description": "Solar bonus", "single_tariff": {"rates": [{"unit_price": "0.44"}]}}
    period = {"single_rate": {"rates": [{"unit_price": "0.20"}]}}
    on(ctx, 0, "2024-01-01", contract={"tariff_period": [period], "solar_feed_in_tariff": [closed]})
    answer = bill(ctx, BillingQuestion(from_=date(2024, 7, 1), to=date(2024, 7, 31)))
    assert answer.components["feed_in"] == Decimal("-65.47")  # 31 days x 4.8 kWh x 44 c
    named = bill(ctx, BillingQuestion(plan=answer.plan_id, from_=date(2024, 7, 1), to=date(2024, 7, 31)))
    assert named.components == answer.components


def test_days_without_reads_are_refused(ctx: Context):
    on(ctx, 20, "2019-01-01")
    with pytest.raises(PricingError, match=r"2020-07-01.*2020-07-31"):
        bill(ctx, BillingQuestion(date(2020, 7, 1), date(2020, 7, 31)), by_day=True)


def test_the_reads_of_one_day_are_those_of_its_bill(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    for day in (JUNE, JULY):
        question = BillingQuestion(JUNE, JULY)
        assert bill_reads(ctx, question, day=day) == bill(ctx, question, reads=day).reads


def test_a_plan_of_the_past_without_a_price_is_named(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30", contract={"tariff_period": []})
    on(ctx, 30, "2024-07-01")
    with pytest.raises(PricingError, match=r"2024-06-15.*2024-06-30"):
        bill(ctx, BillingQuestion(JUNE, JULY))


def test_solar_is_worth_what_each_days_plan_pays(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-06-30")
    on(ctx, 30, "2024-07-01")
    (point,) = solar(ctx, panels_kw=3, from_=date(2024, 6, 1), to=date(2024, 7, 31)).service_points
    # 30 × 4.8 × 0.02 + 31 × 4.8 × 0.03 = 2.88 + 4.464
    assert point.feed_in_value == Decimal("7.34")
    assert [(part.from_, part.to) for part in point.valued_on_plans] == [
        (date(2024, 6, 1), date(2024, 6, 30)),
        (date(2024, 7, 1), date(2024, 7, 31)),
    ]
    assert point.valued_on_plan == point.valued_on_plans[-1].plan_id
    assert "plan_assumed" not in point.note_codes


@pytest.mark.parametrize("since", [None, date(2024, 7, 1)])
def test_without_account_or_first_day_it_is_said_that_todays_plan_is_used(
    ctx: Context, tmp_path: Path, since: date | None
):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(flat_plan("MINE", "30")))
    load(ctx, [path])
    set_home(ctx, plan_id="MINE", plan_since=since)
    july = {"from_": date(2024, 7, 1), "to": date(2024, 7, 31)}
    assumed = Note("plan_assumed", first=july["from_"], last=july["to"], plan="MINE")
    (entry,) = reconcile(ctx, **july, billed="276.21").invoices
    assert entry.verdict == "agrees"
    (point,) = solar(ctx, panels_kw=3, **july).service_points
    for notes in (entry.notes, point.notes):
        assert (assumed in notes) == (since is None)
    assert ("plan_since_unknown" in point.note_codes) == (since is None)


def test_an_invoice_over_a_change_is_recomputed_in_parts(ctx: Context):
    on(ctx, 20, "2024-01-01", "2024-07-10")
    on(ctx, 30, "2024-07-11")
    # 240 × 0.22 + 504 × 0.33 − 48 × 0.02 − 100.8 × 0.03 = 52.80 + 166.32 − 0.96 − 3.02
    written(ctx, "invoices", stated("215.14"))
    (entry,) = reconcile(ctx).invoices
    assert (entry.recomputed, entry.verdict) == (Decimal("215.14"), "agrees")
