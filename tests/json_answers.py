"""Flows whose answers tests read as the JSON that `--json` prints, before decimals, days and instants become text."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from toolkit.answers.base import to_builtins
from toolkit.flows.consent import connect as consent_flows
from toolkit.flows.consent import disconnect as disconnect_flow
from toolkit.flows.consent import service as service_flows
from toolkit.flows.forget import forget as forget_flows
from toolkit.flows.household import status as status_flow
from toolkit.flows.sync import listen as listen_flow
from toolkit.flows.sync import run as sync_flow


def as_json(flow: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a flow so that it returns dicts and lists with the JSON keys."""

    @functools.wraps(flow)
    def call(*arguments: Any, **options: Any) -> Any:
        return _with_lists(to_builtins(flow(*arguments, **options)))

    return call


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_lists(entry) for key, entry in value.items()}
    return [_with_lists(entry) for entry in value] if isinstance(value, (list, tuple)) else value


connect = as_json(consent_flows.connect)
begin_link = as_json(consent_flows.begin_link)
end_link = as_json(consent_flows.end_link)
end_consent = as_json(disconnect_flow.end_consent)
institutions = as_json(service_flows.institutions)
forget = as_json(forget_flows.forget)
allow_again = as_json(forget_flows.allow_again)
sync = as_json(sync_flow.sync)
listen = as_json(listen_flow.listen)
status = as_json(status_flow.status)
