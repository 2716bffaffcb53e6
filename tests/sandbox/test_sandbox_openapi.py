"""Whatever is asked by the document at /openapi.json, the sandbox answers as it says, and never with a 5xx."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.sandbox.stranger import Caller
from toolkit.sandbox.openapi import document
from toolkit.wire.endpoints import ENDPOINTS, Endpoint

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
DOCUMENT = document("http://127.0.0.1")
CONFIG = SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": False}, "examples": {"enabled": False}}})
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT, config=CONFIG)
FEW = settings(max_examples=8, database=None, suppress_health_check=list(HealthCheck))


def test_the_document_is_served(caller: Caller) -> None:
    answer = caller.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == document(caller.sandbox.base_url)


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.name)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_answer_keeps_to_the_document(row: Endpoint, mode: GenerationMode, caller: Caller) -> None:
    """persona: in place of what was made up, so that the lists have something in them."""
    headers = {"authorization": caller.http.headers["authorization"]}

    @FEW
    @given(case=SCHEMA[row.path][row.method].as_strategy(mode), persona=st.sampled_from(["", "renter", "family"]))
    def ask(case: schemathesis.Case, persona: str) -> None:
        if persona:
            _as(case, caller, persona)
        case.call_and_validate(caller.sandbox.base_url, headers=headers, checks=CHECKS)

    ask()


def _as(case: schemathesis.Case, caller: Caller, persona: str) -> None:
    """Known ids for made-up ones; no cursor, for one made up is always refused."""
    user = caller.user(persona)
    bank = caller.sandbox.service.consents_of(user)[0].institution.id
    known = {"end_user_id": user, "institution_id": bank, "client_secret": caller.sandbox.client_secret}
    known |= {"client_id": caller.sandbox.client_id, "id": bank if "institutions" in case.operation.path else user}
    for part in (case.query, case.path_parameters, case.body):
        if isinstance(part, dict):
            part.update({name: value for name, value in known.items() if name in part})
            for cursor in ("page[before]", "page[after]"):
                part.pop(cursor, None)


LISTS = [row for row in ENDPOINTS if row.method == "GET" and row.array is not None]


@pytest.mark.parametrize("persona", ["renter", "family", "solar-battery"])
@pytest.mark.parametrize("row", LISTS, ids=lambda row: row.name)
def test_every_record_keeps_to_the_document(row: Endpoint, persona: str, caller: Caller) -> None:
    user = caller.user(persona)
    bank = caller.sandbox.service.consents_of(user)[0].institution.id
    given = {"end_user_id": user, "institution_id": bank, "client_id": caller.sandbox.client_id}
    asked = {parameter.name: given[parameter.name] for parameter in row.parameters if parameter.name in given}
    answer = caller.get(row.path, **asked, **({"page[size]": 1000} if row.paged else {}))
    assert answer.status_code == 200
    SCHEMA[row.path]["GET"].validate_response(answer)
