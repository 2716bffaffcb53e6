"""Each setting from the first of four places; secrets never shown; the file private."""

from __future__ import annotations

import copy
import os
import pickle
import stat
import subprocess
import sys

import keyring
import platformdirs
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError, PasswordDeleteError

from toolkit import settings
from toolkit.errors import SettingsError
from toolkit.settings import Secret, load

SENTINEL = "sentinel-9f2c"


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 5

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError


@pytest.fixture
def ring():
    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    yield keyring.get_keyring()
    keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("named", "brands"),
    [
        ({}, "https://api.cdr.gov.au"),
        ({"TOOLKIT_REGISTER_URL": "https://plans.example"}, "https://plans.example"),
        ({"TOOLKIT_BRANDS_URL": "https://list.example/"}, "https://list.example"),
        ({"TOOLKIT_REGISTER_URL": "https://p.example", "TOOLKIT_BRANDS_URL": "https://b.example"}, "https://b.example"),
    ],
)
def test_the_list_of_brands_is_the_data_rights_own_the_registers_or_as_set(named: dict[str, str], brands: str):
    assert load(named).brands_url == brands


def test_option_environment_keyring_file_in_this_order(home, ring, monkeypatch):
    name = "TOOLKIT_CLIENT_SECRET"
    assert load().find(name).origin == "not set"
    settings.write_file(home / "settings.toml", {name: "from file"})
    assert (load().client_secret.reveal(), load().find(name).origin) == ("from file", f"file {home}/settings.toml")
    ring.set_password(settings.APP, name, "from keyring")
    assert (load().client_secret.reveal(), load().find(name).origin) == ("from keyring", "keyring")
    monkeypatch.setenv(name, "from environment")
    assert (load().client_secret.reveal(), load().find(name).origin) == ("from environment", "environment")
    assert load({name: "from option"}).client_secret.reveal() == "from option"


def test_defaults_and_the_one_folder(home):
    found = load()
    assert (found.data_dir, found.db) == (home, home / "household.db")
    assert (found.platform, found.api_version, found.core_prefix) == ("platform", "v3", "")
    assert (found.base_url, found.client_id, found.client_secret, found.timezone) == (None, None, None, None)
    assert load({"TOOLKIT_DB": "/x/y.db"}).db.as_posix() == "/x/y.db"


def test_without_a_folder_of_its_own_the_users_folders_are_used(monkeypatch, tmp_path):
    monkeypatch.delenv("TOOLKIT_DATA_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert settings.settings_file() == tmp_path / "config" / settings.APP / "settings.toml"
        assert load().db == tmp_path / "data" / settings.APP / "household.db"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize(
    "named",
    [
        {"HOME": "/home/kim"},
        {"HOME": "/home/kim/"},
        {"HOME": "/"},
        {"HOME": "kim"},
        {"HOME": ""},
        {},
        {"HOME": "/home/kim", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config/"},
        {"HOME": "/home/kim", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""},
        {"HOME": "kim", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"},
    ],
)
def test_on_linux_the_users_folders_are_those_of_platformdirs(monkeypatch, named):
    for name in ("TOOLKIT_DATA_DIR", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert settings.data_dir() == platformdirs.user_data_path(settings.APP, appauthor=False)
    assert settings.settings_file().parent == platformdirs.user_config_path(settings.APP, appauthor=False)


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG Base Directory Specification is Linux's")
def test_a_relative_folder_in_the_environment_is_ignored_as_the_specification_says(monkeypatch):
    monkeypatch.delenv("TOOLKIT_DATA_DIR", raising=False)
    for name, value in {"HOME": "/home/kim", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}.items():
        monkeypatch.setenv(name, value)
    assert str(settings.data_dir()) == f"/home/kim/.local/share/{settings.APP}"
    assert str(settings.settings_file()) == f"/home/kim/.config/{settings.APP}/settings.toml"


def test_an_empty_prefix_is_a_choice_and_other_empty_texts_are_not_set(home):
    settings.write_file(home / "settings.toml", {"TOOLKIT_CORE_PREFIX": "/v1", "TOOLKIT_CLIENT_ID": "filed"})
    found = load(environ={"TOOLKIT_DATA_DIR": str(home), "TOOLKIT_CORE_PREFIX": "", "TOOLKIT_CLIENT_ID": ""})
    assert (found.core_prefix, found.client_id) == ("", "filed")


@pytest.mark.parametrize(
    ("name", "value", "ask"),
    [
        ("TOOLKIT_BASE_URL", "http://example.com", "base_url"),
        ("TOOLKIT_BASE_URL", "example.com", "base_url"),
        ("TOOLKIT_BASE_URL", "https://u:p@example.com", "base_url"),
        ("TOOLKIT_BASE_URL", "https://[x", "base_url"),
        ("TOOLKIT_PLATFORM", "Two Words", "platform"),
        ("TOOLKIT_PLATFORM", "account", "platform"),
        ("TOOLKIT_API_VERSION", "3.1.0", "api_version"),
        ("TOOLKIT_CORE_PREFIX", "v1", "core_prefix"),
        ("TOOLKIT_CORE_PREFIX", "/../x?", "core_prefix"),
        ("TOOLKIT_CA", "/nowhere.pem", "ca"),
        ("TOOLKIT_TIMEZONE", "Australia/Nowhere", "timezone"),
        ("TOOLKIT_TIMEZONE", "../etc", "timezone"),
    ],
)
def test_impossible_values_are_told_with_their_name_and_origin(name, value, ask):
    found = load({name: value})
    with pytest.raises(SettingsError, match=rf"{name} = .* \(option\)"):
        getattr(found, ask)


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/", "http://127.0.0.1:1", "http://[::1]:5", "https://api.example.com"]
)
def test_plain_http_is_for_loopback_only(url):
    assert load({"TOOLKIT_BASE_URL": url}).base_url == url.rstrip("/")


@pytest.mark.parametrize("text", ["client_id = ", "nonsense = 'x'", "client_id = 3", "data_dir = '/x'", b"\xff"])
def test_a_broken_file_is_told_with_its_name(home, text):
    home.mkdir()
    (home / "settings.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError, match=r"settings\.toml"):
        load()


def test_a_secret_shows_itself_only_when_asked():
    found = load({"TOOLKIT_CLIENT_SECRET": SENTINEL, "TOOLKIT_WEBHOOK_SECRET": SENTINEL})
    secret = found.client_secret
    shown = [repr(secret), str(secret), f"{secret}", f"{secret:>20}", "%s" % secret, repr(found), repr(vars(found))]  # noqa: UP031 a log writes so
    shown += [repr(found.origins), repr(copy.deepcopy(found)), repr([secret])]
    assert not [text for text in shown if SENTINEL in text]
    assert secret.reveal() == SENTINEL
    assert secret == Secret(SENTINEL)
    for item in (secret, found):
        with pytest.raises(TypeError):
            pickle.dumps(item)


def test_credentials_go_to_the_keyring_where_there_is_one(home, ring):
    where = settings.save_credentials({"TOOLKIT_CLIENT_ID": "c1", "TOOLKIT_CLIENT_SECRET": SENTINEL})
    assert where == {"TOOLKIT_CLIENT_ID": f"file {home}/settings.toml", "TOOLKIT_CLIENT_SECRET": "keyring"}
    assert SENTINEL not in (home / "settings.toml").read_text()
    assert (load().client_id, load().client_secret.reveal()) == ("c1", SENTINEL)
    assert set(settings.clear_credentials()) == {"TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET"}
    assert (load().client_id, load().client_secret) == (None, None)


def test_without_a_keyring_they_go_to_a_private_file(home, monkeypatch):
    monkeypatch.setenv("TOOLKIT_WEBHOOK_SECRET", "from the environment")
    before = os.umask(0)
    try:
        settings.save_credentials({"TOOLKIT_CLIENT_SECRET": SENTINEL, "TOOLKIT_BASE_URL": "https://x.example"})
    finally:
        os.umask(before)
    file = home / "settings.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert load().client_secret.reveal() == SENTINEL
    assert "from the environment" not in file.read_text()
    assert [p.name for p in home.iterdir()] == ["settings.toml"]
    settings.clear_credentials()
    assert SENTINEL not in file.read_text()


@pytest.mark.parametrize("failure", [NoKeyringError, RuntimeError, OSError])
def test_a_broken_keyring_is_as_none(home, ring, monkeypatch, failure):
    def broken(*_):
        raise failure("no bus")

    for method in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(ring, method, broken)
    settings.save_credentials({"TOOLKIT_CLIENT_SECRET": SENTINEL})
    assert load().find("TOOLKIT_CLIENT_SECRET").origin == f"file {home}/settings.toml"
    settings.clear_credentials()
    assert load().client_secret is None


@pytest.mark.parametrize(
    "given",
    [
        {"TOOLKIT_DB": "x"},
        {"TOOLKIT_CLIENT_ID": ""},
        {"TOOLKIT_CLIENT_ID": "a\nb"},
        {"TOOLKIT_BASE_URL": "http://x.example"},
    ],
)
def test_what_is_no_credential_is_not_kept(given):
    with pytest.raises(SettingsError):
        settings.save_credentials(given)


def test_odd_texts_survive_the_file(home):
    odd = 'a"b\\c # é 🙂'
    settings.write_file(home / "settings.toml", {"TOOLKIT_CLIENT_ID": odd})
    assert load().client_id == odd


def test_importing_settings_is_light():
    heavy = {"httpx", "keyring", "msgspec", "platformdirs"}
    code = f"import sys, toolkit.settings; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_secret_kept_for_this_session_is_cleared_too():
    where = settings.save_credentials({"TOOLKIT_CLIENT_SECRET": SENTINEL}, session_only=True)
    assert where == {"TOOLKIT_CLIENT_SECRET": settings.SESSION}
    assert load().client_secret.reveal() == SENTINEL
    assert settings.clear_credentials() == where
    assert load().client_secret is None
