"""Which package may import which."""

from __future__ import annotations

MAY_IMPORT = {
    "errors": set(),
    "units": set(),
    "remedies": set(),
    "problems": set(),
    "answers": {"errors"},
    "settings": {"errors"},
    "wire": {"errors"},
    "tables": {"wire", "errors"},
    "sync": {"tables", "wire", "errors"},
    "analytics": {"answers", "tables", "errors"},
    "charts": {"answers", "tables", "errors"},
    "api": {"wire", "errors"},
    "sandbox": {"wire", "errors"},
    "importers": {"answers", "tables", "errors"},
    "store": {"tables", "errors"},
    "report": {"answers", "charts", "tables", "errors"},
    "fleet": {"errors"},
    "frames": {"analytics", "answers", "importers", "tables", "errors"},
    "flows": {
        *("errors", "answers", "settings", "wire", "tables", "sync", "analytics", "charts"),
        *("api", "sandbox", "importers", "store", "report", "fleet", "frames"),
    },
    "cli": {"answers", "flows", "fleet", "settings", "errors"},
    "pages": {"answers", "flows", "charts", "settings", "errors"},
}
