"""The OpenAPI document says what the endpoint table, the structs and the specification say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spec_fields import FIELDS, paths
from toolkit.sandbox.openapi import document
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.endpoints import ENDPOINTS, endpoint

DOCUMENT = document("https://api.example.com")
SCHEMAS = DOCUMENT["components"]["schemas"]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself: references followed, lists opened, null set aside."""
    if "$ref" in schema:
        return resolved(SCHEMAS[schema["$ref"].rpartition("/")[2]])
    for choice in schema.get("anyOf", []):
        if choice.get("type") != "null":
            return resolved(choice)
    return resolved(schema["items"]) if schema.get("type") == "array" else schema


def at(record: str, path: str) -> dict[str, Any] | None:
    schema: dict[str, Any] | None = SCHEMAS[record]
    for name in path.split("."):
        schema = (
            schema and resolved(schema["properties"][name]) if name in (schema or {}).get("properties", {}) else None
        )
    return schema


def test_one_operation_for_every_row() -> None:
    found = {
        operation["operationId"]: method for item in DOCUMENT["paths"].values() for method, operation in item.items()
    }
    assert found == {row.name: row.method.lower() for row in ENDPOINTS}


def test_paths_are_the_specifications_own() -> None:
    assert "/v1/banking/acccounts/direct-debits" in DOCUMENT["paths"]
    assert {"/end-users", "/end-users/{id}", "/institutions/{id}", "/consents"} <= set(DOCUMENT["paths"])


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_the_specification_is_described(name: str) -> None:
    types = {"text": ["string"], "n": ["number"], "i": ["integer"], "b": ["boolean"], "[]": ["string", "number"]}
    for path, kind in paths(FIELDS[name]):
        schema = at(endpoint(name).record or "", path)
        assert schema is not None, path
        assert any(kind in schema["type"] for kind in types[kind]), (path, schema)


def test_a_list_answers_its_array_with_links_and_meta() -> None:
    answer = DOCUMENT["paths"]["/v1/banking/transactions"]["get"]["responses"]["200"]
    schema = answer["content"]["application/json"]["schema"]
    assert schema["properties"]["transactions"]["items"] == {"$ref": "#/components/schemas/Transaction"}
    assert set(schema["properties"]) == {"transactions", "links", "meta"}
    assert set(schema["properties"]["links"]["properties"]) == {"next", "prev"}


def test_each_error_has_the_body_and_content_type_of_its_context() -> None:
    one = DOCUMENT["paths"]["/institutions/{id}"]["get"]["responses"]["404"]["content"]
    many = DOCUMENT["paths"]["/v1/banking/accounts"]["get"]["responses"]["400"]["content"]
    token = DOCUMENT["paths"]["/v1/token"]["post"]["responses"]["401"]["content"]
    consent = DOCUMENT["paths"]["/consents"]["post"]["responses"]["400"]["content"]
    assert one == {"application/vnd.goa.error": {"schema": {"$ref": "#/components/schemas/GoaError"}}}
    assert many == {"application/json": {"schema": {"$ref": "#/components/schemas/DataError"}}}
    assert token["application/json"]["schema"]["$ref"].endswith("/TokenError")
    assert consent["application/json"]["schema"]["$ref"].endswith("/ConsentError")


def test_money_is_text_and_measured_values_are_numbers() -> None:
    assert at("Transaction", "amount") == {"type": ["string", "null"]}
    assert at("UsageRecord", "interval_read.aggregate_value") == {"type": ["number", "null"]}


def test_names_that_occur_are_no_closed_set_but_for_the_status_filter() -> None:
    parameters = {
        parameter["name"]: parameter["schema"]
        for name in ("/v1/banking/transactions", "/v1/institutions")
        for parameter in DOCUMENT["paths"][name]["get"]["parameters"]
    }
    assert parameters["status"]["enum"] == ["PENDING", "POSTED"]
    assert parameters["industry"] == {"type": "string", "examples": ["banking", "energy"]}
    assert not any("enum" in str(schema) for schema in SCHEMAS.values())


def test_the_consent_api_wants_a_certificate_beside_the_token() -> None:
    assert DOCUMENT["paths"]["/consents"]["post"]["security"] == [{"bearer": [], "certificate": []}]
    assert DOCUMENT["components"]["securitySchemes"]["certificate"]["type"] == "mutualTLS"
    assert DOCUMENT["paths"]["/v1/token"]["post"]["security"] == []


def test_a_deployments_own_spelling() -> None:
    found = document("https://api.example.com", core_prefix="/v1", spelling=Spelling("acme"))
    assert "/v1/institutions/{id}" in found["paths"]
    balances = found["paths"]["/v1/banking/balances"]["get"]["parameters"]
    assert "X-Acme-Client-Ip-Address" in {parameter["name"] for parameter in balances}
    assert "acme_id" in found["components"]["schemas"]["Balance"]["properties"]
    assert "platform" not in str(found["paths"])
