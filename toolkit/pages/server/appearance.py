"""Streamlit's options for the app, set here because an installed wheel has no `.streamlit` folder."""

from __future__ import annotations

from toolkit.charts.style import DARK, LIGHT, PALETTE, Look

Option = str | int | bool | list[str] | dict[str, str]
Options = dict[str, Option]
"""Values of Streamlit's options by their names."""

METRIC_SIZE = "1.55rem"
PRIMARY = {"light": "#00677F", "dark": "#58C4DD"}


def options(port: int) -> Options:
    """Return every option that matters for safety or looks; they outrank any file in the current or the home folder."""
    return {**safety(port), **theme()}


def safety(port: int) -> Options:
    """Return the options that keep the app to this machine and its own address."""
    return {
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.allowedHosts": ["127.0.0.1", "localhost"],
        "server.corsAllowedOrigins": [],
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.enableStaticServing": False,
        "server.enableAgentApi": False,
        "server.baseUrlPath": "",
        "server.trustedUserHeaders": {},
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.runOnSave": False,
        "server.maxUploadSize": 200,
        "browser.gatherUsageStats": False,
        "client.disableDataExport": True,
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "client.toolbarMode": "minimal",
        "logger.hideWelcomeMessage": True,
    }


def theme() -> Options:
    """Return the options for light and dark colours."""
    return {
        "theme.chartCategoricalColors": list(PALETTE),
        "theme.baseRadius": "medium",
        "theme.metricValueFontSize": METRIC_SIZE,
        **_colors("light", LIGHT),
        **_colors("dark", DARK),
    }


def _colors(name: str, look: Look) -> Options:
    return {
        f"theme.{name}.primaryColor": PRIMARY[name],
        f"theme.{name}.backgroundColor": look.background,
        f"theme.{name}.secondaryBackgroundColor": look.surface,
        f"theme.{name}.textColor": look.text,
        f"theme.{name}.borderColor": look.grid,
    }
