"""How the charges of a plan are called on pages."""

from __future__ import annotations

import pytest

from toolkit.answers.wording.charges import charge_name


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("tariff period", "Usage"),
        ("tariff period: daily supply", "Daily supply"),
        ("tariff period, block 2", "Usage, block 2"),
        ("tariff period (1 Dec to 28 Feb): Peak", "1 Dec to 28 Feb: Peak"),
        ("Single Rate Tariff Period (1 Jul to 30 Jun): daily supply", "Daily supply"),
        ("Single Rate (1 Jul to 30 Jun): Anytime, block 1", "Anytime, block 1"),
        ("Single Rate (1 Jan to 31 Dec), block 1", "Single Rate, block 1"),
        ("Leap (1 Mar to 28 Feb): Anytime", "Anytime"),
        ("Summer (1 Dec to 28 Feb): daily supply", "Summer (1 Dec to 28 Feb): daily supply"),
        ("Odd (31 Feb to 30 Feb): Peak", "Odd (31 Feb to 30 Feb): Peak"),
        ("All year: daily supply", "All year: daily supply"),
        ("Tariff periodic", "Tariff periodic"),
        ("", ""),
    ],
)
def test_a_period_that_says_nothing_is_left_out_of_a_charges_name(label: str, name: str) -> None:
    assert charge_name(label) == name
