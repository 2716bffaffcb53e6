"""Answers of the register that are broken somewhere: one plan or one answer is lost, never more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolkit.errors import InvalidResponseError
from toolkit.wire.plan_register import Brand, read_brands, read_fault, read_plan_detail, read_plans

BROKEN = [b'{"data":{"plans":[]},"links":{"next":"\xff"}}', b'{"data":"\xff"}', b'{"data":', b"", b'{"data":' * 100_000]


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("read", [read_plans, read_brands, read_plan_detail])
def test_an_answer_that_is_broken_is_a_bad_answer(read: Callable[[bytes], object], body: bytes) -> None:
    with pytest.raises(InvalidResponseError):
        read(body)


def test_a_stray_byte_in_one_plan_costs_that_plan_alone() -> None:
    page = read_plans(b'{"data":{"plans":[{"planId":"P\xff"},{"planId":"Q"}]}}')
    assert ([plan.plan_id for plan in page.plans], page.rejected) == (["Q"], ['{"planId":"P\ufffd"}'])


def test_a_stray_byte_in_one_brand_costs_that_brand_alone() -> None:
    assert read_brands(b'{"data":[{"brandName":"\xff"},{"brandName":"Q"}]}') == [Brand(), Brand(brand_name="Q")]


def test_a_fault_that_cannot_be_read_says_nothing() -> None:
    assert read_fault(b'{"errors":[{"detail":"\xff"}]}') == ""


def test_half_a_character_costs_no_plan() -> None:
    page = read_plans(rb'{"data":{"plans":[{"planId":"P","brandName":"Sun \ud83d"},{"planId":"Q"}]}}')
    assert [plan.plan_id for plan in page.plans] == ["P", "Q"]
    detail = read_plan_detail(rb'{"data":{"planId":"P","displayName":"Sun \ud83d"}}')
    assert detail == {"planId": "P", "displayName": "Sun \ufffd"}
    assert read_brands(rb'{"data":[{"brandName":"Sun \ud83d\ude00 \ude00"}]}') == [Brand(brand_name="Sun 😀 \ufffd")]
