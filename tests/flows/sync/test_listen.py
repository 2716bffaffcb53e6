"""A message from the service makes a sync look; what it says is not believed, and polling goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from subprocess import PIPE
from typing import Any

import httpx
import pytest

from tests import json_answers
from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import connect, sync
from tests.keys import keys_of
from tests.problems import names
from toolkit import settings
from toolkit.api.client import Client
from toolkit.api.listener import EventListener
from toolkit.api.robot import walk_through
from toolkit.errors import AuthenticationError, InvalidResponseError, SettingsError
from toolkit.flows.household.context import Context
from toolkit.flows.sync.listen import FORGED_REMEDY, named, open_listener
from toolkit.sandbox.serve import Running, running
from toolkit.store import open_store
from toolkit.wire.events import Event, EventData, signature

TODAY = datetime.now(UTC).date()


@pytest.fixture
def sandbox() -> Iterator[Running]:
    with running(seed=1, today=TODAY, years=1, households=1) as service:
        yield service


@pytest.fixture
def chosen(sandbox: Running) -> settings.Settings:
    return settings.load({**keys_of(sandbox), "TOOLKIT_WEBHOOK_SECRET": sandbox.webhook_secret})


@pytest.fixture
def client(chosen: settings.Settings) -> Iterator[Client]:
    with Client(chosen) as made:
        yield made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def listen(ctx: Context, client: Any, listener: EventListener, **more: Any) -> Any:
    return json_answers.listen(ctx, client, listener, settle_seconds=0.3, **more)


def order(sandbox: Running, **what: Any) -> None:
    httpx.post(sandbox.control_url or "", json=what, trust_env=False).raise_for_status()


def deliveries(sandbox: Running) -> list[Any]:
    """Messages that the sandbox has sent and that were answered."""
    return list(httpx.get(sandbox.control_url or "", trust_env=False).json()["deliveries"])


def adopted(ctx: Context, client: Client, sandbox: Running) -> str:
    end_user_id = sandbox.people[0][1]
    connect(ctx, client, end_user=end_user_id, open_browser=print)
    return end_user_id


class Steps:
    """`until` of a listening sync: does one step after the other, each when its turn has come; then it is over."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps = list(steps)
        self.ends_at = time.monotonic() + 120

    def __call__(self) -> bool:
        assert time.monotonic() < self.ends_at, "the listening sync did not get there"
        if self.steps and self.steps[0]() is not False:
            self.steps.pop(0)
        return not self.steps


def runs(ctx: Context) -> list[set[str]]:
    """The resources of each sync so far, oldest first."""
    with open_store(ctx.db) as store:
        order = [row["run_id"] for row in sorted(store.rows("runs"), key=lambda row: row["started_at"])]
        receipts = store.rows("receipts")
    return [{row["resource"] for row in receipts if row["run_id"] == run_id} for run_id in order]


def test_another_day_at_the_service_is_pulled_by_its_messages(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    adopted(ctx, client, sandbox)
    daily = {"banking.balances", "banking.transactions", "energy.usage", "energy.invoices", "energy.billing"}
    with open_listener(ctx, chosen, 0) as listener:
        steps = Steps(
            lambda: order(sandbox, webhooks={"url": listener.url, "doubled": True, "reordered": True}),
            lambda: order(sandbox, advance_seconds=2 * 86_400),
            lambda: len(deliveries(sandbox)) == 10,
            lambda: set().union(*runs(ctx)[1:]) >= daily,
        )
        answer = listen(ctx, client, listener, until=steps)
    assert answer["events"]["accepted"] == answer["events"]["doubled"] == 5
    first, *later = runs(ctx)
    assert len(first) > 10
    assert set().union(*later) == daily | {"banking.accounts", "energy.service_points"}


def test_a_consent_that_ends_at_the_institution_is_noticed(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    user = adopted(ctx, client, sandbox)
    with open_listener(ctx, chosen, 0) as listener:
        steps = Steps(
            lambda: order(sandbox, webhooks={"url": listener.url}),
            lambda: client.withdraw(client.consents(user).records[0].arrangement_id),
            lambda: len(runs(ctx)) > 1,
        )
        answer = listen(ctx, client, listener, until=steps)
    assert answer["events"]["accepted"] == 1
    with open_store(ctx.db) as store:
        assert sorted(row["state"] for row in store.rows("consents")) == ["active", "revoked"]


def test_somebody_invited_is_pulled_when_they_agree(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    bank = client.consents(sandbox.people[0][1]).records[0].institution_id
    who = {"email": "far@example.com", "name": "Far", "institution": bank}
    link = connect(ctx, client, **who, invite=True, open_browser=print)["invite_url"]

    def agree() -> None:
        with pytest.raises(InvalidResponseError) as ended:
            walk_through(link)
        assert ended.value.name == "no_form"

    with open_listener(ctx, chosen, 0) as listener:
        steps = Steps(lambda: order(sandbox, webhooks={"url": listener.url}), agree, lambda: len(runs(ctx)) > 1)
        answer = listen(ctx, client, listener, until=steps)
    assert answer["syncs"] == 1, "the first found nobody who had agreed"
    assert any(entry["added"] for entry in answer["resources"])
    with open_store(ctx.db) as store:
        assert store.rows("end_users")[0]["state"] == "connected"


def signed_post(url: str, secret: str, body: bytes, *, signed: str | None = None) -> int:
    headers = {"X-Platform-Signature": signed or signature(secret, body)}
    return httpx.post(url, content=body, headers=headers, trust_env=False).status_code


def message(event: str, end_user_id: str, published: datetime | None = None) -> bytes:
    moment = (published or datetime.now(UTC)).isoformat()
    data = {"event": event, "end_user_id": end_user_id, "amount": "-1000000.00"}
    return json.dumps({"publish_time": moment, "message_id": f"m {event} {end_user_id}", "data": data}).encode()


def test_forged_and_stale_messages_and_those_about_strangers_pull_nothing(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    user, secret = adopted(ctx, client, sandbox), sandbox.webhook_secret or ""
    stranger = client.create_end_user("stranger@example.com", "Stranger")
    told: list[str] = []
    with open_listener(ctx, chosen, 0) as listener:

        def send() -> None:
            usage = "energy.usage.sync.completed"
            old = datetime.now(UTC) - timedelta(days=3)
            assert signed_post(listener.url, secret, message(usage, user), signed="bm8=") == 401
            assert signed_post(listener.url, secret, message(usage, user, old)) == 400
            assert signed_post(listener.url, secret, message(usage, stranger)) == 200
            assert signed_post(listener.url, secret, message("coffee.sync.completed", user)) == 200

        answer = listen(ctx, client, listener, until=Steps(send, lambda: bool(told[-1:]) and "passed" in told[-1]),
                        progress=told.append)  # fmt: skip
    assert len(runs(ctx)) == answer["syncs"] == 1
    with open_store(ctx.db) as store:
        assert [row["end_user_id"] for row in store.rows("end_users")] == [user]


def test_a_message_that_comes_again_after_a_restart_costs_a_look_and_changes_nothing(
    ctx: Context, chosen: settings.Settings
) -> None:
    service, secret = WrittenService(), chosen.webhook_secret
    assert secret is not None
    service.lists["banking.accounts"] = [{"platform_id": "p", "account_id": "a1", "arrangement_id": "arr"}]
    service.lists["banking.transactions"] = [purchase(1), purchase(2)]
    sync(ctx, service, end_user="eu")
    body = message("banking.transactions.basic.sync.completed", "eu")
    for _ in range(2):
        before = len(runs(ctx))
        with open_listener(ctx, chosen, 0) as listener:
            heard = Steps(
                lambda: signed_post(listener.url, secret.reveal(), body),
                lambda: len(runs(ctx)) > before + 1,  # noqa: B023  called within its own round
            )
            answer = listen(ctx, service, listener, until=heard)
        assert (answer["events"]["accepted"], answer["syncs"]) == (1, 2)
        assert [entry["resource"] for entry in answer["resources"]] == ["banking.accounts", "banking.transactions"]
        assert not any(entry["added"] or entry["updated"] or entry["removed"] for entry in answer["resources"])


def fault(**more: Any) -> list[dict[str, Any]]:
    return [{"path": "/energy/concessions*", "status": 400, **more}]


def test_a_pull_that_failed_after_its_message_is_tried_again(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    user, secret = adopted(ctx, client, sandbox), sandbox.webhook_secret or ""
    told: list[str] = []
    with open_listener(ctx, chosen, 0) as listener:
        body = message("energy.concessions.sync.completed", user)
        steps = Steps(
            lambda: order(sandbox, faults=fault(times=2)),
            lambda: signed_post(listener.url, secret, body),
            lambda: runs(ctx)[-1] == {"energy.concessions"},
        )
        answer = listen(ctx, client, listener, retry_seconds=(0, 0, 0), until=steps, progress=told.append)
    assert (answer["failed"], answer["syncs"], answer["events"]["accepted"]) == ([], 2, 1)
    assert sum(line.startswith(f"{user}: ") and names(line, "0 seconds") for line in told) == 2


def test_a_pull_that_goes_on_failing_is_tried_a_few_times_only(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    user, secret = adopted(ctx, client, sandbox), sandbox.webhook_secret or ""
    told: list[str] = []
    with open_listener(ctx, chosen, 0) as listener:
        body = message("energy.concessions.sync.completed", user)
        steps = Steps(
            lambda: order(sandbox, faults=fault()),
            lambda: signed_post(listener.url, secret, body),
            lambda: names(told[-1], user, "3 times"),
            *[lambda: None] * 3,  # rounds of listening in which nothing is tried
        )
        answer = listen(ctx, client, listener, retry_seconds=(0, 0), until=steps, progress=told.append)
    order(sandbox, faults=[])
    assert answer["syncs"] == 1
    tries = [line for line in told if line.startswith(f"{user}: ")][-3:]
    assert [names(line, "0 seconds") for line in tries] == [True, True, False]


def test_refused_messages_are_mentioned_with_their_reason_once_in_a_while(
    ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running
) -> None:
    user = adopted(ctx, client, sandbox)
    told: list[str] = []
    with open_listener(ctx, chosen, 0) as listener:

        def send() -> None:
            usage, secret = "energy.usage.sync.completed", sandbox.webhook_secret or ""
            late = datetime.now(UTC) + timedelta(days=1)
            statuses = [signed_post(listener.url, "d3Jvbmc=", message(usage, user)) for _ in range(3)]
            statuses.append(signed_post(listener.url, secret, message(usage, user, late)))
            assert statuses == [401, 401, 401, 400]

        answer = listen(ctx, client, listener, until=Steps(send, *[lambda: None] * 3), progress=told.append)
    assert (answer["events"]["forged"], answer["events"]["future"]) == (3, 1)
    assert sum(FORGED_REMEDY in line for line in told) == 1, "said once for all three"


def test_the_command_mentions_a_wrong_secret_on_stderr(sandbox: Running, client: Client, ctx: Context) -> None:
    user = adopted(ctx, client, sandbox)
    own = {**keys_of(sandbox), "TOOLKIT_WEBHOOK_SECRET": "d3Jvbmc=", "TOOLKIT_DB": str(ctx.db)}
    command = [sys.executable, "-m", "toolkit", "sync", "--listen", "0", "--json"]
    with subprocess.Popen(command, env={**os.environ, **own}, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stderr is not None
        said = iter(process.stderr.readline, "")
        url = next(line for line in said if "listening at" in line).split()[-1]
        body = message("energy.usage.sync.completed", user)
        assert signed_post(url, sandbox.webhook_secret or "", body) == 401
        assert "TOOLKIT_WEBHOOK_SECRET" in next(line for line in said if "refused" in line)
        process.send_signal(signal.SIGINT)
        answer = json.loads(process.communicate(timeout=120)[0])
    assert (answer["events"]["accepted"], answer["events"]["forged"]) == (0, 1)


def test_polling_goes_on(ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running) -> None:
    adopted(ctx, client, sandbox)
    with open_listener(ctx, chosen, 0) as listener:
        answer = listen(ctx, client, listener, poll_seconds=0.2, until=Steps(lambda: len(runs(ctx)) > 2))
    assert answer["events"]["accepted"] == 0
    assert answer["syncs"] > 2


def test_wrong_credentials_end_it(ctx: Context, client: Client, chosen: settings.Settings, sandbox: Running) -> None:
    adopted(ctx, client, sandbox)
    wrong = settings.load({**keys_of(sandbox), "TOOLKIT_CLIENT_ID": "x", "TOOLKIT_CLIENT_SECRET": "y"})
    with open_listener(ctx, chosen, 0) as listener, Client(wrong) as refused, pytest.raises(AuthenticationError):
        listen(ctx, refused, listener)


@pytest.mark.parametrize("secret", [None, "not base64!"])
def test_a_secret_is_needed(ctx: Context, secret: str | None) -> None:
    with pytest.raises(SettingsError, match="TOOLKIT_WEBHOOK_SECRET"):
        open_listener(ctx, settings.load({"TOOLKIT_WEBHOOK_SECRET": secret} if secret else {}, {}), 0)


def test_messages_are_fresh_by_the_day_that_is_asked_about(tmp_path: Path, chosen: settings.Settings) -> None:
    then = datetime(2026, 3, 10, 2, tzinfo=UTC)
    body = message("energy.usage.sync.completed", "eu_1", then)
    secret = chosen.webhook_secret
    assert secret is not None
    with open_listener(Context(tmp_path / "x.db", date(2026, 3, 10)), chosen, 0) as listener:
        assert signed_post(listener.url, secret.reveal(), body) == 200


def told_of(event: str, person: str | None = "eu") -> Event:
    return Event(message_id="m", data=EventData(event=event, end_user_id=person))


def test_what_messages_name_is_put_together_by_person() -> None:
    usage, basic = told_of("energy.usage.sync.completed"), told_of("banking.transactions.basic.sync.completed")
    assert named([usage, basic, usage]) == {"eu": {"energy.usage", "banking.transactions"}}
    assert named([usage, told_of("consent.updated")]) == {"eu": None}
    assert named([told_of("consent.updated"), usage]) == {"eu": None}
    assert named([told_of("coffee.sync.completed"), told_of("energy.usage.sync.completed", None)]) == {}


def test_the_command_listens_until_it_is_interrupted(sandbox: Running, client: Client, ctx: Context) -> None:
    user = adopted(ctx, client, sandbox)
    own = {
        **keys_of(sandbox),
        "TOOLKIT_WEBHOOK_SECRET": sandbox.webhook_secret or "",
        "TOOLKIT_DB": str(ctx.db),
    }
    command = [sys.executable, "-m", "toolkit", "sync", "--listen", "0", "--json"]
    with subprocess.Popen(command, env={**os.environ, **own}, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stderr is not None
        said = iter(process.stderr.readline, "")
        url = next(line for line in said if "listening at" in line).split()[-1]
        next(line for line in said if "energy.usage" in line)
        body = message("energy.concessions.sync.completed", user)
        assert signed_post(url, sandbox.webhook_secret or "", body) == 200
        next(line for line in said if "energy.concessions" in line)
        process.send_signal(signal.SIGINT)
        answer = json.loads(process.communicate(timeout=120)[0])
    assert process.returncode == 0
    assert answer["events"]["accepted"] == 1
