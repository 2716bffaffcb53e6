"""Own authority, client certificate, nothing below TLS 1.2."""

from __future__ import annotations

import json
import ssl
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import trustme

from tests.api.conftest import access
from toolkit.api.client import Client
from toolkit.errors import ConnectionFailedError, SettingsError


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def files(authority, tmp_path):
    """PEM files of the authority, a client's certificate and its key, by the names of the settings."""
    own = authority.issue_cert("client.example")
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    authority.cert_pem.write_to_path(paths["ca"])
    own.cert_chain_pems[0].write_to_path(paths["cert"])
    own.private_key_pem.write_to_path(paths["key"])
    return paths


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        body = json.dumps({"token": "t", "end_users": [{"id": self.connection.version()}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815  http.server's names

    def log_message(self, *_):
        pass


class Quiet(HTTPServer):
    def handle_error(self, request, client_address):
        pass


@pytest.fixture
def serve(authority):
    running = []

    def start(configure=lambda _: None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
        authority.configure_trust(context)
        configure(context)
        server = Quiet(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((server, thread))
        return f"https://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_own_authority_is_trusted(serve, files):
    with Client(access(serve(), TOOLKIT_CA=str(files["ca"]))) as client:
        assert client.end_users().records[0].id in ("TLSv1.2", "TLSv1.3")


def test_an_unknown_authority_is_told_with_what_to_set(serve):
    with Client(access(serve())) as client, pytest.raises(ConnectionFailedError, match="TOOLKIT_CA"):
        client.end_users()


def test_the_client_certificate_is_shown(serve, files):
    def demand(context):
        context.verify_mode = ssl.CERT_REQUIRED

    named = {"TOOLKIT_CA": str(files["ca"])}
    own = {"TOOLKIT_CLIENT_CERT": str(files["cert"]), "TOOLKIT_CLIENT_KEY": str(files["key"])}
    url = serve(demand)
    with Client(access(url, **named, **own)) as client:
        assert len(client.end_users().records) == 1
    from toolkit.api.transport import RetryPolicy

    with (
        Client(access(url, **named), retry_policy=RetryPolicy(tries=1)) as client,
        pytest.raises(ConnectionFailedError, match="TOOLKIT_CLIENT_CERT"),
    ):
        client.end_users()


def test_files_that_are_no_pem_are_told(tmp_path):
    (tmp_path / "ca.pem").write_text("not a certificate")
    with pytest.raises(SettingsError, match="TOOLKIT_CA"):
        Client(access("https://127.0.0.1:1", TOOLKIT_CA=str(tmp_path / "ca.pem")))
    with pytest.raises(SettingsError, match=r"TOOLKIT_CA .*missing\.pem"):
        Client(access("https://127.0.0.1:1", TOOLKIT_CA=str(tmp_path / "missing.pem")))
