"""The address that waits for the end of a consent flow, and the pretend person who walks through its pages."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from urllib.parse import parse_qs

import pytest

from tests.api.conftest import reply
from toolkit.api.listener import Listener
from toolkit.api.robot import read_forms, walk_through
from toolkit.errors import ConnectionFailedError, InvalidResponseError


def opened(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=120) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as problem:
        with problem:
            return problem.code, ""


def test_a_consent_that_came_back_is_heard():
    with Listener() as listener:
        assert listener.wait(0) is None
        status, page = opened(f"{listener.redirect_uri}?session_id=s1&consent_id=c1")
        outcome = listener.wait(120)
    assert (status, outcome.session_id, outcome.consent_id, outcome.error) == (200, "s1", "c1", None)
    assert "Connected" in page


def test_a_flow_that_was_ended_is_heard_with_its_code():
    with Listener() as listener:
        _, page = opened(f"{listener.cancel_uri}?error=CONSENT_ENDUSER_DENIED&error_description=%3Cb%3Eno")
        outcome = listener.wait(120)
        opened(listener.cancel_uri)
        assert listener.wait(120).error == "LINK_USER_CANCELLED"
    assert outcome.error == "CONSENT_ENDUSER_DENIED"
    assert outcome.meaning
    assert "<b>" not in page


def test_other_addresses_states_and_hosts_are_not_heard():
    with Listener() as listener:
        base, state = listener.redirect_uri.rsplit("/", 1)
        query = "?session_id=s&consent_id=c"
        for url, host in [
            (base + "/" + "x" * len(state) + query, None),
            (base + "/" + query, None),
            (base.removesuffix("/connected") + "/" + query, None),
            (listener.redirect_uri, None),
            (listener.redirect_uri + query, "evil.example"),
        ]:
            assert opened(url, host)[0] == 404
        assert listener.wait(0) is None


@pytest.mark.parametrize("target", ["http://[/x", "//[", "http://[::1", "*", "/\xff"])
def test_an_address_that_is_none_is_answered_quietly(target, capfd):
    with Listener() as listener:
        port = int(listener.redirect_uri.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=120) as sent:
            sent.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode("latin-1"))
            assert sent.recv(100).split()[1] == b"404"
        assert listener.wait(0) is None
    assert capfd.readouterr() == ("", "")


PAGE = """<form method=post action="/two"><input name=a value=1><input type=hidden name=h value="&lt;2&gt;">
<input type=checkbox name=c value=x checked><input type=checkbox name=c value=y><input type=radio name=r value=n>
<select name=s><option value=p>P<option value=q selected>Q</select><textarea name=t>
text</textarea><input disabled name=d value=1><input name=cancel type=submit value=No>
<button name=go value=yes>Go</button></form>"""


def test_a_form_is_filled_as_a_browser_would():
    (form,) = read_forms(PAGE)
    action, sent = form.filled({"a": "7"}, None)
    assert (form.method, action) == ("POST", "/two")
    assert sent == [("a", "7"), ("h", "<2>"), ("c", "x"), ("s", "q"), ("t", "text"), ("go", "yes")]
    assert form.filled({}, "cancel")[1][-1] == ("cancel", "No")
    assert form.filled({}, "missing") is None


def walk(service, end):
    """Two pages, then a redirect to `end`."""
    got = []

    def answer(asked):
        got.append((asked.method, asked.path, parse_qs(asked.body.decode())))
        if asked.path == "/start":
            return reply(PAGE.encode())
        if asked.path == "/two":
            return reply(
                b"<form method=post><button>On</button></form>" if len(got) == 2 else b"",
                200 if len(got) == 2 else 303,
                location=end,
            )
        return reply(b"")

    service.answer = answer
    return got


def test_the_pretend_person_walks_to_the_redirect_and_opens_it(service):
    with Listener() as listener:
        got = walk(service, f"{listener.redirect_uri}?session_id=s&consent_id=c")
        assert walk_through(f"{service.url}/start", answers={"a": "7"}).startswith(listener.redirect_uri)
        assert listener.wait(120).consent_id == "c"
    assert got[1][:2] == ("POST", "/two")
    assert got[1][2]["a"] == ["7"]


def test_nothing_off_this_machine_is_opened(service):
    walk(service, "https://evil.example/?consent_id=c")
    assert walk_through(f"{service.url}/start") == "https://evil.example/?consent_id=c"


def test_pages_that_lead_nowhere_end(service):
    service.answer = lambda _: reply(b"<p>no form</p>", 410)
    with pytest.raises(InvalidResponseError) as refused:
        walk_through(f"{service.url}/start?session=secret")
    assert (refused.value.name, refused.value.status) == ("no_form", 410)
    assert "secret" not in str(refused.value)
    service.answer = lambda _: reply(b"<form method=post action=//evil.example/><button>x</button></form>")
    with pytest.raises(InvalidResponseError) as refused:
        walk_through(f"{service.url}/start")
    assert refused.value.name == "other_address"
    service.answer = lambda _: reply(b"<form method=post><button>x</button></form>")
    with pytest.raises(InvalidResponseError) as refused:
        walk_through(f"{service.url}/start")
    assert refused.value.name == "endless_pages"
    with pytest.raises(ConnectionFailedError):
        walk_through("http://127.0.0.1:9/start")
