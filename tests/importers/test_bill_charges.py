"""The priced lines of bills: quantity × price = amount, the part of a plan that each prices, and what is left out."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from tests import bill_pdfs as bills
from toolkit.importers.bills.charges import charges
from toolkit.importers.bills.draft import read_bill
from toolkit.importers.bills.extract import pdf_pages

TIME_OF_USE = """
Lyrebird Energy                                            Electricity bill
NMI                             4134884224
Billing period                  1 September 2026 to 30 September 2026 (30 days)
Total new charges (incl. GST)   $198.57
Peak                            159.777 kWh                54.34 c/kWh        $86.82
Shoulder                        110.265 kWh                30.888 c/kWh       $34.06
Off peak                        125.268 kWh                23.947 c/kWh       $30.00
Controlled load supply          30 days                    $0.05214/day       $1.56
Hot water                       190.011 kWh                19.976 c/kWh       $37.96
Daily supply                    30 days                    $1.15005/day       $34.50
Solar feed-in                   526.58 kWh                 5 c/kWh            $26.33 CR
Amount due                                                                    $198.57
"""


def priced(text: str) -> dict[str, tuple[str | None, str]]:
    """Name → part of the plan, and price in AUD with its unit and amount."""
    return {
        charge.words: (charge.component, f"{charge.price.normalize():f}/{charge.unit} {charge.amount}")
        for charge in read_bill(text).charges
    }


def priced_pdf(data: bytes) -> dict[str, tuple[str | None, str]]:
    return priced("\n".join(pdf_pages(data, "bill.pdf")))


def test_every_price_of_a_time_of_use_bill_with_hot_water_and_solar() -> None:
    assert priced(TIME_OF_USE) == {
        "Peak": ("peak", "0.5434/kWh 86.82"),
        "Shoulder": ("shoulder", "0.30888/kWh 34.06"),
        "Off peak": ("off_peak", "0.23947/kWh 30.00"),
        "Controlled load supply": ("controlled_load_supply", "0.05214/day 1.56"),
        "Hot water": ("controlled_load", "0.19976/kWh 37.96"),
        "Daily supply": ("supply", "1.15005/day 34.50"),
        "Solar feed-in": ("feed_in", "0.05/kWh -26.33"),
    }


def test_prices_in_dollars_in_sentences_and_below_headings() -> None:
    assert priced_pdf(bills.LABELS_AND_VALUES) == {
        "General usage": ("anytime", "0.33/kWh 268.13"),
        "Controlled load 1": ("controlled_load", "0.22/kWh 33.00"),
        "Supply charge": ("supply", "1.52/day 140.01"),
    }
    assert priced_pdf(bills.IN_SENTENCES) == {
        "Peak usage": ("peak", "0.31/kWh 37.36"),
        "Off-peak usage": ("off_peak", "0.2/kWh 42.00"),
        "Solar feed-in": ("feed_in", "0.05/kWh -4.71"),
        "Daily supply": ("supply", "0.7758/day 24.05"),
    }
    assert priced_pdf(bills.ONLY_AMOUNT_DUE) == {
        "Peak": ("peak", "0.35/kWh 140.00"),
        "Shoulder": ("shoulder", "0.3/kWh 60.00"),
        "Supply charge": ("supply", "1.2848/day 118.20"),
    }


@pytest.mark.parametrize(
    ("line", "component"),
    [
        ("First 3,000 MJ      3,000      $0.0330      $99.00", None),  # a price in steps
        ("GreenPower 100%     300 kWh    4.5 c/kWh    $13.50", None),
        ("Metering charge     30 days    $0.10/day    $3.00", None),
        ("Solar soak usage    100 kWh    10 c/kWh     $10.00", "solar_soak"),
        ("Solar credit        100 kWh    10 c/kWh     -$10.00", "feed_in"),
        ("Off peak hot water  100 kWh    18 c/kWh     $18.00", "controlled_load"),
        ("Night usage         100 kWh    18 cents per kWh   $18.00", "off_peak"),
        ("Service to property 91 days    95.5 c/day   $86.91", "supply"),
        ("Anytime usage       100 kWh    30 c/kWh     $33.00", "anytime"),  # GST is added to it
    ],
)
def test_the_words_and_the_unit_show_which_part_of_a_plan_a_line_prices(line: str, component: str | None) -> None:
    [charge] = read_bill(line).charges
    assert charge.component == component


@pytest.mark.parametrize(
    "line",
    [
        "Peak                 100 kWh    30 c/kWh     $31.00",  # a hundred at 30 cents are 30.00
        "Peak                 100 kWh    30 c/day     $30.00",
        "Average use          30 days    $6.62/day    $198.60",
        "Peak usage last year 100 kWh    30 c/kWh     $30.00",
        "Total usage          100 kWh    30 c/kWh     $30.00",
    ],
)
def test_a_line_that_its_own_figures_do_not_confirm_or_that_charges_nothing_has_no_price(line: str) -> None:
    assert read_bill(line).charges == ()


def test_a_line_of_many_numbers_takes_no_time() -> None:
    begun = time.monotonic()
    assert list(charges([f"{'7 ' * 190}1.23"] * 300)) == []
    assert time.monotonic() - begun < 5


SUMMED_UP = """
Lyrebird Energy                                            Electricity bill
Previous balance                                                              $50.00
Payment 3 August 2026 - thank you                                             $50.00 CR
Usage charges                                                                 $30.00
Total new charges                                                             $70.00
Usage
Anytime                         100 kWh                    30 c/kWh           $30.00
Total usage charges                                                           $30.00
Other charges
Demand 2.5 kW                                                                 $10.00
Daily supply                    20 days                    $1.00/day          $20.00
Late payment fee 12 Aug 2026                                                  $10.00
Includes GST of                                                               $6.36
Amount due                                                                    $70.00
Overdue from an earlier bill                                                  $9.00
"""


def test_only_charges_are_lines_with_an_amount_alone() -> None:
    """30 + 10 + 20 + 10 = 70; not sums, tax, balances, payments, or what stands before and after them."""
    read = read_bill(SUMMED_UP)
    assert [(each.words, f"{each.amount}") for each in read.named_amounts] == [
        ("Demand 2.5 kW", "10.00"),
        ("Late payment fee 12 Aug 2026", "10.00"),
    ]


def test_a_concession_below_the_new_charges_leaves_their_lines_what_they_are() -> None:
    """Charges of 70.00, of which a concession takes 20.00 off."""
    below = SUMMED_UP.replace(
        "Amount due                                                                    $70.00", ""
    )
    read = read_bill(f"{below}Concession $20.00 CR\nTotal amount due $50.00")
    assert read.billed == Decimal("50.00")
    assert [each.words for each in read.named_amounts] == ["Demand 2.5 kW", "Late payment fee 12 Aug 2026"]
