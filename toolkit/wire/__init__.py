"""The service on paper: endpoints, messages and records. No input or output, no clock."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
"""A JSON object of the service as written or read, before or after its fields are typed."""
