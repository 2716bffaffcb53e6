"""From page to page, and never to anywhere else."""

from __future__ import annotations

import pytest

from tests.api.conftest import SECRET, TOKEN, reply
from toolkit.api.transport import PaginationError, cursor_of

URL = "https://api.example.com/v1/banking/accounts"

HOSTILE = [
    "https://evil.example/v1/banking/accounts?page[after]=c",
    "http://api.example.com/v1/banking/accounts?page[after]=c",
    "https://api.example.com:8443/v1/banking/accounts?page[after]=c",
    "https://api.example.com.evil.example/v1/banking/accounts?page[after]=c",
    "https://api.example.com@evil.example/v1/banking/accounts?page[after]=c",
    "https://user:pass@api.example.com/v1/banking/accounts?page[after]=c",
    "//evil.example/v1/banking/accounts?page[after]=c",
    "///evil.example/v1/banking/accounts?page[after]=c",
    "\\\\evil.example\\v1\\banking\\accounts?page[after]=c",
    "https:\\\\evil.example/v1/banking/accounts?page[after]=c",
    "https://api.example.com\\@evil.example/v1/banking/accounts?page[after]=c",
    "https://evil.example\\.api.example.com/v1/banking/accounts?page[after]=c",
    "https://api.example.com#@evil.example/v1/banking/accounts?page[after]=c",
    "https://api.example.com%2eevil.example/v1/banking/accounts?page[after]=c",
    "https://api.example.com\t.evil.example/v1/banking/accounts?page[after]=c",
    "https://api.example.com\n.evil.example/v1/banking/accounts?page[after]=c",
    " https://evil.example/v1/banking/accounts?page[after]=c",
    "https://аpi.example.com/v1/banking/accounts?page[after]=c",  # Cyrillic а
    "https://api。example。com/v1/banking/accounts?page[after]=c",  # ideographic full stops
    "https://[::1]/v1/banking/accounts?page[after]=c",
    "https://[api.example.com/v1/banking/accounts?page[after]=c",
    "https://api.example.com:99999/v1/banking/accounts?page[after]=c",
    "https://api.example.com./v1/banking/accounts?page[after]=c",
    "https://2130706433/v1/banking/accounts?page[after]=c",
    "https://api.example.com/v1/token?page[after]=c",
    "https://api.example.com/v1/banking/accounts/../transactions?page[after]=c",
    "https://api.example.com/v1/banking/%61ccounts?page[after]=c",
    "https://api.example.com/v1/banking/accounts;x?page[after]=c",
    "/v1/banking/transactions?page[after]=c",
    "../banking/balances?page[after]=c",
    "file:///etc/passwd?page[after]=c",
    "javascript:alert(1)?page[after]=c",
    "data:text/html,x?page[after]=c",
    "https://api.example.com/v1/banking/accounts",
    "https://api.example.com/v1/banking/accounts?page[after]=",
    "https://api.example.com/v1/banking/accounts?page[after]=a&page[after]=b",
    "https://api.example.com/v1/banking/accounts?page[before]=a",
]


@pytest.mark.parametrize("link", HOSTILE)
def test_links_to_elsewhere_or_without_a_cursor_are_refused(link):
    with pytest.raises(PaginationError, match=r"^/v1/banking/accounts: ") as refused:
        cursor_of(URL, link)
    assert refused.value.name in ("other_address", "no_cursor")


@pytest.mark.parametrize(
    "link",
    [
        "https://api.example.com/v1/banking/accounts?end_user_id=eu_1&page[after]=a%2Fb%3D",
        "https://API.example.com:443/v1/banking/accounts?page%5Bafter%5D=a%2Fb%3D&page%5Bsize%5D=10",
        "/v1/banking/accounts?page[after]=a%2Fb%3D",
        "?page[after]=a%2Fb%3D",
        "//api.example.com/v1/banking/accounts?page[after]=a%2Fb%3D",
    ],
)
def test_absolute_and_relative_links_give_their_cursor(link):
    assert cursor_of(URL, link) == "a/b="


def pages(service, links):
    """A list whose page n has one account and the n-th link; {url} is the list's own address."""

    def answer(asked):
        number = int(asked.value("page[after]") or 0)
        link = links[number].format(url=service.url + asked.path) if number < len(links) else None
        return reply({"accounts": [{"account_id": f"a{number}"}], "links": {"next": link} if link else {}})

    service.answer = answer


def collected(found):
    """Accounts of the pages given out, and the name of the fault that ended them."""
    accounts = []
    try:
        for page in found:
            accounts += [record.account_id for record in page.records]
    except PaginationError as problem:
        return accounts, problem.name
    return accounts, ""


def test_pages_follow_each_other_to_the_end(service, client):
    pages(service, ["{url}?page%5Bafter%5D=1", "/v1/banking/accounts?page[after]=2"])
    found = list(client.pages("banking.accounts", end_user_id="eu_1", page_size=10))
    assert [page.records[0].account_id for page in found] == ["a0", "a1", "a2"]
    last = service.asked[-1]
    assert last.query == [("end_user_id", "eu_1"), ("page[size]", "10"), ("page[after]", "2")]


def test_a_walk_goes_on_from_the_page_at_a_cursor(service, client):
    pages(service, ["{url}?page[after]=1", "{url}?page[after]=2", "{url}?page[after]=3"])
    found = list(client.pages("banking.accounts", end_user_id="eu_1"))
    assert [page.cursor for page in found] == [None, "1", "2", "3"]
    service.asked.clear()
    again = list(client.pages("banking.accounts", end_user_id="eu_1", start=found[2].cursor))
    assert [page.records[0].account_id for page in again] == ["a2", "a3"]
    assert service.count("/v1/banking/accounts") == 2


def test_a_circle_back_to_where_a_walk_went_on_ends_it(service, client):
    pages(service, ["{url}?page[after]=1", "{url}?page[after]=2", "{url}?page[after]=1"])
    got, fault = collected(client.pages("banking.accounts", end_user_id="eu_1", start="1"))
    assert (got, fault) == (["a1", "a2"], "repeated_page")


@pytest.mark.parametrize("links", [["{url}?page[after]=0"] * 3, ["{url}?page[after]=1", "{url}?page[after]=0"] * 3])
def test_a_circle_ends_with_the_pages_so_far(service, client, links):
    pages(service, links)
    got, fault = collected(client.pages("banking.accounts", end_user_id="eu_1"))
    assert fault == "repeated_page"
    assert 1 <= len(got) <= 3
    assert service.count("/v1/banking/accounts") <= 4


def test_pages_before_a_hostile_link_are_given_out_and_no_token_leaves(service, client):
    pages(service, ["{url}?page[after]=1", "http://localhost:1/v1/banking/accounts?page[after]=2"])
    got, fault = collected(client.pages("banking.accounts", end_user_id="eu_1"))
    assert (got, fault) == (["a0", "a1"], "other_address")


@pytest.mark.parametrize("held", [[], [{"account_id": "a0"}]])
def test_pages_that_bring_nothing_new_go_on_but_not_for_ever(service, client, held):
    def answer(asked):
        number = int(asked.value("page[after]") or 0)
        return reply({"accounts": held, "links": {"next": f"{service.url}{asked.path}?page[after]={number + 1}"}})

    service.answer = answer
    with pytest.raises(PaginationError) as refused:
        list(client.pages("banking.accounts", end_user_id="eu_1"))
    assert refused.value.name == "repeated_page"
    assert service.count("/v1/banking/accounts") < 60


def test_names_of_parameters_are_checked(client):
    with pytest.raises(TypeError, match="colour"):
        client.pages("banking.accounts", end_user_id="eu_1", colour="red")
    with pytest.raises(TypeError, match="end_user_id"):
        client.pages("banking.accounts")


def test_sentinels_differ():
    assert SECRET != TOKEN
