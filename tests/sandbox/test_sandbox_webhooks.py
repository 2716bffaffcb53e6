"""Webhooks as a listener on this machine receives them."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from tests.sandbox.stranger import TODAY, Caller, Form, signed_in
from toolkit.errors import UsageError
from toolkit.sandbox.serve import running
from toolkit.sandbox.webhooks import Delivery
from toolkit.wire.events import is_signed, read_event


class Listener:
    """A web server on loopback. answers: statuses to give, then 200. heard: (headers, body) of every request, and at
    which second of the test's clock.
    """

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.heard_at: list[float] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                listener.heard_at.append(time.monotonic())
                listener.heard.append(({k.lower(): v for k, v in self.headers.items()}, body))
                self.send_response(listener.answers.pop(0) if listener.answers else 204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def wait(self, count: int) -> list[dict[str, Any]]:
        """The first so many bodies."""
        deadline = time.monotonic() + 60
        while len(self.heard) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(self.heard) >= count
        return [json.loads(body) for _, body in self.heard[:count]]


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    thread = threading.Thread(target=listening.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield listening
    listening.server.shutdown()
    thread.join()
    listening.server.server_close()


@pytest.fixture
def own(listener: Listener) -> Iterator[Caller]:
    """A sandbox of the test's own that posts to the listener, with no wait between tries."""
    delivery = Delivery(url=listener.url, back_off=(0.0, 0.0, 0.0, 0.0))
    with (
        running(today=TODAY, years=1, households=2, webhooks=delivery) as sandbox,
        signed_in(sandbox, sandbox.client_id, sandbox.client_secret) as http,
    ):
        yield Caller(sandbox, http)


def order(caller: Caller, **wanted: Any) -> httpx.Response:
    return httpx.post(caller.sandbox.control_url or "", json=wanted, trust_env=False)


def withdraw(caller: Caller) -> dict[str, Any]:
    user = caller.user("family")
    consent: dict[str, Any] = caller.get("/v1/consent", end_user_id=user, active="true").json()["consents"][0]
    assert caller.http.delete(f"/v1/consent/{consent['arrangement_id']}").status_code == 204
    return consent


def test_a_withdrawn_consent_is_told_once_and_signed(own: Caller, listener: Listener) -> None:
    consent = withdraw(own)
    own.http.delete(f"/v1/consent/{consent['arrangement_id']}")
    message = listener.wait(1)[0]
    assert (message["delivery_attempt"], message["publish_time"]) == (1, "2026-03-10T02:00:00Z")
    assert message["data"] == {
        "event": "consent.revoked",
        "end_user_id": own.user("family"),
        "client_id": own.sandbox.client_id,
        "consent_id": consent["consent_id"],
        "institution_id": consent["institution_id"],
    }
    headers, body = listener.heard[0]
    assert is_signed(own.sandbox.webhook_secret, headers["x-platform-signature"], body)
    event = read_event(body)
    assert event is not None
    assert event.message_id == message["message_id"]
    assert len(listener.heard) == 1


def test_the_signature_is_what_openssl_makes_of_it(own: Caller, listener: Listener) -> None:
    withdraw(own)
    listener.wait(1)
    headers, body = listener.heard[0]
    key = base64.b64decode(own.sandbox.webhook_secret).hex()
    command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}", "-binary"]
    made = subprocess.run(command, input=body, capture_output=True, check=True).stdout
    assert base64.b64encode(made).decode() == headers["x-platform-signature"]


def test_a_new_consent_is_told_with_what_was_read(own: Caller, listener: Listener) -> None:
    user = own.http.post("/v1/end-users", json={"email": "new@example.com", "name": "New"}).json()["end_user_id"]
    url = own.session(user, institution_id="70001")["auth_url"]
    page = own.http.get(url)
    for _ in range(4):
        page = own.http.post(url, data=Form(page.text).filled())
    events = [message["data"]["event"] for message in listener.wait(10)]
    assert events[0] == "consent.received"
    assert events[4] == "banking.transactions.recent.sync.completed"
    by_event = {json.loads(body)["data"]["event"]: json.loads(body)["data"] for _, body in listener.heard}
    accounts = own.get("/v1/banking/accounts", end_user_id=user).json()["accounts"]
    account_ids = by_event["banking.accounts.sync.completed"]["account_ids"]
    assert sorted(account_ids) == sorted(account["account_id"] for account in accounts)
    assert by_event["banking.payees.sync.completed"]["payee_ids"]


def test_five_tries_with_one_id_and_then_no_more(own: Caller, listener: Listener) -> None:
    listener.answers = [500, 503, 302, 404, 500, 500]
    withdraw(own)
    messages = listener.wait(5)
    record = deliveries(own)
    time.sleep(0.1)  # a sixth would come by now
    assert len(listener.heard) == 5
    assert [each["delivery_attempt"] for each in messages] == [1, 2, 3, 4, 5]
    assert len({each["message_id"] for each in messages}) == 1
    assert [each["status"] for each in record] == [500, 503, 302, 404, 500]


def deliveries(own: Caller) -> list[dict[str, Any]]:
    """What the sandbox records of the five tries; it does so after each was answered."""
    deadline = time.monotonic() + 60
    while True:
        record = httpx.get(own.sandbox.control_url or "", trust_env=False).json()["deliveries"]
        if len(record) >= 5 or time.monotonic() > deadline:
            return list(record)
        time.sleep(0.01)


def test_a_listener_that_comes_up_late_still_hears(own: Caller, listener: Listener) -> None:
    listener.answers = [500]
    withdraw(own)
    assert [each["delivery_attempt"] for each in listener.wait(2)] == [1, 2]


def test_messages_can_come_late_doubled_and_reordered(own: Caller, listener: Listener) -> None:
    delivery = {"url": listener.url, "late": 0.2, "doubled": True, "reordered": True, "back_off": []}
    assert order(own, webhooks=delivery).status_code == 200
    ordered_at = time.monotonic()
    order(own, advance_seconds=86400)
    messages = listener.wait(2 * 2 * 5)
    assert min(listener.heard_at) - ordered_at >= 0.2
    times = Counter(each["message_id"] for each in messages)
    assert set(times.values()) == {2}
    events = [each["data"]["event"] for each in messages]
    assert events[:2] == ["energy.billing.sync.completed"] * 2
    assert events[-1] == "banking.balances.sync.completed"


def test_consents_that_expire_are_announced(own: Caller, listener: Listener) -> None:
    order(own, advance_seconds=300 * 86400)
    assert {each["data"]["event"] for each in listener.wait(4)} == {"consent.revoked"}
    assert len({each["data"]["consent_id"] for each in listener.wait(4)}) == 4


@pytest.mark.parametrize("url", ["https://127.0.0.1/x", "http://example.com/", "http://10.0.0.1/", "file:///etc", "x"])
def test_webhooks_go_to_this_machine_only(own: Caller, url: str) -> None:
    assert order(own, webhooks={"url": url}).status_code == 400
    with pytest.raises(UsageError), running(today=TODAY, webhooks=Delivery(url=url)):
        pass


def test_a_deployments_own_word_is_in_the_header(listener: Listener) -> None:
    with (
        running(today=TODAY, years=1, households=1, platform="acme", webhooks=Delivery(listener.url)) as sandbox,
        signed_in(sandbox, sandbox.client_id, sandbox.client_secret) as http,
    ):
        caller = Caller(sandbox, http)
        order(caller, advance_seconds=86400)
        listener.wait(1)
    assert "x-acme-signature" in listener.heard[0][0]
