"""Reading the service: what the client, the tables and the store add to the bytes themselves."""

from __future__ import annotations

import http.client
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from tests.benchmarks.harness import Result, exactly, side_by_side, summary
from tests.benchmarks.harness import seconds as timed
from tests.benchmarks.served import ACCOUNTS, PAGES, ROWS, serving
from toolkit import settings
from toolkit.api.client import Client
from toolkit.api.transport import TokenCache
from toolkit.flows.sync import run as sync_run
from toolkit.flows.sync.writer import PageWriter, Run
from toolkit.store import open_store
from toolkit.store.connection import connect
from toolkit.sync.list_sync import ListSync, Person, transaction_list_syncs
from toolkit.wire.records import Token, Transaction

STREAMS = 10
LATENCY = 0.1
CALLERS = 100
PERSON = Person("home_1", "eu_1")


class Links(msgspec.Struct):
    next: str | None = None


class Page(msgspec.Struct):
    transactions: list[msgspec.Raw]
    links: Links


COLUMNS = (
    *("household_id", "id", "arrangement_id", "institution_id", "raw", "source", "account_id", "transaction_id"),
    *("status", "amount", "amount_minor", "currency", "type", "execution_date_time", "posting_date_time"),
    *("value_date_time", "description", "reference", "merchant_name", "merchant_category_code", "primary_category"),
    *("secondary_category", "category_confidence", "biller_code", "biller_name", "crn", "apca_number"),
    *("payer", "payee", "extended_description", "end_to_end_id"),
)
"""The columns of `transactions` that these records fill."""


def columns_of(raw: msgspec.Raw, decode: Callable[[msgspec.Raw], Transaction]) -> tuple[object, ...]:
    """Return the values of `COLUMNS` without a check of any."""
    row = decode(raw)
    category, extended = row.category, row.extended_data
    assert row.amount is not None
    assert category is not None
    assert extended is not None
    assert extended.npp_payload is not None
    fast = extended.npp_payload
    return (
        PERSON.household_id, row.platform_id, row.arrangement_id, row.institution_id, bytes(raw).decode(), "service",
        row.account_id, row.transaction_id, row.status, row.amount, round(float(row.amount) * 100), row.currency,
        row.type, row.execution_date_time, row.posting_date_time, row.value_date_time, row.description, row.reference,
        row.merchant_name, row.merchant_category_code, category.primary_category, category.secondary_category,
        category.confidence_level, row.biller_code, row.biller_name, row.crn, row.apca_number, extended.payer,
        extended.payee, fast.extended_description, fast.end_to_end_id,
    )  # fmt: skip


def plainly(base_url: str, db: Path) -> int:
    """The same bytes through `http.client` and msgspec, and the same columns into the same table by one executemany."""
    open_store(db).close()
    decode, decode_row = msgspec.json.Decoder(Page).decode, msgspec.json.Decoder(Transaction).decode
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc)
    rows: list[tuple[object, ...]] = []
    for account in range(ACCOUNTS):
        target: str | None = f"/v1/banking/transactions?account_id=acc_{account}"
        while target:
            connection.request("GET", target)
            page = decode(connection.getresponse().read())
            rows += [columns_of(raw, decode_row) for raw in page.transactions]
            target = page.links.next
    connection.close()
    statement = f"INSERT INTO transactions ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
    with closing(connect(db)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.executemany(statement, rows)
        database.execute("COMMIT")
    assert len(rows) == ACCOUNTS * PAGES * ROWS
    return len(rows)


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
        sync_run.pull(client, asked, writer.page, lambda *_: [])
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
        ours, floor = side_by_side(
            lambda: stored(base_url, next(fresh)), lambda: plainly(base_url, next(fresh)), repeats
        )
        against = "http.client + msgspec + one executemany"
        yield Result("100,000 transactions: pull, decode, commit", ours, floor, against, 1.4)
    with serving(LATENCY) as base_url:
        found = summary([timed(lambda: read(base_url)) for _ in range(max(repeats, 5))])
        least = exactly(ACCOUNTS * PAGES / STREAMS * LATENCY)
        yield Result("100 pages behind 100 ms, ten streams", found, least, "pages ÷ streams × latency", 1.4)
    yield Result(f"sign-ins for {CALLERS} callers at once", exactly(renewals()), exactly(1), "one", 1, "sign-ins")
