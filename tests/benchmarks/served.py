"""A local server in a process of its own that sends prepared bytes: ten accounts × ten pages × 1,000 transactions.

`python -m tests.benchmarks.served [LATENCY]` prints its port and serves until its standard input ends.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec import json

ACCOUNTS, PAGES, ROWS = 10, 10, 1_000
OF = {"arrangement_id": "arr_1", "institution_id": "70001"}


@contextmanager
def serving(latency: float = 0.0) -> Iterator[str]:
    """The server's address. latency: seconds before each page of transactions."""
    command = [sys.executable, "-m", "tests.benchmarks.served", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.stdin.close()


def transaction(chance: random.Random, account: int, number: int) -> dict[str, Any]:
    day = f"{2020 + number // 2_000}-{number % 12 + 1:02d}-{number % 28 + 1:02d}T03:04:05Z"
    code = f"{chance.randrange(16**8):08x}"
    return {
        "platform_id": f"bank_tx_{account}_{number}_{code}",
        **OF,
        "account_id": f"acc_{account}",
        "transaction_id": f"{code}=={number}",
        "amount": f"-{chance.randrange(1, 50_000) / 100:.2f}",
        "currency": "AUD",
        "description": f"MERCHANT {chance.randrange(500)} SYDNEY NS AUS CARD {code[:4]}",
        "reference": f"REF {code}",
        "status": "POSTED",
        "type": "PAYMENT",
        "posting_date_time": day,
        "execution_date_time": day,
        "value_date_time": day,
        "merchant_name": f"Merchant {chance.randrange(500)}",
        "merchant_category_code": "5411",
        "biller_code": "12345",
        "biller_name": "Water Board",
        "crn": code,
        "apca_number": "123456",
        "is_detail_available": True,
        "category": {
            "primary_category": "FOOD_AND_DRINK",
            "secondary_category": "FOOD_AND_DRINK_GROCERIES",
            "confidence_level": "VERY_HIGH",
        },
        "extended_data": {
            "extension_u_type": "x2p101Payload",
            "payer": "A Person",
            "payee": "Another Person",
            "npp_payload": {
                "end_to_end_id": f"e2e-{code}",
                "extended_description": "a somewhat longer description of a fast payment",
                "purpose_code": "OTHR",
                "service": "X2P1",
                "service_version": "01",
            },
        },
    }


def answers(base: str) -> dict[tuple[str, str, str], bytes]:
    """Body by path, account and cursor."""
    chance = random.Random(1)
    found: dict[tuple[str, str, str], bytes] = {}
    for account in range(ACCOUNTS):
        for page in range(PAGES):
            rows = [transaction(chance, account, page * ROWS + row) for row in range(ROWS)]
            after = f"{base}/v1/banking/transactions?account_id=acc_{account}&page%5Bafter%5D={page + 1}"
            links = {"next": after} if page + 1 < PAGES else {}
            key = ("/v1/banking/transactions", f"acc_{account}", str(page) if page else "")
            found[key] = json.encode({"transactions": rows, "links": links})
    accounts = [{"platform_id": f"pa_{n}", **OF, "account_id": f"acc_{n}"} for n in range(ACCOUNTS)]
    consents = [{**OF, "consent_id": "c_1", "end_user_id": "eu_1", "active": True}]
    found["/v1/token", "", ""] = b'{"token":"t","expires_in":900}'
    found["/end-users", "", ""] = b'{"end_users":[{"id":"eu_1","name":"One"}],"links":{}}'
    found["/v1/consent", "", ""] = json.encode({"consents": consents, "links": {}})
    found["/v1/banking/accounts", "", ""] = json.encode({"accounts": accounts, "links": {}})
    found["/institutions/70001", "", ""] = b'{"id":"70001","name":"Bank"}'
    return found


class Handler(StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self) -> None:
        while line := self.rfile.readline():
            self._pass_over_the_rest()
            target = urlsplit(line.split(b" ")[1].decode())
            query = {name: values[0] for name, values in parse_qs(target.query).items()}
            body = BODIES.get((target.path, query.get("account_id", ""), query.get("page[after]", "")))
            if LATENCY and "transactions" in target.path:
                sleep(LATENCY)
            status, text = (b"200 OK", body) if body else (b"404 Not Found", b"{}")
            head = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(text))
            self.wfile.write(head)
            self.wfile.write(text)

    def _pass_over_the_rest(self) -> None:
        length = 0
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        self.rfile.read(length)


class Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128


if __name__ == "__main__":
    LATENCY = float(sys.argv[1])
    with Server(("127.0.0.1", 0), Handler) as server:
        BODIES = answers(f"http://127.0.0.1:{server.server_address[1]}")
        Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
