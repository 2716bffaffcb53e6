"""Which arrangement the consent of a flow turns out to be, by what the first records then carry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from toolkit.flows.consent.consents import unlisted_consent
from toolkit.sync.list_sync import join
from toolkit.tables.schema.identity import ConsentRow

NOW = datetime(2026, 6, 15, 9, tzinfo=UTC)


def flow(name: str, institution: str | None = "bank", renews: str | None = None, days_ago: int = 0) -> ConsentRow:
    granted_at = NOW - timedelta(days=days_ago)
    consent = unlisted_consent("h", name, "eu", institution)
    return replace(consent, consent_id=name, renews=renews, granted_at=granted_at)


def known(*names: str, consent_id: str | None = "earlier") -> dict[str, ConsentRow]:
    return {name: replace(unlisted_consent("h", name, "eu", "bank"), consent_id=consent_id) for name in names}


@pytest.mark.parametrize(
    ("flows", "carried", "stored", "joined"),
    [
        pytest.param([flow("c")], {"new": "bank"}, {}, {"c": "new"}, id="the first of all"),
        pytest.param(
            [flow("c")], {"a": "bank", "new": "bank"}, known("a"), {"c": "new"}, id="a new one beside another"
        ),
        pytest.param([flow("c")], {"new": "power"}, {}, {}, id="of another institution"),
        pytest.param([flow("c", None)], {"new": "power"}, {}, {"c": "new"}, id="chosen on the service's pages"),
        pytest.param([flow("c")], {}, {}, {}, id="nothing came yet"),
        pytest.param([flow("c", renews="a")], {"a": "bank"}, known("a"), {"c": "a"}, id="renewed in place"),
        pytest.param([flow("c", renews="a")], {"n": "bank"}, known("a"), {"c": "n"}, id="renewed as another"),
        pytest.param(
            [flow("c")], {"a": "bank"}, known("a", consent_id=None), {"c": "a"}, id="known from records alone"
        ),
        pytest.param([flow("c")], {"a": "bank"}, known("a"), {}, id="another flow's, so its own may still come"),
        pytest.param([flow("c", days_ago=8)], {"a": "bank"}, known("a"), {"c": "a"}, id="nothing else came in a week"),
        pytest.param([flow("c")], {"n": "bank", "m": "bank"}, {}, {}, id="two that it may be"),
        pytest.param([flow("c", None), flow("d", None)], {"n": "bank"}, {}, {}, id="two flows that it may be of"),
        pytest.param(
            [flow("c"), flow("d", "power")], {"n": "bank", "m": "power"}, {}, {"c": "n", "d": "m"}, id="one each"
        ),
    ],
)
def test_a_flow_gets_the_arrangement_that_its_records_carry(
    flows: list[ConsentRow],
    carried: dict[str, str | None],
    stored: dict[str, ConsentRow],
    joined: dict[str, str],
) -> None:
    assert join(flows, carried, stored, NOW) == joined
