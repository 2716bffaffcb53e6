"""What needs attention: what enters, in which order, none twice, and ids that stay while their cause does."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from msgspec.structs import replace

from toolkit.analytics.insights import Known, OldMeter, insights_of, shown
from toolkit.answers.base import Note
from toolkit.answers.consents import Consent
from toolkit.answers.energy.invoices import BankPayment, BillToPay, CheckedInvoice
from toolkit.answers.energy.solar import DayToCheck, Range, ServicePointSolar
from toolkit.answers.money import AmountRange, Cashflow, LowPoint, PriceChange, RecurringPayment

TODAY = date(2026, 6, 20)


def bill(billed: str, recomputed: str, last: date = date(2026, 5, 31), number: str = "B-1") -> CheckedInvoice:
    difference = Decimal(billed) - Decimal(recomputed)
    return CheckedInvoice(
        id=number,
        invoice_number=number,
        account_id=None,
        service_points=("meter",),
        plan_ids=("PLAN",),
        from_=last - timedelta(days=29),
        to=last,
        billed=Decimal(billed),
        recomputed=Decimal(recomputed),
        difference=difference,
        tolerance=Decimal(1),
        verdict="differs" if abs(difference) > 1 else "agrees",
        prices_from=None,
        reasons=(),
        causes=(),
        lines=(),
        measured_share=1.0,
        missing_share=0.0,
        payment_status=None,
        payment=None,
        checks=(),
        old_plan=None,
        notes=(),
    )


def gym(before: str, after: str, changed: date = date(2026, 6, 1)) -> RecurringPayment:
    """A monthly payment whose price changed."""
    now = -Decimal(after)
    return RecurringPayment(
        name="Gym",
        account_id="everyday",
        cadence="monthly",
        amount=AmountRange(now, now, now),
        last=changed,
        next=changed + timedelta(days=30),
        yearly=now * 12,
        confidence=1.0,
        source="detected",
        changes=(PriceChange(changed - timedelta(days=30), changed, -Decimal(before), now),),
        kind="subscription",
    )


def consent(ends: date, state: str = "active", arrangement: str = "arr") -> Consent:
    return Consent(
        id=arrangement,
        arrangement_id=arrangement,
        end_user_id="eu",
        institution_id="bank",
        institution="Example Bank",
        granted_at=None,
        ends_at=datetime(ends.year, ends.month, ends.day, 12, tzinfo=UTC),
        state=state,
        accounts=1,
        shares=(),
        ends_in_days=None,
        limit_at=None,
        next_reminder=None,
        reminder=None,
        connection=None,
        is_accessible=None,
    )


def cash(day: date, p10: str | None, p50: str) -> Cashflow:
    low = LowPoint(day, None if p10 is None else Decimal(p10), Decimal(p50))
    return Cashflow(from_=TODAY, to=TODAY + timedelta(days=89), days=(), low_point=low, notes=())


def test_what_ends_soon_comes_first_then_money_by_amount_then_the_rest() -> None:
    known = Known(
        today=TODAY,
        bills=[bill("180.00", "150.00")],  # 30 AUD
        fuels={"meter": "GAS"},
        cash_flow=cash(date(2026, 6, 25), "-400.00", "-120.00"),
        recurring=[gym("50.00", "60.00")],  # 10 AUD a month: 120 a year
        consents=[consent(date(2026, 6, 22)), consent(date(2026, 7, 15), arrangement="later")],
        old_meters=[OldMeter("meter", "GAS", date(2026, 1, 31))],
        bank_data_to=date(2026, 4, 30),
    )
    found = insights_of(known)
    assert [(insight.kind, insight.amount, insight.date, insight.page) for insight in found] == [
        ("consent", None, date(2026, 6, 22), "data"),
        ("balance", Decimal("120.00"), date(2026, 6, 25), "coming-up"),
        ("price", Decimal("120.00"), date(2026, 6, 1), "coming-up"),
        ("bill", Decimal("30.00"), date(2026, 5, 31), "bills"),
        ("data", None, date(2026, 1, 31), "data"),
        ("data", None, date(2026, 4, 30), "data"),
        ("consent", None, date(2026, 7, 15), "data"),
    ]
    assert {"fuel": "gas", "amount": Decimal("30.00")}.items() <= found[3].text.figures.items()


def test_the_rise_of_a_yearly_bill_names_both_payments() -> None:
    change = PriceChange(date(2025, 6, 2), date(2026, 6, 1), Decimal(-820), Decimal(-861))
    rego = replace(gym("820", "861"), cadence="yearly", yearly=Decimal(-861), changes=(change,))
    (insight,) = insights_of(Known(today=TODAY, recurring=[rego]))
    assert insight.amount == Decimal("41.00")
    assert insight.text.page == "Gym went up from $820.00 on 2 Jun 2025 to $861.00 on 1 Jun 2026: $41 more a year."


def test_nothing_is_listed_without_a_reason() -> None:
    known = Known(
        today=TODAY,
        bills=[bill("150.40", "150.00"), bill("300.00", "150.00", last=date(2025, 6, 19))],  # agrees; a year old
        cash_flow=cash(date(2026, 6, 25), "0.00", "120.00"),
        recurring=[gym("50.00", "50.50"), gym("50.00", "60.00", changed=date(2026, 3, 1)), gym("60.00", "50.00")],
        consents=[consent(date(2026, 12, 1)), consent(date(2026, 6, 1), state="expired")],  # renewed since
        bank_data_to=date(2026, 6, 1),
    )
    assert insights_of(known) == []


def test_a_balance_that_may_fall_below_zero_states_the_low_end_of_its_range() -> None:
    (insight,) = insights_of(Known(today=TODAY, cash_flow=cash(date(2026, 7, 16), "-80.00", "300.00")))
    assert (insight.amount, insight.date, insight.text.code) == (
        Decimal("80.00"),
        date(2026, 7, 16),
        "insight_balance_risk",
    )


def test_an_account_without_a_balance_is_asked_for_and_named_where_the_others_may_run_out() -> None:
    low = replace(cash(date(2026, 7, 16), "-80.00", "300.00"), notes=(Note("balance_missing", account="ANZ"),))
    risk, missing = insights_of(Known(today=TODAY, cash_flow=low))
    assert risk.text.page.startswith("Leaving out ANZ, your accounts may run short")
    assert (missing.kind, missing.page) == ("account", "accounts")
    assert missing.text.page == "The balance of ANZ is not known, so your cash flow leaves it out."


def test_a_balance_without_a_range_alarms_nobody() -> None:
    """A few weeks of spending, without the pay that is not known to be regular yet."""
    assert insights_of(Known(today=TODAY, cash_flow=cash(date(2026, 7, 16), None, "-8005.11"))) == []


def test_an_ended_consent_is_listed_for_two_months_unless_renewed() -> None:
    def ended(day: date) -> int:
        known = Known(today=TODAY, consents=[consent(day, "expired")], ended_consents=frozenset({"arr"}))
        return len(insights_of(known))

    assert [ended(date(2026, 6, 19)), ended(date(2026, 4, 21)), ended(date(2026, 4, 20))] == [1, 1, 0]


def test_ids_stay_from_day_to_day_and_change_with_the_cause() -> None:
    def ids(today: date, billed: str) -> list[str]:
        known = Known(today=today, bills=[bill(billed, "150.00")], consents=[consent(date(2026, 7, 1))])
        return sorted(insight.id for insight in insights_of(known))

    assert ids(TODAY, "180.00") == ids(TODAY + timedelta(days=3), "180.00")
    assert len(set(ids(TODAY, "180.00")) & set(ids(TODAY, "190.00"))) == 1  # the consent


def test_the_same_bill_counts_once() -> None:
    twice = [bill("180.00", "150.00"), replace(bill("180.00", "150.00"), account_id="other")]
    assert len(insights_of(Known(today=TODAY, bills=twice))) == 1


def test_a_bill_to_pay_that_differs_is_said_once_with_both() -> None:
    """180.00 where use and prices give 150.00: one thing, due first; the bill of another month stays apart."""

    def to_pay(**more: object) -> BillToPay:
        due = BillToPay(
            id="B-1", fuel="GAS", retailer="AGL", from_=date(2026, 5, 2), to=date(2026, 5, 31), amount=Decimal(195),
            due=date(2026, 6, 25), left=Decimal(195), bank_to=None,
        )  # fmt: skip
        return replace(due, **more)

    def found(due: BillToPay, checked: list[CheckedInvoice]) -> list[tuple[str, Decimal | None, str]]:
        known = Known(today=TODAY, bills=checked, to_pay=[due], fuels={"meter": "GAS"})
        return [(each.kind, each.amount, each.text.page) for each in insights_of(known)]

    owed = "Your gas bill of $195.00 is due on 25 Jun 2026."
    apart = "The bill is $30.00 {} than your use and your plan's prices give."
    other = bill("160.00", "150.00", last=date(2026, 4, 30), number="B-0")
    both = ("due", Decimal(195), f"{owed} {apart.format('higher')}")
    assert [each[:2] for each in found(to_pay(), [bill("180.00", "150.00"), other])] == [
        both[:2],
        ("bill", Decimal(10)),
    ]
    assert found(to_pay(), [bill("180.00", "150.00")]) == [both]
    assert found(to_pay(), [bill("120.00", "150.00")])[0][2] == f"{owed} {apart.format('lower')}"
    assert found(to_pay(), [bill("150.00", "150.00")]) == [("due", Decimal(195), owed)]
    part = BankPayment("t", "everyday", date(2026, 6, 18), Decimal(-150), "AGL")
    (paid,) = found(to_pay(payments=(part,), left=Decimal(45)), [bill("180.00", "150.00")])
    assert paid[:2] == ("payment", Decimal(45))
    assert paid[2].endswith(f"25 Jun 2026: $45.00 is left. {apart.format('higher')}")
    # nothing is said of a payment where it may have been made from an account that is not here
    (differs,) = found(to_pay(due=date(2026, 6, 10)), [bill("180.00", "150.00")])
    assert differs[:2] == ("bill", Decimal(30))


def test_at_most_five_are_shown_at_most_two_of_a_kind_and_none_that_is_done_or_put_off() -> None:
    bills = [bill(f"{160 + number}.00", "150.00", number=f"B-{number}") for number in range(4)]
    meters = [OldMeter(name, "ELECTRICITY", date(2026, 1, 31)) for name in "ab"]
    known = Known(
        today=TODAY,
        bills=bills,
        recurring=[gym("50.00", "60.00")],
        consents=[consent(date(2026, 6, 22))],
        old_meters=meters,
    )
    found = insights_of(known)
    first = shown(found, {}, TODAY)
    assert [insight.kind for insight in first] == ["consent", "price", "bill", "bill", "data"]
    decided = {first[0].id: None, first[1].id: TODAY + timedelta(days=1), first[2].id: TODAY}
    later = shown(found, decided, TODAY)
    assert [insight.kind for insight in later] == ["bill", "bill", "data", "data"]


def panels(failed: list[tuple[date, str | None]]) -> ServicePointSolar:
    """Solar whose panels failed on some days, with what each cost."""
    return ServicePointSolar(
        service_point_id="meter",
        panels_kw=6.6,
        panels_source="household",
        inverter_kw=None,
        storage_kwh=None,
        export_kwh=4000.0,
        generation_kwh=Range(),
        self_consumption=None,
        self_sufficiency=None,
        reason=None,
        from_=date(2025, 6, 1),
        to=date(2026, 6, 19),
        days_to_check=tuple(
            DayToCheck(date=day, reason="", cause="none", kwh=15.0, value=None if value is None else Decimal(value))
            for day, value in failed
        ),
    )


def test_solar_days_that_failed_are_one_thing_from_their_first_day_on() -> None:
    week = [(date(2026, 6, 12) + timedelta(days=number), "1.25") for number in range(4)]
    last_year = [(date(2025, 12, 1), "9.00")]

    def seen(failed: list[tuple[date, str | None]], today: date = TODAY) -> list[tuple[object, ...]]:
        found = insights_of(Known(today=today, solar=[panels(failed)]))
        return [(each.kind, each.text.code, each.amount, each.date, each.page) for each in found]

    four_days = ("solar", "insight_solar_value", Decimal("5.00"), date(2026, 6, 15), "solar")
    assert seen(last_year + week) == [four_days]
    assert seen(week[:2]) == []
    assert seen(week, today=date(2026, 9, 1)) == []
    assert seen([(day, None) for day, _ in week]) == [("solar", "insight_solar", None, date(2026, 6, 15), "solar")]
    ids = {insight.id for days in (week[:3], week) for insight in insights_of(Known(today=TODAY, solar=[panels(days)]))}
    assert len(ids) == 1
