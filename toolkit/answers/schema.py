"""The JSON Schema of an answer, derived from its type and from the docstrings under its fields."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import get_args

import msgspec

from toolkit.answers.base import Answer, JsonValue, Note, Rows

JsonSchema = dict[str, JsonValue]
"""A JSON Schema document, or a part of one."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(answer: type[Answer] | UnionType) -> JsonSchema:
    """Return the JSON Schema (2020-12) of what `--json` prints for an answer of this type, or of one of these types.

    Raises TypeError where a field has a type that JSON does not know.
    """
    answers = get_args(answer) or (answer,)
    row_types: list[type[msgspec.Struct]] = []

    def schema_of(kind: type) -> JsonSchema:
        if kind is Note:
            return {"type": "string"}
        if not issubclass(kind, Rows):
            raise TypeError(f"{kind.__name__} cannot be a part of an answer")
        row_types.append(kind.row_type)
        return {"type": "array", "items": {"$ref": f"#/$defs/{kind.row_type.__name__}"}}

    references, components = msgspec.json.schema_components(
        answers, schema_hook=schema_of, ref_template="#/$defs/{name}"
    )
    reference = references[0] if len(references) == 1 else {"anyOf": list(references)}
    for row_type in row_types:  # grows while a row's own tables are met
        _, more = msgspec.json.schema_components([row_type], schema_hook=schema_of, ref_template="#/$defs/{name}")
        components.update(more)
    for struct in _structs(msgspec.inspect.multi_type_info([*answers, *row_types]), set()):
        _add_descriptions(components[struct.__name__], struct)
    return {"$schema": DIALECT, **reference, "$defs": dict(sorted(components.items()))}


def _structs(node: object, seen: set[type]) -> Iterator[type]:
    """Yield every Struct and dataclass inside type information once; one may hold its own kind."""
    if isinstance(node, (msgspec.inspect.StructType, msgspec.inspect.DataclassType)):
        if node.cls in seen:
            return
        seen.add(node.cls)
        yield node.cls
    if isinstance(node, (list, tuple)):
        for entry in node:
            yield from _structs(entry, seen)
    elif isinstance(node, msgspec.inspect.Type | msgspec.inspect.Field):
        for name in node.__struct_fields__:
            yield from _structs(getattr(node, name), seen)


def _add_descriptions(component: JsonSchema, struct: type) -> None:
    """Add the docstring under each field of the class body to the field's schema."""
    properties = component["properties"]
    assert isinstance(properties, dict)
    names = {field.name: field.encode_name for field in _fields(struct)}
    for field, text in descriptions(struct).items():
        described = properties[names[field]]
        assert isinstance(described, dict)
        described["description"] = text


@cache  # most answers share types, and parsing a class body takes longer than all else here
def descriptions(kind: type) -> Mapping[str, str]:
    """Return field → docstring under it, of the fields in a class body that have one."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                found[name] = inspect.cleandoc(docstring)
    return found


def _fields(struct: type) -> tuple[msgspec.inspect.Field, ...]:
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, (msgspec.inspect.StructType, msgspec.inspect.DataclassType))
    return info.fields
