"""“Are they correct?” names the price on a bill that is not the plan's, and what that comes to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.bill_pdfs import pdf, rows
from tests.flows.energy.homes import import_plans
from tests.flows.plans.test_billed_hours import metered, peak_between, plan
from tests.pages.seen import press, read
from tests.pages.test_bill_files import dropped
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home

Visit = Callable[..., AppTest]
AT = (50, 200, 330, 470)


def checked(ctx: Context, folder: Path, visit: Visit, peak: str, peak_amount: str, total: str) -> AppTest:
    """A bill of May on a plan of 55 and 22 cents with GST, 110 cents a day: 186 kWh peak, 189.1 kWh at other times."""
    import_plans(ctx, folder, plan("A1@EME", "Lyrebird", peak_between("15:00", "21:00")))
    set_home(ctx, plan_id="A1@EME", plan_since=date(2026, 1, 1))
    page = rows(
        ["Lyrebird Energy", "", "", "Electricity bill"],
        ["Billing period", "1 May 2026 to 31 May 2026 (31 days)"],
        ["Total new charges (incl. GST)", "", total],
        ["Peak", "186 kWh", f"{peak} c/kWh", peak_amount],
        ["Off peak", "189.1 kWh", "22.00 c/kWh", "$41.60"],
        ["Daily supply", "31 days", "$1.10/day", "$34.10"],
        left=AT,
    )
    test = dropped(visit(ctx.db, "data"), bill=pdf(page))
    press(test, "Save this bill")
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert not test.exception
    return test


def test_the_price_that_differs_is_named_with_what_it_comes_to(tmp_path: Path, visit: Visit) -> None:
    """60 cents in place of 55: 186 × 0.05 = 9.30 more; 111.60 + 41.60 + 34.10 = 187.30."""
    ctx = metered(tmp_path, "2026-05-01", 31)
    test = checked(ctx, tmp_path, visit, "60.00", "$111.60", "$187.30")
    assert names(read(test), "Peak: 60 cents a kWh on the bill, 55 cents on the plan", "186 kWh", "$9.30 more")
    assert "Off peak: 22" not in read(test)
    assert "can't explain" not in read(test)
    [why] = [each.value["why"].tolist() for each in test.dataframe if "why" in each.value.columns]
    assert ["60 cents" in said and "explain" not in said for said in why] == [True]
    assert "The lines of this bill are not stored" not in read(test)
    [table] = [each.value for each in test.dataframe if "planned" in each.value.columns]
    shown = {row["name"]: (row["billed"], row["planned"], float(row["quantity"])) for row in table.to_dict("records")}
    assert shown == {"Peak": (60, 55, 186), "Off peak": (22, 22, 189.1), "Daily supply": (110, 110, 31)}


def test_what_the_prices_do_not_explain_is_still_said(tmp_path: Path, visit: Visit) -> None:
    """The bill is 20 dollars more than its lines: of 29.30 more than the plan gives, its peak price explains 9.30."""
    ctx = metered(tmp_path, "2026-05-01", 31)
    test = checked(ctx, tmp_path, visit, "60.00", "$111.60", "$207.30")
    assert names(read(test), "$9.30 more", "leave $20.00 of the difference open")


def test_of_a_right_bill_no_price_is_named(tmp_path: Path, visit: Visit) -> None:
    """186 × 0.55 = 102.30; 102.30 + 41.60 + 34.10 = 178.00."""
    ctx = metered(tmp_path, "2026-05-01", 31)
    test = checked(ctx, tmp_path, visit, "55.00", "$102.30", "$178.00")
    assert "on the plan (including GST)" not in read(test)
    assert not [each for each in test.dataframe if "planned" in each.value.columns]
