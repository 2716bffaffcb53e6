"""Half a character in one record (a text cut inside an emoji) costs that field, not the page."""

from __future__ import annotations

import json

import pytest

from toolkit.wire.decoding.pages import Page, read_page
from toolkit.wire.endpoints import endpoint

TRANSACTIONS = endpoint("banking.transactions")
SOUND = rb'{"account_id":"a","platform_id":"t1","description":"caf\u00e9 \ud83d\ude00"}'


def page_of(*records: bytes) -> Page:
    return read_page(TRANSACTIONS, b'{"links":{"next":"n"},"transactions":[' + b" , ".join(records) + b"]}")


@pytest.mark.parametrize(
    "half", [rb"\ud83d", rb"\ude00", rb"\ude00\ud83d", rb"\ud83dx", rb"\\\ud83d", rb"\uD83D\u0041"]
)
def test_the_field_is_left_empty_and_the_raw_kept(half: bytes) -> None:
    odd = b'{"account_id":"a","platform_id":"t2","merchant_name":"Cafe ' + half + b'"}'
    page = page_of(SOUND, odd, SOUND)
    assert [record.description for record in page.records] == ["café 😀", None, "café 😀"]
    assert (page.raws, page.next) == ([SOUND, odd, SOUND], "n")
    ((unparsed,),) = page.unparsed.values()
    assert unparsed.field == "merchant_name"
    assert unparsed.reason.isascii()


def test_what_only_looks_like_half_a_character_is_text() -> None:
    given = rb'{"account_id":"a","description":"C:\\ud83d \ud83d\ude00"}'
    page = page_of(given)
    assert (page.records[0].description, page.unparsed) == ("C:\\ud83d 😀", {})


def test_in_an_essential_field_it_refuses_the_record_and_in_an_unknown_one_nothing() -> None:
    refused = rb'{"account_id":"a","platform_id":"t2","description":"\ud83d"}'
    unknown = rb'{"account_id":"a","platform_id":"t3","of_tomorrow":"\ud83d"}'
    page = page_of(refused, unknown)
    assert [(entry.id, entry.raw) for entry in page.rejected] == [("t2", refused)]
    assert page.raws == [unknown]
    assert json.loads(page.raws[0])["of_tomorrow"] == "\ud83d"
