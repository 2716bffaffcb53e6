"""The consent API behind mutual TLS: which certificates it accepts, and for which tokens."""

from __future__ import annotations

import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trustme

from tests.sandbox.stranger import TODAY
from toolkit.sandbox.serve import Running, running

ASKED = {"scopes": ["openid", "bank:accounts.basic:read"], "customer_id": "c-1"}
REFUSED = (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError)
"""Under TLS 1.3 a client hears of its refused certificate only when it reads."""


@pytest.fixture(scope="module")
def secure() -> Iterator[Running]:
    with running(today=TODAY, years=1, tls=True) as sandbox:
        yield sandbox


def shown(sandbox: Running, certificate: str | None = None, key: str | None = None) -> httpx.Client:
    """A caller that trusts the sandbox's authority and shows this certificate, or none."""
    context = ssl.create_default_context(cafile=sandbox.ca)
    if certificate:
        context.load_cert_chain(certificate, key)
    return httpx.Client(base_url=sandbox.base_url, verify=context, trust_env=False)


def own(sandbox: Running) -> httpx.Client:
    return shown(sandbox, sandbox.client_cert, sandbox.client_key)


def bearer(http: httpx.Client, sandbox: Running) -> dict[str, str]:
    body = {"client_id": sandbox.client_id, "client_secret": sandbox.client_secret}
    return {"authorization": f"Bearer {http.post('/v1/token', json=body).json()['token']}"}


def test_the_consent_api_wants_a_token_bound_to_the_certificate(secure: Running) -> None:
    with own(secure) as mine, shown(secure) as bare:
        bound, loose = bearer(mine, secure), bearer(bare, secure)
        assert mine.post("/consents", json=ASKED, headers=bound).status_code == 200
        for http, headers in ((bare, bound), (mine, loose), (bare, loose), (mine, {})):
            refused = http.post("/consents", json=ASKED, headers=headers)
            assert (refused.status_code, set(refused.json())) == (401, {"code", "message"})
        assert bare.get("/end-users", headers=loose).status_code == 200


def test_another_clients_certificate_does_not_carry_the_token(secure: Running) -> None:
    with own(secure) as mine, shown(secure, secure.other_client_cert, secure.other_client_key) as other:
        bound = bearer(mine, secure)
        assert other.post("/consents", json=ASKED, headers=bound).status_code == 401
        assert other.get("/end-users", headers=bound).status_code == 401


def test_an_expired_certificate_is_refused(secure: Running) -> None:
    with shown(secure, secure.expired_client_cert, secure.expired_client_key) as http, pytest.raises(REFUSED):
        http.get("/end-users")


def test_a_foreign_authoritys_certificate_is_refused(secure: Running, tmp_path: Path) -> None:
    leaf = trustme.CA().issue_cert("client.sandbox.example")
    certificate, key = tmp_path / "foreign.pem", tmp_path / "foreign.key"
    leaf.cert_chain_pems[0].write_to_path(certificate)
    leaf.private_key_pem.write_to_path(key)
    with shown(secure, str(certificate), str(key)) as http, pytest.raises(REFUSED):
        http.get("/end-users")


def of_version(sandbox: Running, version: ssl.TLSVersion) -> httpx.Client:
    """A caller that speaks this version of TLS alone, however weak its ciphers."""
    context = ssl.create_default_context(cafile=sandbox.ca)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that it is old is the point
        context.minimum_version = context.maximum_version = version
    return httpx.Client(base_url=sandbox.base_url, verify=context, trust_env=False)


def test_tls_below_1_2_is_refused(secure: Running) -> None:
    with of_version(secure, ssl.TLSVersion.TLSv1_2) as http:
        assert http.get("/v1/nothing").status_code == 404
    with of_version(secure, ssl.TLSVersion.TLSv1_1) as http, pytest.raises(REFUSED):
        http.get("/v1/nothing")


def test_plain_http_finds_nobody(secure: Running) -> None:
    with httpx.Client(trust_env=False) as http, pytest.raises(REFUSED):
        http.get(secure.base_url.replace("https:", "http:"))


def test_an_unknown_authority_is_not_trusted(secure: Running) -> None:
    with httpx.Client(trust_env=False) as http, pytest.raises(httpx.ConnectError):
        http.get(secure.base_url)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"redirect_uri": "http://127.0.0.1:1/elsewhere"}, "invalid_redirect_uri"),
        ({"scopes": []}, "invalid_scope"),
        ({"sharing_duration": 367 * 86_400}, "invalid_request"),
    ],
)
def test_requests_that_cannot_be_met_create_nothing(secure: Running, wrong: dict[str, object], code: str) -> None:
    with own(secure) as mine:
        refused = mine.post("/consents", json={**ASKED, **wrong}, headers=bearer(mine, secure))
        assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_a_request_that_ran_out_is_refused_and_expired(secure: Running) -> None:
    with own(secure) as mine:
        asked = mine.post("/consents", json=ASKED, headers=bearer(mine, secure)).json()
        mine.post(secure.control_url or "", json={"advance_seconds": asked["expires_in"] + 1})
        late = mine.get(asked["authorization_url"], follow_redirects=True)
        assert late.status_code == 410
        record = mine.get(f"/consents/{asked['consent_id']}", headers=bearer(mine, secure)).json()
        assert (record["status"], record["granted_at"]) == ("expired", None)
