"""The version of the compiler of plans: what was compiled by another one is compiled again."""

from __future__ import annotations

COMPILER_VERSION = 14
"""Of what is kept of plans: raise it whenever they are read, compiled or turned into tables otherwise.

What an earlier version kept is then made again where a database is opened. It stands here because that must be cheap
to find out.
"""

COMPILED_LAYOUT = 4
"""Raise it whenever other plans are kept, or their file is encoded otherwise; see `flows/plans/catalogue.py`."""
