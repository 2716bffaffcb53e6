"""A value that somebody typed is refused with its place, and without the names of types in Python."""

from __future__ import annotations

import msgspec
import pytest

from toolkit.answers.energy.typed_plans import TypedPlan
from toolkit.answers.wording.invalid_values import invalid_value

WHOLE: dict[str, object] = {"name": "x", "fuel": "gas", "supply": 1, "usage": [{"price": 3}]}


@pytest.mark.parametrize(
    ("wrong", "place", "names"),
    [
        ({"name": 5}, "name", "text"),
        ({"supply": "a dollar"}, "supply", "number"),
        ({"from": "3 March"}, "from", "YYYY-MM-DD"),
        ({"usage": 3}, "usage", "list"),
        ({"usage": [{"price": "a"}]}, "usage[0].price", "number"),
        ({"discounts": [{"name": "A", "percent": 2, "conditional": "no"}]}, "discounts[0].conditional", "false"),
        ({"demand": 4}, "demand", "table"),
        ({"fuel": "petrol"}, "fuel", "petrol"),
        ({"daily": 2}, "", "daily"),
    ],
)
def test_the_place_and_what_can_stand_there(wrong: dict[str, object], place: str, names: str) -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(WHOLE | wrong, TypedPlan)
    found, reason = invalid_value(error.value)
    assert found == place
    assert names in reason
    assert "`" not in reason


def test_what_is_missing_is_named() -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert({"name": "x", "fuel": "gas", "usage": []}, TypedPlan)
    place, reason = invalid_value(error.value)
    assert (place, "supply" in reason, "`" in reason) == ("", True, False)
