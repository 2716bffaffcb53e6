"""One sandbox for a whole test file, and a caller who is signed in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sandbox.stranger import TODAY, Caller, signed_in
from toolkit.sandbox.serve import running


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    with (
        running(today=TODAY, years=1) as sandbox,
        signed_in(sandbox, sandbox.client_id, sandbox.client_secret) as http,
    ):
        yield Caller(sandbox, http)
