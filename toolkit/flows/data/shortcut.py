"""An icon that starts the app on the default database: `app --shortcut`."""

from __future__ import annotations

import os
import shlex
import sys
from importlib.resources import files
from pathlib import Path

from toolkit.answers.start import Shortcut
from toolkit.errors import ToolkitError

NAME = "Home finance and energy"
FILE_NAME = "finance-energy-toolkit"


def write_shortcut(*, platform: str = sys.platform, home: Path | None = None) -> Shortcut:
    """Write an icon for this user, replacing an earlier one, and return its place.

    Linux: an entry of the applications menu (freedesktop.org). macOS: an application in the user's Applications
    folder. Windows: a link in the start menu. Raises ToolkitError where it cannot be written.
    """
    home = home or Path.home()
    try:
        if platform == "darwin":
            return Shortcut(path=str(_mac(home)))
        if platform == "win32":
            return Shortcut(path=str(_windows(home)))
        return Shortcut(path=str(_linux(home)))
    except OSError as error:
        raise ToolkitError(f"The icon could not be written ({error}). Start the app with `toolkit app`.") from error


def has_shortcut() -> bool:
    """Return whether this user has an icon in the applications menu (Linux); elsewhere it is not looked for."""
    return _entry(Path.home()).exists()


def _entry(home: Path) -> Path:
    folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return folder / "applications" / f"{FILE_NAME}.desktop"


def _linux(home: Path) -> Path:
    entry = _entry(home)
    # Desktop Entry Specification: a quoted argument, in which ", `, $ and \\ are escaped, and % is doubled.
    quoted = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in sys.executable).replace("%", "%%")
    quoted = quoted.replace("\\", "\\\\")  # a value of the file is escaped once more
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        f"Name={NAME}",
        "Comment=Personal finance and energy, on this computer only",
        f'Exec="{quoted}" -m toolkit app',
        f"Icon={files('toolkit.pages') / 'icon.png'}",
        "Terminal=false",
        "Categories=Office;Finance;",
    )
    entry.parent.mkdir(parents=True, exist_ok=True)
    entry.write_text("\n".join(lines) + "\n", encoding="utf-8")
    entry.chmod(0o755)
    return entry


def _mac(home: Path) -> Path:
    app = home / "Applications" / f"{NAME}.app"
    program = app / "Contents" / "MacOS" / FILE_NAME
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m toolkit app\n", encoding="utf-8")
    program.chmod(0o755)
    (app / "Contents" / "Info.plist").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>'
        f"<key>CFBundleName</key><string>{NAME}</string>"
        f"<key>CFBundleExecutable</key><string>{FILE_NAME}</string>"
        "<key>CFBundleIdentifier</key><string>org.finance-energy-toolkit.app</string>"
        "<key>CFBundlePackageType</key><string>APPL</string></dict></plist>\n",
        encoding="utf-8",
    )
    return app


def _windows(home: Path) -> Path:
    """Write a script, and a link to it in the start menu; both are plain text, as `.lnk` files are not."""
    roaming = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    program = Path(sys.executable).with_name("pythonw.exe")
    script = roaming / FILE_NAME / "start.cmd"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(
        f'@start "" "{program if program.exists() else sys.executable}" -m toolkit app\n', encoding="utf-8"
    )
    link = roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs" / f"{NAME}.url"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.write_text(f"[InternetShortcut]\nURL={script.absolute().as_uri()}\n", encoding="utf-8")
    return link
