"""Every invoice that the embedded retailers write is recomputed to the cent, and its payment is found."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from msgspec.structs import replace

from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.answers.energy.invoices import LinkedPayment
from toolkit.api.client import Client
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.sandbox.serve import running
from toolkit.settings import load

TODAY = date(2026, 9, 20)


def test_all_agree_and_the_paid_ones_are_linked(tmp_path: Path):
    ctx = Context(tmp_path / "home.db", TODAY)
    with running(seed=3, today=TODAY, households=3, years=1) as sandbox, Client(load(keys_of(sandbox))) as client:
        for person in sandbox.people:
            sync(ctx, client, end_user=person[1])
    checked = 0
    for home in homes(ctx).households:
        answer = reconcile(replace(ctx, household=home.id))
        assert [entry.verdict for entry in answer.invoices] == ["agrees"] * len(answer.invoices)
        assert {entry.difference for entry in answer.invoices} == {0}
        assert all(line.difference == 0 for entry in answer.invoices for line in entry.lines)
        paid = [entry.payment for entry in answer.invoices if entry.payment_status == "PAID"]
        assert {type(payment) for payment in paid} == {LinkedPayment}
        checked += len(paid)
    assert checked > 20
