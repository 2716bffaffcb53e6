"""Reading the service: what the client, the tables and the store add to the bytes themselves."""

from __future__ import annotations

import http.client
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from tests.benchmarks.harness import Result, exactly, side_by_side, summary
from tests.benchmarks.harness import seconds as timed
from tests.benchmarks.served import ACCOUNTS, PAGES, ROWS, serving
from toolkit import settings
from toolkit.api.access import TokenCache
from toolkit.api.client import Client
from toolkit.flows.sync import pull as sync_pull
from toolkit.flows.sync.progress import Run
from toolkit.flows.sync.writer import PageWriter
from toolkit.store import open_store
from toolkit.sync.list_sync import ListSync, Person, transaction_list_syncs
from toolkit.wire.records import Token, Transaction

STREAMS = 10
LATENCY = 0.1
CALLERS = 100
PERSON = Person("home_1", "eu_1")


class Links(msgspec.Struct):
    next: str | None = None


class Page(msgspec.Struct):
    transactions: list[Transaction]
    links: Links


def plainly(base_url: str) -> int:
    """The same bytes through `http.client` and msgspec alone, one after the other."""
    decode = msgspec.json.Decoder(Page).decode
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    rows = 0
    for account in range(ACCOUNTS):
        target: str | None = f"/v1/banking/transactions?account_id=acc_{account}"
        while target:
            connection.request("GET", target)
            page = decode(connection.getresponse().read())
            rows += len(page.transactions)
            target = page.links.next
    connection.close()
    assert rows == ACCOUNTS * PAGES * ROWS
    return rows


def client_of(base_url: str) -> Client:
    named = {"TOOLKIT_BASE_URL": base_url, "TOOLKIT_CLIENT_ID": "c", "TOOLKIT_CLIENT_SECRET": "s"}
    return Client(settings.load(named, {}))


def list_syncs() -> list[ListSync]:
    return [list_sync for n in range(ACCOUNTS) for list_sync in transaction_list_syncs(PERSON, f"acc_{n}", None)]


def stored(base_url: str, db: Path) -> int:
    """Pulled, decoded, made rows and committed page by page, as `toolkit sync` does it."""
    with client_of(base_url) as client, open_store(db) as store:
        writer = PageWriter(store, Run("run", datetime(2026, 11, 21, tzinfo=UTC), date(2026, 11, 21)), client.spelling)
        asked = list_syncs()
        writer.begin(asked)
        sync_pull.pull(client, asked, writer.page, lambda *_: [])
        found = store.count("transactions")
    assert found == ACCOUNTS * PAGES * ROWS
    return found


def read(base_url: str) -> int:
    """Pulled and decoded only, with as many streams as there are accounts."""

    def one(account: int) -> int:
        asked = {"end_user_id": "eu_1", "account_id": f"acc_{account}"}
        return sum(len(page.records) for page in client.pages("banking.transactions", **asked))

    with client_of(base_url) as client, ThreadPoolExecutor(STREAMS) as pool:
        client.sign_in()
        return sum(pool.map(one, range(ACCOUNTS)))


def renewals() -> int:
    """Sign-ins made for callers who all come at once."""
    asked = count()

    def sign_in() -> Token:
        next(asked)
        return Token(token="t", expires_in=900)

    writer = TokenCache(sign_in)
    with ThreadPoolExecutor(CALLERS) as pool:
        assert set(pool.map(lambda _: writer.token(), range(CALLERS))) == {"t"}
    return next(asked)


def results(repeats: int) -> Iterator[Result]:
    with serving() as base_url, tempfile.TemporaryDirectory() as folder:
        fresh = (Path(folder) / f"{number}.db" for number in count())
        ours, floor = side_by_side(lambda: stored(base_url, next(fresh)), lambda: plainly(base_url), repeats)
        yield Result("100,000 transactions: pull, decode, commit", ours, floor, "http.client + msgspec, no store", 4)
    with serving(LATENCY) as base_url:
        found = summary([timed(lambda: read(base_url)) for _ in range(max(repeats, 5))])
        least = exactly(ACCOUNTS * PAGES / STREAMS * LATENCY)
        yield Result("100 pages behind 100 ms, ten streams", found, least, "pages ÷ streams × latency", 1.4)
    yield Result(f"sign-ins for {CALLERS} callers at once", exactly(renewals()), exactly(1), "one", 1, "sign-ins")
