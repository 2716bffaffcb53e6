"""Where each setting comes from: option, environment, keyring (secrets), settings file; the first that has it.

The settings file is `settings.toml`, mode 0600, in the user's configuration folder, or in `TOOLKIT_DATA_DIR` where
that is set. Its names are those of the environment in lower case without `TOOLKIT_`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn
from urllib.parse import urlsplit

from toolkit.errors import SettingsError, ToolkitError, UsageError
from toolkit.units import zone_key

if sys.platform != "win32":
    import fcntl

APP = "finance-energy-toolkit"
PREFIX = "TOOLKIT_"
HIDDEN = "(hidden)"
OPTION, ENVIRONMENT, KEYRING, DEFAULT = "option", "environment", "keyring", "default"
SESSION = "this session"
_one_thread = threading.Lock()
_session: dict[str, str] = {}
"""Secrets that are kept until the process ends."""

NAMES = (
    "TOOLKIT_DB",
    "TOOLKIT_BASE_URL",
    "TOOLKIT_CLIENT_ID",
    "TOOLKIT_CLIENT_SECRET",
    "TOOLKIT_END_USER",
    "TOOLKIT_PLATFORM",
    "TOOLKIT_API_VERSION",
    "TOOLKIT_CORE_PREFIX",
    "TOOLKIT_CA",
    "TOOLKIT_CLIENT_CERT",
    "TOOLKIT_CLIENT_KEY",
    "TOOLKIT_WEBHOOK_SECRET",
    "TOOLKIT_DATA_DIR",
    "TOOLKIT_TIMEZONE",
    "TOOLKIT_REGISTER_URL",
    "TOOLKIT_BRANDS_URL",
    "TOOLKIT_IDLE_MINUTES",
    "TOOLKIT_AUTO_UPDATE",
    "TOOLKIT_PASSPHRASE",
)
SECRETS = ("TOOLKIT_CLIENT_SECRET", "TOOLKIT_WEBHOOK_SECRET")
HASHED = ("TOOLKIT_PASSPHRASE",)
"""What only its hash is kept of, and never shown."""
OF_THE_APP = ("TOOLKIT_IDLE_MINUTES", "TOOLKIT_AUTO_UPDATE", "TOOLKIT_PASSPHRASE")
MOST_IDLE_MINUTES = 24 * 60
CREDENTIALS = ("TOOLKIT_BASE_URL", "TOOLKIT_CLIENT_ID", *SECRETS)
DEFAULTS = {
    "TOOLKIT_PLATFORM": "platform",
    "TOOLKIT_API_VERSION": "v3",
    "TOOLKIT_CORE_PREFIX": "",
    "TOOLKIT_REGISTER_URL": "https://cdr.energymadeeasy.gov.au",
}
PUBLIC_BRANDS = "https://api.cdr.gov.au"
_IDS = "account|arrangement|client|consent|customer|institution|meter|pay|payee|product|register|session|transaction"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Secret:
    """A value that shows itself only when asked to by `reveal`: not in repr, str, format, asdict or a pickle."""

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    def reveal(self) -> str:
        return self.__value

    def __repr__(self) -> str:
        return f"Secret{HIDDEN}"

    def __format__(self, _spec: str) -> str:
        return HIDDEN

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self.__value

    def __hash__(self) -> int:
        return hash(self.__value)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


class SettingValue(NamedTuple):
    """One setting's value (None: nowhere set) and where it came from."""

    value: str | Secret | None
    origin: str


class Settings:
    """The settings as loaded. The keyring is read only when a secret is needed, as it is slow to open."""

    def __init__(self, values: Mapping[str, SettingValue]) -> None:
        self.values = values

    def find(self, name: str) -> SettingValue:
        """Return the value of `name` (`TOOLKIT_…`) from the first place that has it."""
        setting = self.values[name]
        if name not in SECRETS or setting.origin in (OPTION, ENVIRONMENT, SESSION):
            return setting
        kept = read_keyring(name)
        return SettingValue(Secret(kept), KEYRING) if kept else setting

    def _text(self, name: str) -> str | None:
        value = self.values[name].value
        return value if isinstance(value, str) else None

    def _refuse(self, name: str, reason: str) -> NoReturn:
        setting = self.find(name)
        raise SettingsError(f"{name} = {setting.value!r} ({setting.origin}) {reason}")

    @cached_property
    def data_dir(self) -> Path:
        """The folder of store, caches and logs; also of the settings where TOOLKIT_DATA_DIR names it."""
        return Path(self._text("TOOLKIT_DATA_DIR") or "")

    @cached_property
    def db(self) -> Path:
        return Path(self._text("TOOLKIT_DB") or "").expanduser()

    @cached_property
    def base_url(self) -> str | None:
        """The service's address without final slash. Raises SettingsError if invalid or plain http elsewhere."""
        return self._address("TOOLKIT_BASE_URL")

    @cached_property
    def register_url(self) -> str:
        """The public plan register, likewise; its retailers' own addresses are below it."""
        return self._address("TOOLKIT_REGISTER_URL") or DEFAULTS["TOOLKIT_REGISTER_URL"]

    @cached_property
    def brands_url(self) -> str:
        """Where the register's list of brands is: for the public register the data right's own, else its own."""
        own = PUBLIC_BRANDS if self.register_url == DEFAULTS["TOOLKIT_REGISTER_URL"] else self.register_url
        return self._address("TOOLKIT_BRANDS_URL") or own

    def _address(self, name: str) -> str | None:
        text = self._text(name)
        reason = refusal(text) if text else None
        if reason:
            self._refuse(name, reason)
        return text.rstrip("/") if text else None

    @cached_property
    def client_id(self) -> str | None:
        return self._text("TOOLKIT_CLIENT_ID")

    @cached_property
    def client_secret(self) -> Secret | None:
        return self._secret("TOOLKIT_CLIENT_SECRET")

    @cached_property
    def webhook_secret(self) -> Secret | None:
        return self._secret("TOOLKIT_WEBHOOK_SECRET")

    def _secret(self, name: str) -> Secret | None:
        value = self.find(name).value
        return value if isinstance(value, Secret) else None

    @cached_property
    def end_user(self) -> str | None:
        return self._text("TOOLKIT_END_USER")

    @cached_property
    def platform(self) -> str:
        """The deployment's own word where the specification writes *platform*."""
        word = self._text("TOOLKIT_PLATFORM") or DEFAULTS["TOOLKIT_PLATFORM"]
        if not re.fullmatch(rf"(?!(?:{_IDS})$)[a-z][a-z0-9]{{0,31}}", word):
            self._refuse("TOOLKIT_PLATFORM", "is not one word of lower-case letters and digits, or names another id.")
        return word

    @cached_property
    def api_version(self) -> str:
        version = self._text("TOOLKIT_API_VERSION") or DEFAULTS["TOOLKIT_API_VERSION"]
        if not re.fullmatch(r"v[0-9]{1,3}", version):
            self._refuse("TOOLKIT_API_VERSION", "is not a major version such as v3.")
        return version

    @cached_property
    def core_prefix(self) -> str:
        """What stands before the paths that the specification gives without a version: nothing, or `/v1`."""
        prefix = self._text("TOOLKIT_CORE_PREFIX") or ""
        if prefix and not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", prefix):
            self._refuse("TOOLKIT_CORE_PREFIX", 'is neither empty nor a path such as "/v1".')
        return prefix

    @cached_property
    def ca(self) -> Path | None:
        return self._pem("TOOLKIT_CA")

    @cached_property
    def client_cert(self) -> Path | None:
        return self._pem("TOOLKIT_CLIENT_CERT")

    @cached_property
    def client_key(self) -> Path | None:
        return self._pem("TOOLKIT_CLIENT_KEY")

    def _pem(self, name: str) -> Path | None:
        text = self._text(name)
        path = Path(text).expanduser() if text else None
        if path is not None and not path.is_file():
            self._refuse(name, "is not a file.")
        return path

    @cached_property
    def timezone(self) -> str | None:
        zone = self._text("TOOLKIT_TIMEZONE")
        key = zone_key(zone) if zone else None
        if zone and key is None:
            self._refuse("TOOLKIT_TIMEZONE", "is not an IANA zone such as Australia/Brisbane.")
        return key

    @cached_property
    def idle_minutes(self) -> int | None:
        """After how many minutes without use the pages are emptied; 0 for never, None where nobody chose."""
        text = self._text("TOOLKIT_IDLE_MINUTES")
        if text is None:
            return None
        if not text.isdecimal() or int(text) > MOST_IDLE_MINUTES:
            self._refuse("TOOLKIT_IDLE_MINUTES", f"is not a number of minutes from 0 to {MOST_IDLE_MINUTES}.")
        return int(text)

    @cached_property
    def auto_update(self) -> bool:
        """Whether connected data older than a day is updated when the app is opened."""
        return self._text("TOOLKIT_AUTO_UPDATE") != "no"

    @cached_property
    def passphrase(self) -> Secret | None:
        """The hash of the passphrase of the pages."""
        value = self.values["TOOLKIT_PASSPHRASE"].value
        return value if isinstance(value, Secret) else None

    @cached_property
    def origins(self) -> dict[str, SettingValue]:
        """Every setting and where it came from, secrets hidden."""
        found = {name: self.find(name) for name in NAMES}
        return {
            name: SettingValue(HIDDEN, setting.origin) if isinstance(setting.value, Secret) else setting
            for name, setting in found.items()
        }


def refusal(base_url: str) -> str | None:
    """Return why an address may not be talked to, as the end of a sentence; None where it may."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is not an address such as https://api.example.com."
    if parts.scheme not in ("http", "https") or not host or port == 0:
        return "is not an address such as https://api.example.com."
    if parts.username or parts.password or parts.query or parts.fragment:
        return "must not carry a user name, a query or a fragment."
    if parts.scheme == "http" and host not in LOOPBACK:
        return "is plain http to another machine, where anyone between could read along: use https."
    return None


def data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`TOOLKIT_DATA_DIR`, else the user's data folder."""
    if named := environ.get("TOOLKIT_DATA_DIR"):
        return Path(named).expanduser()
    return _user_folder("data")


def settings_file(environ: Mapping[str, str] = os.environ) -> Path:
    if environ.get("TOOLKIT_DATA_DIR"):
        return data_dir(environ) / "settings.toml"
    return _user_folder("config") / "settings.toml"


def _user_folder(kind: Literal["data", "config"]) -> Path:
    """Return the user's folder of a kind for this program, as platformdirs names it.

    On Linux that is known without loading it, which takes a twentieth of a short command.
    """
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        given, home = os.environ.get(f"XDG_{kind.upper()}_HOME", ""), os.environ.get("HOME", "")
        usual = f"{home.rstrip('/')}/{'.local/share' if kind == 'data' else '.config'}"
        if folder := next((path for path in (given, usual) if path.startswith("/") and home.startswith("/")), None):
            return Path(folder) / APP
    import platformdirs

    find = platformdirs.user_data_path if kind == "data" else platformdirs.user_config_path
    return find(APP, appauthor=False)


def load(options: Mapping[str, str] | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings. options: by the names of the environment. Raises SettingsError for a broken file."""
    file = settings_file(environ)
    folder = str(data_dir(environ))
    defaults = {**DEFAULTS, "TOOLKIT_DATA_DIR": folder, "TOOLKIT_DB": str(Path(folder) / "household.db")}
    places = (
        (options or {}, OPTION),
        (environ, ENVIRONMENT),
        (_session, SESSION),
        (read_file(file), f"file {file}"),
        (defaults, DEFAULT),
    )
    return Settings({name: _first(name, places) for name in NAMES})


def _first(name: str, places: Iterable[tuple[Mapping[str, str], str]]) -> SettingValue:
    """An empty text is not set, but for the prefix, where empty is a choice."""
    for place, origin in places:
        value = place.get(name)
        if value or (value is not None and name == "TOOLKIT_CORE_PREFIX"):
            return SettingValue(Secret(value) if name in (*SECRETS, *HASHED) else value, origin)
    return SettingValue(None, "not set")


def read_file(file: Path) -> dict[str, str]:
    """`TOOLKIT_…` → text of a settings file; empty where there is none."""
    unreadable = f"{file}: the settings cannot be read. Correct or delete the file."
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(unreadable) from problem
    import tomllib  # most machines have no such file, and every command looks for it

    try:
        loaded = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(unreadable) from problem
    filed = {PREFIX + key.upper(): value for key, value in loaded.items()}
    for name, value in filed.items():
        if name not in NAMES or name == "TOOLKIT_DATA_DIR" or not isinstance(value, str):
            raise SettingsError(f"{file}: `{name.removeprefix(PREFIX).lower()}` is not a setting with a text value.")
    return filed


@contextmanager
def _changing(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Change the settings of the file within; two tabs, or the app and a command, change them one after the other."""
    file = settings_file(environ)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _one_thread, _one_process(file.parent):
        filed = read_file(file)
        before = dict(filed)
        yield filed
        if filed != before:
            write_file(file, filed)


@contextmanager
def _one_process(folder: Path) -> Iterator[None]:
    """Lock a folder against other programs of ours; Windows cannot lock one, and does without."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_file(file: Path, filed: Mapping[str, str]) -> None:
    """Replace a settings file in one step; mode 0600 from its first byte, under any umask."""
    texts = {name: json.dumps(filed[name], ensure_ascii=False) for name in NAMES if name in filed}
    lines = [f"{name.removeprefix(PREFIX).lower()} = {text}\n" for name, text in texts.items()]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        fresh.chmod(0o600)
        out.writelines(lines)
    fresh.replace(file)


def _keyring() -> Any | None:
    """The user's keyring, or None where there is none worth the name (headless machines, plain-text stand-ins)."""
    try:
        import keyring

        return keyring if keyring.get_keyring().priority >= 1 else None
    except Exception:
        return None


def read_keyring(name: str) -> str | None:
    ring = _keyring()
    try:
        return ring.get_password(APP, name) if ring else None
    except Exception:
        return None


def _write_keyring(name: str, value: str) -> bool:
    ring = _keyring()
    try:
        if ring is None:
            return False
        ring.set_password(APP, name, value)
        return bool(ring.get_password(APP, name) == value)
    except Exception:
        return False


def _clear_keyring(name: str) -> bool:
    ring = _keyring()
    try:
        if ring is None or ring.get_password(APP, name) is None:
            return False
        ring.delete_password(APP, name)
        return True
    except Exception:
        return False


def save_credentials(
    given: Mapping[str, str],
    environ: Mapping[str, str] = os.environ,
    *,
    session_only: bool = False,
    shown: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Keep credentials, given by the names in CREDENTIALS: secrets in the keyring where there is one, else in the file.

    session_only: without a keyring a secret is kept in this process alone, until it ends. shown: what is not secret, as
    a form showed it. Raises SettingsError where something given is not valid, UsageError where it has changed since
    it was shown.

    Only what is given is changed; nothing is taken from the environment. Returns name → where it is kept now.
    """
    where: dict[str, str] = {}
    with _changing(environ) as filed:
        for error in wrong_credentials(given, environ, shown=shown).values():
            raise error
        for name, value in given.items():
            if name in SECRETS and _write_keyring(name, value):
                filed.pop(name, None)
                where[name] = KEYRING
            elif name in SECRETS and session_only:
                _session[name] = value
                where[name] = SESSION
            else:
                filed[name] = value
                where[name] = f"file {settings_file(environ)}"
    return where


def wrong_credentials(
    given: Mapping[str, str], environ: Mapping[str, str] = os.environ, *, shown: Mapping[str, str] | None = None
) -> dict[str, ToolkitError]:
    """Return name → why it is refused, of credentials as `save_credentials` takes them."""
    known = load(environ=environ).values
    wrong: dict[str, ToolkitError] = {}
    for name, value in given.items():
        try:
            _check_credential(name, value)
        except SettingsError as error:
            wrong[name] = error
            continue
        now = str(known[name].value or "")
        if shown is not None and now != shown.get(name, now):
            reason = f"{name} was changed to {now or 'nothing'} after the page was opened"
            wrong[name] = UsageError(f"{reason}. Save again to replace that.")
    return wrong


def save_choices(given: Mapping[str, str | None], environ: Mapping[str, str] = os.environ) -> None:
    """Keep settings of the app (`OF_THE_APP`) in the settings file; None deletes one. Raises SettingsError."""
    with _changing(environ) as filed:
        for name, value in given.items():
            if name not in OF_THE_APP:
                raise SettingsError(f"{name} is not a setting of the app.")
            if value is None:
                filed.pop(name, None)
            else:
                filed[name] = value


def has_keyring() -> bool:
    """Return whether this machine has a keyring to keep secrets in."""
    return _keyring() is not None


def _check_credential(name: str, value: str) -> None:
    if name not in CREDENTIALS:
        raise SettingsError(f"{name} is not a credential. Credentials are: {', '.join(CREDENTIALS)}.")
    if not value or not value.isprintable() or value != value.strip():
        raise SettingsError(f"{name}: the value is empty, or has spaces or control characters around or in it.")
    reason = refusal(value) if name == "TOOLKIT_BASE_URL" else None
    if reason:
        raise SettingsError(f"{name} {reason}")


def clear_credentials(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Forget all kept credentials, in keyring, file and this process. Returns name → where it was kept."""
    with _changing(environ) as filed:
        cleared = {name: f"file {settings_file(environ)}" for name in CREDENTIALS if filed.pop(name, None) is not None}
        cleared |= {name: SESSION for name in SECRETS if _session.pop(name, None) is not None}
        cleared |= {name: KEYRING for name in SECRETS if _clear_keyring(name)}
    return cleared
