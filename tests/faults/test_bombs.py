"""Answers that unpack to more than any memory, or are too deep: refused in words, within bounds of memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.scripted_service import ScriptedService, reply, scripted_service
from toolkit.api.transport import Transport
from toolkit.errors import InvalidResponseError
from toolkit.wire.decoding.pages import read_page
from toolkit.wire.endpoints import endpoint

BOMB = 250 * 10**6
MOST_MEMORY = 200 * 2**20
DEPTH = 200_000


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with scripted_service() as service:
        yield service


@pytest.fixture
def bounded() -> Iterator[None]:
    tracemalloc.start()
    yield
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST_MEMORY


@pytest.fixture(scope="module")
def packed() -> bytes:
    """Zeros, packed a part at a time."""
    packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    part = bytes(BOMB // 100)  # so that making it needs no memory either
    return b"".join(packer.compress(part) for _ in range(100)) + packer.flush()


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(("times", "fault"), [(1, "too_large"), (2, "unrequested_encoding")])
def test_an_answer_that_unpacks_to_far_more(service: ScriptedService, packed: bytes, times: int, fault: str) -> None:
    body = packed if times == 1 else gzip.compress(packed)
    service.answer = lambda _asked: reply(body, content_encoding=", ".join(["gzip"] * times))
    with closing(Transport(service.url)) as transport, pytest.raises(InvalidResponseError) as refused:
        transport.send("GET", f"{service.url}/v1/banking/accounts")
    assert refused.value.name == fault


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_an_answer_of_no_end_in_depth(opening: bytes, closing: bytes) -> None:
    deep = opening * DEPTH + b"1" + closing * DEPTH
    accounts = endpoint("banking.accounts")
    with pytest.raises(InvalidResponseError):
        read_page(accounts, deep)
    record = json.dumps({accounts.array: ["deep"]}).encode().replace(b'"deep"', b'{"id": ' + deep + b"}")
    with pytest.raises(InvalidResponseError):
        read_page(accounts, record)
