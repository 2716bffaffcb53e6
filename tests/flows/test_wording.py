"""Sentences as people read them."""

from __future__ import annotations

import pytest

from toolkit.flows.wording import with_local_dates


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Prices changed on 2026-07-01: each day …", "Prices changed on 1 Jul 2026: each day …"),
        ("From 2026-07-01 to 2026-12-31.", "From 1 Jul 2026 to 31 Dec 2026."),
        ("no reads on 2 days (2026-02-01 to 2026-02-02)", "no reads on 2 days (1 Feb 2026 to 2 Feb 2026)"),
        ("2026-02-30 is no day", "2026-02-30 is no day"),
        ("type --from 2026-02-01 --to 2026-02-03", "type --from 2026-02-01 --to 2026-02-03"),
        ("2026-02-01.csv: line 3", "2026-02-01.csv: line 3"),
        ("bank/2026-02-01: line 3", "bank/2026-02-01: line 3"),
        ("plan energy-1:2026-02-01:electricity", "plan energy-1:2026-02-01:electricity"),
        ("12026-02-01-7", "12026-02-01-7"),
    ],
)
def test_dates_that_are_words_are_shown_as_people_write_them(said: str, shown: str) -> None:
    assert with_local_dates(said) == shown
