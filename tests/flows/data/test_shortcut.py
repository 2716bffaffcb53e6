"""The icon of the app, and whether the disk is encrypted."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from toolkit.flows.data.doctor.disk import is_device_encrypted
from toolkit.flows.data.shortcut import write_shortcut


def test_the_menu_entry_starts_this_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/a folder/python")
    entry = Path(write_shortcut(platform="linux", home=tmp_path).path)
    lines = dict(line.split("=", 1) for line in entry.read_text().splitlines()[1:])
    assert shlex.split(lines["Exec"]) == ["/opt/a folder/python", "-m", "toolkit", "app"]
    assert Path(lines["Icon"]).is_file()
    assert lines["Terminal"] == "false"


def test_other_systems_get_theirs(tmp_path: Path) -> None:
    app = Path(write_shortcut(platform="darwin", home=tmp_path).path)
    (program,) = (app / "Contents" / "MacOS").iterdir()
    assert program.read_text().splitlines()[1].endswith("-m toolkit app")
    link = Path(write_shortcut(platform="win32", home=tmp_path).path)
    (url,) = (line for line in link.read_text().splitlines() if line.startswith("URL="))
    assert url.endswith("/start.cmd")


def test_a_disk_is_encrypted_where_anything_below_it_is(tmp_path: Path) -> None:
    plain, crypt, volume = tmp_path / "sda1", tmp_path / "dm-0", tmp_path / "dm-1"
    for device in (plain, crypt, volume):
        (device / "slaves").mkdir(parents=True)
    for device, uuid in ((crypt, "CRYPT-LUKS2-1234-root"), (volume, "LVM-abcd")):
        (device / "dm").mkdir()
        (device / "dm" / "uuid").write_text(uuid)
    (volume / "slaves" / "dm-0").symlink_to(crypt)
    assert [is_device_encrypted(device) for device in (plain, crypt, volume)] == [False, True, True]
