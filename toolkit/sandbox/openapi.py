"""Build the OpenAPI 3.1 document of the service from the endpoint table and the record structs.

Enumerations are open strings, because the service may add values; a field that may be missing may also be null.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from toolkit.wire import JsonObject
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.endpoints import ENDPOINTS, Auth, Endpoint, ErrorShape
from toolkit.wire.errors import GOA, JSON
from toolkit.wire.parameters import MAX_PAGE_SIZE, PAGE_SIZE, Parameter
from toolkit.wire.records import RECORDS

VERSION = "3.1.0"

_SCHEMAS = "#/components/schemas/{name}"
_ERRORS: dict[ErrorShape, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "token": ("TokenError", JSON, ("error", "error_description"), ()),
    "data": ("DataError", JSON, ("id", "message", "name"), ()),
    "goa": ("GoaError", GOA, ("id", "message", "name"), ("fault", "temporary", "timeout")),
    "consent": ("ConsentError", JSON, ("code", "message"), ()),
}
"""Name, content type, texts and flags of each error body."""
_ERROR_SCHEMAS: JsonObject = {
    name: {
        "type": "object",
        "properties": {key: {"type": "string"} for key in texts} | {flag: {"type": "boolean"} for flag in flags},
        "required": [*texts, *flags],
    }
    for name, _, texts, flags in _ERRORS.values()
}

_SECURITY: dict[Auth, list[dict[str, list[str]]]] = {
    "none": [],
    "bearer": [{"bearer": []}],
    "mtls": [{"bearer": [], "certificate": []}],
}


def document(base_url: str, *, core_prefix: str = "", spelling: Spelling | None = None) -> JsonObject:
    """Return the document for a deployment at `base_url`.

    core_prefix, spelling: as in `toolkit.settings.Settings`.
    """
    spelling = spelling or Spelling()
    paths: dict[str, JsonObject] = {}
    for row in ENDPOINTS:
        path = (core_prefix if row.core else "") + row.path
        paths.setdefault(path, {})[row.method.lower()] = _operation(row, spelling)
    named = [RECORDS[name] for row in ENDPOINTS for name in (row.record, row.body, row.meta) if name]
    _, schemas = msgspec.json.schema_components(named, ref_template=_SCHEMAS)
    record_schemas = {name: _plain(schema, spelling) for name, schema in sorted(schemas.items())}
    return {
        "openapi": VERSION,
        "info": {
            "title": "Data-sharing aggregation: banking, energy, consent and identity",
            "version": "3.1",
            "description": "Made from this project's own table of the service. What is marked live is seen on running "
            "deployments and not in the specification.",
        },
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": {**record_schemas, **_ERROR_SCHEMAS},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "certificate": {"type": "mutualTLS", "description": "the certificate that the token is bound to"},
            },
        },
    }


def _operation(row: Endpoint, spelling: Spelling) -> JsonObject:
    operation: JsonObject = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.name.partition(".")[0], *(["live"] if row.origin == "live" else [])],
        "security": _SECURITY[row.auth],
        "parameters": [each for p in row.parameters for each in _parameters(p, spelling)],
        "responses": _responses(row),
    }
    if row.body:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(row.body)}}}
    return operation


def _parameters(parameter: Parameter, spelling: Spelling) -> list[JsonObject]:
    described: JsonObject = {
        "name": spelling.header(parameter.name),
        "in": parameter.place,
        "description": parameter.meaning,
        "required": parameter.required and parameter.also is None,
        "schema": _parameter_schema(parameter),
    }
    if parameter.also is None:
        return [described]
    return [described, {**described, "name": parameter.also, "description": f"the same as {parameter.name}"}]


def _parameter_schema(parameter: Parameter) -> JsonObject:
    is_time = parameter.kind in ("date", "date-time")
    schema: JsonObject = {"type": "string", "format": parameter.kind} if is_time else {"type": parameter.kind}
    if parameter.values:
        schema["enum" if parameter.closed else "examples"] = list(parameter.values)
    if parameter.place == "path":
        schema |= {"minLength": 1, "pattern": "^[^/]+$"}
    if parameter is PAGE_SIZE:
        schema |= {"minimum": 1, "description": f"{MAX_PAGE_SIZE} for anything larger"}
    return {"type": "array", "items": schema} if parameter.repeatable else schema


def _responses(row: Endpoint) -> JsonObject:
    name, media_type, _, _ = _ERRORS[row.errors]
    errors = {
        str(status): {"description": "error", "content": {media_type: {"schema": _reference(name)}}}
        for status in row.statuses
    }
    if row.record is None:
        return {str(row.success): {"description": "success, without a body"}, **errors}
    return {
        str(row.success): {"description": "success", "content": {JSON: {"schema": _response_schema(row)}}},
        **errors,
    }


def _response_schema(row: Endpoint) -> JsonObject:
    record = _reference(row.record or "")
    if row.array is None:
        return record
    array: JsonObject = {"type": "array", "items": record}
    if not row.array:
        return array
    properties: JsonObject = {row.array: array, "links": _LINKS}
    if row.meta:
        properties["meta"] = _reference(row.meta)
    return {"type": "object", "properties": properties, "required": [row.array, "links"]}


_LINKS: JsonObject = {
    "type": "object",
    "description": "absolute addresses; missing or empty where there is no such page",
    "properties": {"next": {"type": ["string", "null"]}, "prev": {"type": ["string", "null"]}},
}


def _reference(name: str) -> JsonObject:
    return {"$ref": _SCHEMAS.format(name=name)}


def _plain(schema: Any, spelling: Spelling) -> Any:
    """Simplify msgspec's schema: decimals are numbers, defaults of null are left out, choices of types are one list."""
    if isinstance(schema, list):
        return [_plain(part, spelling) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema == _DECIMAL:
        return {"type": "number"}
    if "properties" in schema:
        fields = {spelling.field(name): _plain(part, spelling) for name, part in schema["properties"].items()}
        copied = {key: schema[key] for key in ("required", "description") if schema.get(key)}
        return {"type": "object", "properties": fields, **copied}
    plain = {key: _plain(part, spelling) for key, part in schema.items() if (key, part) != ("default", None)}
    choices = plain.get("anyOf", [])
    if set(plain) == {"anyOf"} and all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return plain


_DECIMAL: JsonObject = msgspec.json.schema(Decimal)
