"""Whether the disk under the data is encrypted, where that can be read without rights of an administrator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SECONDS = 5


def is_encrypted(path: Path) -> bool | None:
    """Return whether the disk that holds `path` is encrypted by the system; None where that cannot be read.

    Linux: dm-crypt (LUKS) anywhere below the file system. macOS: FileVault. Other systems, and file systems without a
    device of their own (network, memory), are not known.
    """
    while not path.exists() and path != path.parent:
        path = path.parent
    if sys.platform == "darwin":
        return _file_vault()
    if sys.platform != "linux":
        return None
    device = path.stat().st_dev
    folder = Path("/sys/dev/block") / f"{os.major(device)}:{os.minor(device)}"
    return is_device_encrypted(folder) if folder.exists() else None


def is_device_encrypted(folder: Path) -> bool:
    """Return whether a block device is encrypted, or one that it lies on. folder: the device's in sysfs."""
    uuid = folder / "dm" / "uuid"
    if uuid.exists() and uuid.read_text().startswith("CRYPT-"):
        return True
    slaves = folder / "slaves"
    return slaves.is_dir() and any(is_device_encrypted(slave) for slave in slaves.iterdir())


def _file_vault() -> bool | None:
    try:
        done = subprocess.run(
            ["/usr/bin/fdesetup", "status"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if "FileVault is On" in done.stdout:
        return True
    return False if "FileVault is Off" in done.stdout else None


def sentence(encrypted: bool | None) -> str:
    """Word whether the disk is encrypted; None: not known."""
    if encrypted is None:
        return "Whether the disk under your data is encrypted cannot be read on this computer."
    if encrypted:
        return "The disk under your data is encrypted."
    return (
        "The disk under your data is not encrypted: whoever has the disk can read it. Turn on the system's disk "
        "encryption (BitLocker in Windows, FileVault on a Mac, LUKS in Linux)."
    )
