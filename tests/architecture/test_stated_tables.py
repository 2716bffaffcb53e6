"""The version and fingerprint of the tables are stated where a database is opened, apart from the tables themselves."""

from __future__ import annotations

from toolkit.store.connection import FINGERPRINT, VERSION
from toolkit.store.schema import STEPS, fingerprint


def test_the_stated_version_and_fingerprint_are_those_of_the_tables() -> None:
    assert (VERSION, f"0x{FINGERPRINT:X}") == (len(STEPS), f"0x{fingerprint():X}"), "state them in store/connection.py"
