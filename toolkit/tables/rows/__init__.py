"""Records of the service become rows of the tables."""

from __future__ import annotations

from toolkit.tables.rows.pages import PageRows, Refusal, Scope, refusal, rows_of

__all__ = ["PageRows", "Refusal", "Scope", "refusal", "rows_of"]
