"""`toolkit app` as another program on this machine sees it: raw HTTP and raw websockets."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from toolkit.errors import UsageError
from toolkit.pages.server.launch import framed_origin, launch
from toolkit.pages.server.preload import PARTS

NAME = b"Sentinel Family"


def get(address: SplitResult, path: str, **headers: str) -> tuple[int, bytes, str]:
    """Status, body and cookie of a GET, with exactly these headers (a given Host replaces the true one)."""
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=120)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, (answer.getheader("set-cookie") or "").partition(";")[0]


def upgrade(address: SplitResult, **headers: str) -> int:
    """Status of a websocket handshake with these headers."""
    port = address.port or 0
    lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", **headers}
    lines |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
    request = "GET /_stcore/stream HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection(("127.0.0.1", port), timeout=120) as raw:
        raw.sendall(f"{request}\r\n".encode())
        return int(raw.recv(4096).split()[1])


def shown(address: SplitResult, cookie: str, query: str) -> bytes:
    """Everything the pages send over the websocket to a visit whose address has that query."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    message = BackMsg()
    message.rerun_script.query_string = query
    received = b""
    with connect(
        f"ws://{address.netloc}/_stcore/stream",
        origin=f"http://{address.netloc}",
        subprotocols=["streamlit"],
        additional_headers={"Cookie": cookie},
        max_size=None,
    ) as channel:
        channel.send(message.SerializeToString())
        while True:
            part = channel.recv(timeout=120)
            assert isinstance(part, bytes)
            received += part
            if ForwardMsg.FromString(part).WhichOneof("type") == "script_finished":
                return received


def test_only_the_holder_of_the_token_sees_anything(shared_app: str) -> None:
    address = urlsplit(shared_app)
    assert address.hostname == "127.0.0.1"
    assert get(address, "/")[0] == 403
    assert get(address, "/?token=" + "x" * 43)[0] == 403
    assert get(address, "/_stcore/host-config")[0] == 403
    assert upgrade(address, Origin=f"http://{address.netloc}") == 403

    status, page, cookie = get(address, f"/?{address.query}")
    assert status == 200
    assert b"<html" in page
    own = f"http://{address.netloc}"
    assert upgrade(address, Origin=own, Cookie=cookie) == 101
    assert address.query.removeprefix("token=") not in cookie

    assert NAME in shown(address, cookie, address.query)
    locked = shown(address, cookie, "")
    assert NAME not in locked
    assert b"locked" in locked


def test_no_other_host_or_origin_gets_in(shared_app: str) -> None:
    address = urlsplit(shared_app)
    path, port = f"/?{address.query}", address.port
    _, _, cookie = get(address, path)
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1:{port}.evil.example"):
        assert get(address, path, Host=host)[0] == 403
        assert upgrade(address, Host=host, Cookie=cookie) == 403
    own = f"127.0.0.1:{port}"
    for origin in (
        "http://evil.example",
        "http://localhost:9999",
        f"https://{own}",
        "null",
        f"http://{own}.evil.example",
    ):
        assert get(address, path, Origin=origin)[0] == 403
        assert upgrade(address, Origin=origin, Cookie=cookie) == 403
    assert get(address, path, Origin=f"http://{own}")[0] == 200
    assert upgrade(address, Host=f"localhost:{port}", Origin=f"http://localhost:{port}", Cookie=cookie) == 101


def test_a_handshake_without_a_key_sends_nothing(shared_app: str) -> None:
    address = urlsplit(shared_app)
    with pytest.raises(InvalidStatus), connect(f"ws://{address.netloc}/_stcore/stream", subprotocols=["streamlit"]):
        pass


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the list of open ports is Linux's")
def test_it_listens_on_loopback_only(shared_app: str) -> None:
    port = urlsplit(shared_app).port or 0
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    here = [row[1] for row in listening if row[1].endswith(f":{port:04X}") and row[3] == "0A"]
    assert here == [f"0100007F:{port:04X}"]
    everywhere = Path("/proc/net/tcp6").read_text() if Path("/proc/net/tcp6").exists() else ""
    assert f":{port:04X} 0000" not in everywhere


def test_outside_resources_are_refused_by_the_browser(shared_app: str) -> None:
    address = urlsplit(shared_app)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=120)
    connection.request("GET", f"/?{address.query}")
    answer = connection.getresponse()
    policy = answer.getheader("content-security-policy") or ""
    connection.close()
    assert "default-src 'self'" in policy
    assert "img-src 'self' data: blob:;" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.getheader("referrer-policy") == "no-referrer"


def test_the_document_names_the_parts_that_the_first_page_is_drawn_with(shared_app: str) -> None:
    address = urlsplit(shared_app)
    with urlopen(shared_app, timeout=120) as answer:
        links = [link.partition(">")[0].removeprefix("<") for link in answer.headers["link"].split(", ")]
    assert [Path(link).name.partition(".")[0] for link in links] == list(PARTS)
    for link in links:
        request = Request(f"{address.scheme}://{address.netloc}{link}?{address.query}")
        with urlopen(request, timeout=120) as script:
            assert script.headers.get_content_subtype() == "javascript"
            assert "link" not in script.headers


def test_interrupting_it_is_a_clean_end(app_command: list[str], tmp_path: Path) -> None:
    with subprocess.Popen(
        app_command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "Traceback" not in complaints


def test_a_taken_port_is_said_in_one_sentence(db: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=str(port)):
            launch(db, port=port, open_browser=False, announce=print)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://api.example.com/v1", "https://api.example.com"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/x", "http://[::1]:8080"),
        ("http://api.example.com", None),
        ("https://a.example; script-src *", None),
        ("https://user:word@a.example", None),
        ("ftp://127.0.0.1", None),
        (None, None),
    ],
)
def test_only_a_trusted_service_may_show_its_pages_in_a_frame(address: str | None, origin: str | None) -> None:
    assert framed_origin(address) == origin


def test_the_policy_lets_in_the_service_and_nobody_else(
    app_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for service, frames in (("", "frame-src 'self';"), ("http://127.0.0.1:9", "frame-src 'self' http://127.0.0.1:9;")):
        monkeypatch.setenv("TOOLKIT_BASE_URL", service)
        with subprocess.Popen(app_command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
            assert process.stdout is not None
            address = urlsplit(process.stdout.readline().strip())
            with urlopen(address.geturl(), timeout=120) as answer:
                policy = answer.headers["content-security-policy"]
            process.terminate()
        assert frames in policy
        assert policy.count("http://") == (2 if service else 0)
