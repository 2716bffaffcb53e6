from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.tables.registers import (
    MISSING,
    interval_qualities,
    missing_mask,
    nano,
    pack,
    pack_integers,
    quality_runs,
    unpack,
    unpack_exact,
)

values = st.decimals(min_value=0, max_value=10**5, places=9, allow_nan=False, allow_infinity=False)


def test_the_smallest_scale_and_width_that_hold_all() -> None:
    packed = pack(["0.000", "0.250", "1.5"])
    assert (packed.exponent, packed.width, len(packed.blob)) == (2, 2, 6)
    assert (packed.total_nano, packed.intervals, packed.present) == (1_750_000_000, 3, 3)
    assert pack(["400.25"]).width == 4
    assert pack(["0.123456789"]).exponent == 9
    assert pack([]).total_nano == 0


def test_a_missing_value_is_held_as_zero_and_not_present() -> None:
    packed = pack([1.0, None, 2.0])
    assert (packed.present, packed.intervals, packed.total_nano) == (2, 3, 3_000_000_000)
    assert unpack(packed.blob, exponent=packed.exponent, width=packed.width).tolist() == [10**9, 0, 2 * 10**9]


@pytest.mark.parametrize("value", ["-0.1", "1e400", "NaN", "Infinity", float("nan"), "eleven", "1" * 20, f"0.{1:019}"])
def test_what_cannot_be_held_is_refused(value: str | float) -> None:
    with pytest.raises(ValueError, match=r"value|number"):
        pack([value])


@given(st.lists(values, max_size=300))
def test_every_decimal_comes_back_exactly(written: list[Decimal]) -> None:
    packed = pack(written)
    assert unpack_exact(packed.blob, exponent=packed.exponent, width=packed.width) == written
    whole = unpack(packed.blob, exponent=packed.exponent, width=packed.width)
    assert whole.tolist() == [int(value * 10**9) for value in written]
    assert packed.total_nano == sum(whole.tolist())


@given(st.lists(st.none() | values, max_size=100), st.integers(min_value=0, max_value=99))
def test_reads_of_files_and_of_the_service_pack_alike(written: list[Decimal | None], under_a_flag: int) -> None:
    integers = np.array([under_a_flag if v is None else int(v * 10**9) for v in written], dtype=np.int64)
    missing = np.array([v is None for v in written], dtype=np.bool_)
    assert pack_integers(integers, 9, missing) == pack(written)


@given(st.lists(st.sampled_from([None, "ACTUAL", "SUBSTITUTE", MISSING]), max_size=50))
def test_qualities_survive_as_runs(qualities: list[str | None]) -> None:
    runs = quality_runs(qualities)
    text = pack([1] * len(qualities)).columns(runs)["qualities"]
    assert text is None or isinstance(text, str)
    assert interval_qualities(text, len(qualities)) == [quality or "ACTUAL" for quality in qualities]
    assert missing_mask(len(qualities), runs).tolist() == [quality == MISSING for quality in qualities]


@given(st.lists(values, max_size=50))
def test_text_decimals_and_floats_pack_alike(written: list[Decimal]) -> None:
    assert pack([format(value, "f") for value in written]) == pack(written)
    floats = [float(value) for value in written]
    if [Decimal(repr(value)) for value in floats] == written:
        assert pack(floats) == pack(np.array(floats)) == pack(written)


@given(st.lists(st.floats(min_value=0, max_value=10**6), min_size=1, max_size=50))
def test_a_float_stands_for_its_shortest_decimal(floats: list[float]) -> None:
    written = [Decimal(repr(value)) for value in floats]
    if max(-value.normalize().as_tuple().exponent for value in written) > 18:
        with pytest.raises(ValueError, match="decimals"):
            pack(floats)
        return
    if max(written) * 10**18 < 2**63:
        packed = pack(floats)
        assert unpack_exact(packed.blob, exponent=packed.exponent, width=packed.width) == written


def test_one_value_in_nano() -> None:
    assert nano("12.345") == 12_345_000_000
    assert nano(0.1) == 100_000_000
    assert nano("1e-25") == 0
    with pytest.raises(ValueError, match="x"):
        nano("x")


@pytest.mark.parametrize("value", ["100000000.000000001", "10000000000", "1e31", "1e999999"])
def test_more_than_100_gigawatt_hours_is_no_reading(value: str) -> None:
    with pytest.raises(ValueError, match=r"meter|digits"):
        nano(value)
    with pytest.raises(ValueError, match=r"meter|digits"):
        pack([value])
    assert nano("100000000") == pack(["100000000"]).total_nano == 10**17


def test_a_days_sum_is_bounded_as_its_values_are() -> None:
    assert pack(["50000000"] * 2).total_nano == 10**17
    with pytest.raises(ValueError, match="100,000,001"):
        pack(["50000000", "50000001"])
