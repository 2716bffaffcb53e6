"""What a person would set in order to use a sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.sandbox.serve import Running


def keys_of(sandbox: Running) -> dict[str, str]:
    return {
        "TOOLKIT_BASE_URL": sandbox.base_url,
        "TOOLKIT_CLIENT_ID": sandbox.client_id,
        "TOOLKIT_CLIENT_SECRET": sandbox.client_secret,
    }
