"""Labels of lines: what is written is taken apart as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolkit.analytics.energy.bills.labels import apart, of_block

WORDS = st.text() | st.sampled_from(["Anytime, block pricing", "Anytime, block 2", ", block 1", "block 1\n"])


@given(WORDS, st.integers(1, 12))
def test_a_price_and_its_block_come_apart_as_they_were_put_together(price: str, number: int) -> None:
    assert apart(of_block(price, number), [price]) == (price, number)
    assert apart(price, [price]) == (price, None)


def test_a_label_that_ends_in_other_words_names_no_block() -> None:
    for label in ("Anytime", "Anytime, block pricing", "Anytime, block 2 only", "Anytime, block ²"):
        assert apart(label, ()) == (label, None)
