"""The gas meter of the embedded service is read on the days that its bills end."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest

from toolkit.sandbox.world.people import RENTER
from toolkit.sandbox.world.power.home import generate_home


@pytest.mark.parametrize("first", [date(2024, 6, 1), date(2024, 7, 1)])
def test_each_gas_bill_is_of_one_read_and_no_day_is_without(first: date) -> None:
    home = generate_home(RENTER, 1, (first, date(2025, 6, 20)), first)
    reads = [(read.span.first, read.span.last) for read in home.gas_reads]
    billed = [(bill.span.first, bill.span.last) for bill in home.bills if bill.account.fuel == "gas"]
    assert len(billed) == 5  # two months each from July to April
    assert set(billed) <= set(reads)
    assert reads[0][0] == first
    assert all(after[0] == before[1] + timedelta(1) for before, after in pairwise(reads))
