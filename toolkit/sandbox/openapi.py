"""The OpenAPI 3.1 document of the service, made from the endpoint table and the record structs.

Enumerations stay open strings, as everywhere; a field that may be missing may also be null.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.endpoints import ENDPOINTS, Auth, Endpoint, ErrorShape
from toolkit.wire.errors import GOA, JSON
from toolkit.wire.parameters import MAX_PAGE_SIZE, PAGE_SIZE, Parameter
from toolkit.wire.records import RECORDS

VERSION = "3.1.0"
Schema = dict[str, Any]

_SCHEMAS = "#/components/schemas/{name}"
_TEXT: Schema = {"type": "string"}
_ERRORS: dict[ErrorShape, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "token": ("TokenError", JSON, ("error", "error_description"), ()),
    "data": ("DataError", JSON, ("id", "message", "name"), ()),
    "goa": ("GoaError", GOA, ("id", "message", "name"), ("fault", "temporary", "timeout")),
    "consent": ("ConsentError", JSON, ("code", "message"), ()),
}
"""Name, content type, texts and flags of each error body."""

_SECURITY: dict[Auth, list[dict[str, list[str]]]] = {
    "none": [],
    "bearer": [{"bearer": []}],
    "mtls": [{"bearer": [], "certificate": []}],
}


def document(base_url: str, *, core_prefix: str = "", spelling: Spelling | None = None) -> Schema:
    """The document for a deployment at `base_url`. core_prefix and spelling: as in `toolkit.settings.Settings`."""
    spelling = spelling or Spelling()
    paths: dict[str, Schema] = {}
    for row in ENDPOINTS:
        path = (core_prefix if row.core else "") + row.path
        paths.setdefault(path, {})[row.method.lower()] = _operation(row, spelling)
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
            "schemas": {**_record_schemas(spelling), **_error_schemas()},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "certificate": {"type": "mutualTLS", "description": "the certificate that the token is bound to"},
            },
        },
    }


def _operation(row: Endpoint, spelling: Spelling) -> Schema:
    found: Schema = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.name.partition(".")[0], *(["live"] if row.origin == "live" else [])],
        "security": _SECURITY[row.auth],
        "parameters": [each for p in row.parameters for each in _parameters(p, spelling)],
        "responses": _responses(row),
    }
    if row.body:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(row.body)}}}
    return found


def _parameters(parameter: Parameter, spelling: Spelling) -> list[Schema]:
    found: Schema = {
        "name": spelling.header(parameter.name),
        "in": parameter.place,
        "description": parameter.meaning,
        "required": parameter.required and parameter.also is None,
        "schema": _parameter_schema(parameter),
    }
    if parameter.also is None:
        return [found]
    return [found, {**found, "name": parameter.also, "description": f"the same as {parameter.name}"}]


def _parameter_schema(parameter: Parameter) -> Schema:
    schema = _kind(parameter)
    if parameter.values:
        schema["enum" if parameter.closed else "examples"] = list(parameter.values)
    if parameter.place == "path":
        schema |= {"minLength": 1, "pattern": "^[^/]+$"}
    if parameter is PAGE_SIZE:
        schema |= {"minimum": 1, "description": f"{MAX_PAGE_SIZE} for anything larger"}
    return {"type": "array", "items": schema} if parameter.repeatable else schema


def _kind(parameter: Parameter) -> Schema:
    if parameter.kind in ("date", "date-time"):
        return {"type": "string", "format": parameter.kind}
    return {"type": parameter.kind}


def _responses(row: Endpoint) -> Schema:
    name, media_type, _, _ = _ERRORS[row.errors]
    refused = {
        str(status): {"description": "refused", "content": {media_type: {"schema": _reference(name)}}}
        for status in row.statuses
    }
    if row.record is None:
        return {str(row.success): {"description": "done"}, **refused}
    return {str(row.success): {"description": "found", "content": {JSON: {"schema": _answer(row)}}}, **refused}


def _answer(row: Endpoint) -> Schema:
    record = _reference(row.record or "")
    if row.array is None:
        return record
    array: Schema = {"type": "array", "items": record}
    if not row.array:
        return array
    properties: Schema = {row.array: array, "links": _LINKS}
    if row.meta:
        properties["meta"] = _reference(row.meta)
    return {"type": "object", "properties": properties, "required": [row.array, "links"]}


_LINKS: Schema = {
    "type": "object",
    "description": "absolute addresses; missing or empty where there is no such page",
    "properties": {"next": {"type": ["string", "null"]}, "prev": {"type": ["string", "null"]}},
}


def _reference(name: str) -> Schema:
    return {"$ref": _SCHEMAS.format(name=name)}


def _record_schemas(spelling: Spelling) -> Schema:
    named = [RECORDS[name] for row in ENDPOINTS for name in (row.record, row.body, row.meta) if name]
    _, schemas = msgspec.json.schema_components(named, ref_template=_SCHEMAS)
    return {name: _plain(schema, spelling) for name, schema in sorted(schemas.items())}


def _plain(schema: Any, spelling: Spelling) -> Any:
    """msgspec's schema of a struct: decimals are JSON numbers here, and what is null by default is left at that."""
    if isinstance(schema, list):
        return [_plain(part, spelling) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema == _DECIMAL:
        return {"type": "number"}
    if "properties" in schema:
        fields = {spelling.field(name): _plain(part, spelling) for name, part in schema["properties"].items()}
        required = {"required": schema["required"]} if schema.get("required") else {}
        return {"type": "object", "properties": fields, **required} | _described(schema)
    kept = {key: _plain(part, spelling) for key, part in schema.items() if (key, part) != ("default", None)}
    return _merged(kept)


_DECIMAL: Schema = msgspec.json.schema(Decimal)


def _described(schema: Schema) -> Schema:
    return {"description": schema["description"]} if "description" in schema else {}


def _merged(schema: Schema) -> Schema:
    """A choice of plain types as one list of types."""
    choices = schema.get("anyOf", [])
    if set(schema) == {"anyOf"} and all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return schema


def _error_schemas() -> Schema:
    return {
        name: {
            "type": "object",
            "properties": dict.fromkeys(texts, _TEXT) | {flag: {"type": "boolean"} for flag in flags},
            "required": [*texts, *flags],
        }
        for name, _, texts, flags in _ERRORS.values()
    }
