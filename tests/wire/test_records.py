"""Every field of the specification is in the structs, and reads from bodies written by hand from it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from tests.spec_fields import FIELDS, paths
from toolkit.wire.decoding.lenient import normalised, structs_in
from toolkit.wire.decoding.pages import read_one, read_page
from toolkit.wire.endpoints import ENDPOINTS, endpoint
from toolkit.wire.records import RECORDS, Wire

SAMPLES = Path(__file__).parents[1] / "samples"
KINDS = {"text": str, "n": Decimal, "i": int, "b": bool}


def body(name: str, status: int = 200) -> bytes:
    return (SAMPLES / name / f"{status}.json").read_bytes()


def records(name: str) -> list[Any]:
    row = endpoint(name)
    if row.array is None:
        return [read_one(row, body(name))]
    page = read_page(row, body(name))
    assert not page.rejected
    return page.records


def leaf(struct: Any, path: str) -> Any:
    """The type at a dotted path of struct fields by wire name, without null and list around it."""
    for name in path.split("."):
        field = next((f for f in msgspec.structs.fields(struct) if f.encode_name == name), None)
        if field is None:
            return None
        struct = inner(field.type)
    return struct


def inner(kind: Any) -> Any:
    parts = [part for part in get_args(kind) if part is not type(None)]
    return inner(parts[0]) if parts else kind


def values(found: Any, path: list[str]) -> list[Any]:
    """All values at a path, lists opened."""
    if isinstance(found, list):
        return [value for item in found for value in values(item, path)]
    if not path:
        return [found]
    name = next(f.name for f in msgspec.structs.fields(found) if f.encode_name == path[0])
    value = getattr(found, name)
    return [] if value is None else values(value, path[1:])


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_the_specification_is_in_the_struct(name):
    struct = RECORDS[endpoint(name).record]
    wanted = {path: (str, Decimal) if kind == "[]" else (KINDS[kind],) for path, kind in paths(FIELDS[name])}
    assert {path: leaf(struct, path) for path, kinds in wanted.items() if leaf(struct, path) not in kinds} == {}


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_reads_from_a_body_written_from_the_specification(name):
    found = records(name)
    assert [p for p, _ in paths(FIELDS[name]) if not values(found, p.split("."))] == []


@pytest.mark.parametrize("name", FIELDS)
def test_structs_have_nothing_that_the_specification_has_not(name):
    """But for what facts about the live service add, named here."""
    extra = {
        "token": {"access_token", "token_type"},
        "banking.products": {"platform_id", "institution_id"},
    }
    known = {p for p, _ in paths(FIELDS[name])}
    own = {f.encode_name for f in msgspec.structs.fields(RECORDS[endpoint(name).record])}
    assert own - {p.split(".")[0] for p in known} == extra.get(name, set())


def test_numbers_are_exactly_as_written():
    first, second = records("energy.usage")
    assert [str(v) for v in first.interval_read.interval_reads] == ["0.1", "0.10", "None", "0.1", "1.3"]
    assert str(first.interval_read.aggregate_value) == "1.700"
    assert second.basic_read.value == Decimal("1432.5")


def test_a_null_inside_the_reads_is_a_missing_read():
    assert records("energy.usage")[0].interval_read.interval_reads[2] is None


def test_records_encode_back_to_what_they_were():
    for name in FIELDS:
        for record in records(name):
            again = msgspec.json.decode(msgspec.json.encode(record), type=type(record))
            assert again == record


def test_no_two_names_differ_only_in_capitals_and_underscores():
    for struct in RECORDS.values():
        names = {f.encode_name for inside in structs_in(struct) for f in msgspec.structs.fields(inside)}
        assert len({normalised(name) for name in names}) == len(names)


def test_every_endpoint_names_structs_that_exist():
    for row in ENDPOINTS:
        assert {row.record, row.body, row.meta} - {None} <= set(RECORDS)
    assert all(issubclass(struct, Wire) for struct in RECORDS.values())


def test_samples_are_json_objects():
    for sample in SAMPLES.glob("*/*.json"):
        assert isinstance(json.loads(sample.read_bytes()), dict), sample
