"""Section 6: which period the next bill is for, what it cannot fall below, and from which age reads give none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring
from tests.meters import day, days, flat_plan, nem12, register
from tests.problems import names

QUARTER = ("2025-01-01", "2025-03-31")
MONTH = ("2025-02-01", "2025-02-28")


def varied(first: str, count: int, *, scale: float = 1.0) -> list[list[float]]:
    return [[round(scale * (0.2 + (n * 7 + slot * 3) % 11 / 10), 1) for slot in range(48)] for n in range(count)]


def meter(first: str = "2024-01-01", count: int = 400) -> str:
    """To 3 February 2025: 1 kW all the time."""
    return nem12(register(), *(day(when, [0.5] * 48) for when in days(first, count)))


def forecast(run: Run, *options: object) -> dict[str, Any]:
    ended = run("forecast", "--json", *options)
    assert ended.code == 0, ended.err
    answer: dict[str, Any] = ended.json
    return answer


def period_of(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["period"]["from"], answer["period"]["to"]


def statement(payments: Sequence[tuple[str, str]], payee: str = "AGL ENERGY") -> str:
    """A bank's export with dates as DD/MM/YYYY."""
    rows = [f"{date.fromisoformat(when):%d/%m/%Y},-{amount},{payee},+1000.00" for when, amount in payments]
    return "\n".join(rows) + "\n"


def every(first: str, step: int, amounts: Sequence[str]) -> list[tuple[str, str]]:
    start = date.fromisoformat(first)
    return [(str(start + timedelta(step * n)), amount) for n, amount in enumerate(amounts)]


@pytest.mark.parametrize(
    ("billing", "expected"),
    [("monthly", MONTH), ("two-monthly", ("2025-01-01", "2025-02-28")), ("quarterly", QUARTER)],
)
def test_the_household_says_how_often_it_is_billed(
    run: Run, bring: Bring, billing: str, expected: tuple[str, str]
) -> None:
    bring(meter())
    bring(flat_plan(billFrequency=["P6M"]), name="plan.json")
    (home,) = run("household", "set", "--billing", billing, "--json").json["households"]
    assert home["billing"] == billing
    answer = forecast(run, "--today", "2025-02-04")
    assert (period_of(answer), answer["period"]["source"]) == (expected, "household")
    assert "billing_as_set" in answer["note_codes"]


def test_an_unknown_billing_frequency_is_wrong_usage(run: Run, bring: Bring) -> None:
    bring(meter(count=2))
    assert run("household", "set", "--billing", "weekly").code == 2


@pytest.mark.parametrize(
    ("frequency", "expected"),
    [
        (["P3M"], (QUARTER, "plan")),
        ("P2M", (("2025-01-01", "2025-02-28"), "plan")),
        (["P3M", "P1M"], (MONTH, "calendar month")),  # the plan leaves the choice
        (["P3M", "P3M"], (QUARTER, "plan")),
        (["fortnightly"], (MONTH, "calendar month")),
        (["P14D"], (MONTH, "calendar month")),
        (None, (MONTH, "calendar month")),
    ],
)
def test_the_plan_says_how_often_it_bills(
    run: Run, bring: Bring, frequency: object, expected: tuple[tuple[str, str], str]
) -> None:
    bring(meter())
    bring(flat_plan(billFrequency=frequency), name="plan.json")
    answer = forecast(run, "--today", "2025-02-04")
    assert (period_of(answer), answer["period"]["source"]) == expected


UNEQUAL = ("231.17", "198.42", "254.03", "301.88", "222.65")


@pytest.mark.parametrize(
    ("payments", "expected"),
    [
        # The last is paid on 20 January: its bill is taken to end three weeks before, on 30 December.
        (every("2024-01-22", 91, UNEQUAL), (("2024-12-31", "2025-03-30"), "payments")),
        (every("2024-09-20", 30, UNEQUAL), (("2025-01-29", "2025-02-27"), "payments")),
        (every("2024-01-22", 91, ["240.15"] * 5), (MONTH, "calendar month")),
        (every("2024-01-22", 91, ["230.00", "200.00", "250.00", "300.00", "220.00"]), (MONTH, "calendar month")),
        (every("2024-11-05", 14, UNEQUAL), (MONTH, "calendar month")),
        (every("2024-12-31", 7, UNEQUAL), (MONTH, "calendar month")),
        (every("2024-10-22", 91, UNEQUAL[:2]), (MONTH, "calendar month")),
    ],
    ids=["quarterly", "monthly", "equal", "round", "fortnightly", "weekly", "only two"],
)
def test_unequal_payments_a_month_to_a_quarter_apart_tell_the_period(
    run: Run, bring: Bring, payments: list[tuple[str, str]], expected: tuple[tuple[str, str], str]
) -> None:
    bring(meter())
    bring(flat_plan(), name="plan.json")
    bring(statement(payments), name="bank.csv")
    answer = forecast(run, "--today", "2025-02-04")
    assert (period_of(answer), answer["period"]["source"]) == expected


def test_payments_of_two_retailers_tell_nothing_unless_one_is_the_plans(run: Run, bring: Bring) -> None:
    bring(meter())
    bring(statement(every("2024-01-22", 91, UNEQUAL)), name="agl.csv")
    bring(statement(every("2024-09-20", 30, UNEQUAL), "RED ENERGY"), name="red.csv")
    bring(flat_plan(), name="plan.json")
    assert forecast(run, "--today", "2025-02-04")["period"]["source"] == "calendar month"
    bring(flat_plan().replace('"planId"', '"brandName": "AGL", "planId"'), name="plan.json")
    answer = forecast(run, "--today", "2025-02-04")
    assert (period_of(answer), answer["period"]["source"]) == (("2024-12-31", "2025-03-30"), "payments")


def test_nothing_is_known_of_when_a_bill_is_due_without_any(run: Run, bring: Bring) -> None:
    bring(meter())
    bring(flat_plan(), name="plan.json")
    assert forecast(run, "--today", "2025-02-04")["due"] is None


AMOUNTS = ("certain", "p10", "p50", "p90")


@pytest.mark.parametrize(
    ("billing", "limit"),
    [("monthly", 45), ("two-monthly", 59), ("quarterly", 90)],  # January and February; January to March 2025
)
def test_old_reads_give_no_next_bill(run: Run, bring: Bring, billing: str, limit: int) -> None:
    bring(meter())
    bring(flat_plan(), name="plan.json")
    run("household", "set", "--billing", billing)
    last = date(2025, 2, 3)
    at_limit = forecast(run, "--today", last + timedelta(limit))
    assert at_limit["p50"] is not None
    beyond = forecast(run, "--today", last + timedelta(limit + 1))
    assert [beyond[name] for name in (*AMOUNTS, "due")] == [None] * 5
    assert (beyond["metered_through"], beyond["components"]) == ("2025-02-03", {})
    assert any(names(note, "2025-02-03") for note in beyond["notes"])
    text = run("forecast", "--today", last + timedelta(limit + 1)).out
    assert "$" not in text
    assert "3 Feb 2025" in text.splitlines()[0]
    assert text.count("3 Feb 2025") == 1


def test_between_45_days_and_the_limit_the_range_is_wider_and_has_its_date(run: Run, bring: Bring) -> None:
    values = varied("2024-01-01", 600)
    when = list(days("2024-01-01", 600))  # to 22 August 2025
    bring(nem12(register(), *(day(d, each) for d, each in zip(when, values, strict=True))))
    bring(flat_plan(), name="plan.json")
    run("household", "set", "--billing", "quarterly")
    fresh, old = (forecast(run, "--today", date(2025, 8, 22) + timedelta(age)) for age in (45, 60))
    assert fresh["p50"] == old["p50"]
    assert float(old["p10"]) < float(fresh["p10"]) < float(fresh["p90"]) < float(old["p90"])
    assert "range_wider" in old["note_codes"]
    assert "range_wider" not in fresh["note_codes"]
    assert "22 Aug 2025" in run("forecast", "--today", "2025-10-21").out


def test_without_export_the_range_never_falls_below_what_is_certain(run: Run, bring: Bring) -> None:
    """A home that used 60 kWh a day, then from 1 January 2025 nothing at all; the plan is flat."""
    lived = [day(when, ["1.25"] * 48) for when in days("2024-01-01", 366)]
    empty = [day(when, ["0"] * 48) for when in days("2025-01-01", 60)]
    bring(nem12(register(), *lived, *empty))
    bring(flat_plan(), name="plan.json")
    # where a bill begins and ends what is certain is all or nothing, and between them it grows by a day each day
    for today in ("01-20", "01-25", "01-30", "01-31", "02-01", "02-02", "02-03", "02-14", "02-27", "02-28"):
        answer = forecast(run, "--today", f"2025-{today}")
        low, mid, high, certain = (float(answer[name]) for name in ("p10", "p50", "p90", "certain"))
        assert certain <= low <= mid <= high
        whole = 31 if answer["period"]["to"].endswith("31") else 28
        assert high <= whole * (1.10 + 60 * 0.33) + 0.01  # no day of this home was ever dearer


def test_with_export_the_range_is_above_certain_less_the_best_credit_of_such_days(run: Run, bring: Bring) -> None:
    """2 kWh a day are bought, 40 sold at 10 c in November to February, 10 in the rest of the year."""
    rate = {"solarFeedInTariff": [{"payerType": "RETAILER", "scheme": "OTHER", "singleTariff": {"amount": "0.10"}}]}
    when = list(days("2023-06-01", 600))  # to 20 January 2025
    sold = [40 if int(each[4:6]) in (11, 12, 1, 2) else 10 for each in when]
    night, noon = [0.1] * 10 + [0.0] * 28 + [0.1] * 10, [0.0] * 20 + [1.0] * 8 + [0.0] * 20
    out = [[round(share * kwh / 8, 3) for share in noon] for kwh in sold]
    bring(
        nem12(
            register(),
            *(day(d, night) for d in when),
            register("B1"),
            *(day(d, each) for d, each in zip(when, out, strict=True)),
        )
    )
    bring(flat_plan(**rate), name="plan.json")
    answer = forecast(run, "--today", "2025-01-20")
    # supply of 31 days, 20 days of 2 kWh at 33 c less 40 kWh at 10 c; 11 days are open
    assert answer["certain"] == "-32.70"
    assert float(answer["p10"]) >= -32.70 - 11 * 4.00
    assert float(answer["p10"]) <= float(answer["p50"]) < -32.70
