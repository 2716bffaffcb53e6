"""Which files of this room a Python can run."""

from __future__ import annotations

import sys

collect_ignore = [] if sys.version_info < (3, 14) else ["test_utilityrate.py"]
"""NREL-PySAM has wheels up to Python 3.13 only."""
