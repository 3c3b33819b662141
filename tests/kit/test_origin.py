"""The origin of a request: forwarding headers count only from trusted proxies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitewright.kit.origin import Origin, Proxies

PROXY, INNER_PROXY, CLIENT, UNTRUSTED = "10.0.0.1", "10.0.0.2", "203.0.113.9", "198.51.100.7"
NO_PROXIES = Proxies([])
OURS = Proxies(["10.0.0.0/8", "192.168.7.7", "fd00::/8"])
FORWARDING = {
    "x-forwarded-for": CLIENT,
    "x-forwarded-proto": "https",
    "x-forwarded-host": "api.example.com",
    "forwarded": f"for={CLIENT};proto=https;host=api.example.com",
}
ANY_PROXYS = [*FORWARDING, "x-forwarded", "x-forwarded-port", "x-forwarded-server", "x-forwarded-ssl", "x-real-ip",
              "via", "cf-connecting-ip", "cf-ray", "true-client-ip", "x-client-ip", "x-cluster-client-ip",
              "fastly-client-ip",
              "x-original-forwarded-for", "x-original-host", "x-envoy-external-address", "x-amzn-trace-id"]  # fmt: skip


def behind(forwarded_for: str, peer: str = PROXY) -> str:
    """The client's address of a request from `peer` with this X-Forwarded-For."""
    return OURS.origin(peer, "http", {"x-forwarded-for": forwarded_for}).address


# --- Who is believed ---------------------------------------------------------------------------------------------


def test_a_plain_request_comes_from_its_peer() -> None:
    origin = OURS.origin(UNTRUSTED, "http", {"host": "sites.example.com"})

    assert origin == Origin(UNTRUSTED, "http", "sites.example.com", is_secure=False)


@pytest.mark.parametrize("peer", [UNTRUSTED, "11.0.0.1", "192.168.7.8", "9.255.255.255", "fe00::1", "2001:db8::1"])
def test_forwarding_headers_of_an_untrusted_client_are_ignored(peer: str) -> None:
    origin = OURS.origin(peer, "http", {"host": "sites.example.com", **FORWARDING})

    assert origin == Origin(peer, "http", "sites.example.com", is_secure=False)


@pytest.mark.parametrize("peer", [PROXY, "127.0.0.1", "::1"])
def test_forwarding_headers_are_ignored_without_trusted_proxies(peer: str) -> None:
    origin = NO_PROXIES.origin(peer, "http", {"host": "sites.example.com", **FORWARDING})

    assert origin == Origin(peer, "http", "sites.example.com", is_secure=False)


@pytest.mark.parametrize("peer", [PROXY, "10.255.255.255", "192.168.7.7", "fd00::1", "fdff:ffff::1"])
def test_forwarding_headers_of_a_trusted_proxy_are_used(peer: str) -> None:
    origin = OURS.origin(peer, "http", {"host": "backend:8080", **FORWARDING})

    assert origin == Origin(CLIENT, "https", "api.example.com", is_secure=True, is_forwarded=True)


def test_a_trusted_proxy_without_forwarding_headers_is_the_client() -> None:
    origin = OURS.origin(PROXY, "http", {"host": "backend"})

    assert origin == Origin(PROXY, "http", "backend", is_secure=False, is_forwarded=True)


@pytest.mark.parametrize("hop", ["203.0.113.9:4711", "[2001:db8::9]:4711", "[2001:db8::9]", "::ffff:203.0.113.9"])
def test_the_port_of_a_forwarded_address_is_removed(hop: str) -> None:
    """Else all clients of such a proxy would share its own rate limits."""
    assert OURS.origin(PROXY, "http", {"x-forwarded-for": f"198.51.100.1, {hop}"}).address in (
        "203.0.113.9",
        "2001:db8::9",
    )


def test_the_host_is_taken_from_the_request_when_the_proxy_names_none() -> None:
    assert OURS.origin(PROXY, "http", {"host": "api.example.com", "x-forwarded-for": CLIENT}).host == "api.example.com"


def test_a_request_without_a_host_has_an_empty_one() -> None:
    assert NO_PROXIES.origin(UNTRUSTED, "http", {}).host == ""


@pytest.mark.parametrize("peer", ["0.0.0.0", "", "testclient", "not an address", "fd00::1%eth0", "10.0.0.1:80"])  # noqa: S104
def test_a_peer_without_a_plain_address_is_never_a_trusted_proxy(peer: str) -> None:
    assert OURS.origin(peer, "http", FORWARDING) == Origin(peer.partition("%")[0], "http", "", is_secure=False)


def test_the_zone_of_a_link_local_address_is_removed() -> None:
    assert NO_PROXIES.origin("fe80::1%eth0", "http", {}).address == "fe80::1"


# --- The client behind the proxies -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forwarded_for", "client"),
    [
        (CLIENT, CLIENT),
        (f"  {CLIENT}  ", CLIENT),
        (f"{UNTRUSTED}, {CLIENT}", CLIENT),
        (f"{UNTRUSTED},{CLIENT}", CLIENT),
        (f"10.9.9.9, {CLIENT}", CLIENT),
        (f"garbage, {CLIENT}", CLIENT),
    ],
)
def test_the_rightmost_untrusted_address_counts(forwarded_for: str, client: str) -> None:
    assert behind(forwarded_for) == client


@pytest.mark.parametrize(
    "forwarded_for",
    [
        f"{CLIENT}, {INNER_PROXY}",
        f"{CLIENT}, 192.168.7.7, {INNER_PROXY}",
        f"{CLIENT}, fd00::5, {INNER_PROXY}",
        f"{UNTRUSTED}, {CLIENT}, {INNER_PROXY}",
        f"{INNER_PROXY}, {CLIENT}, {INNER_PROXY}",
    ],
)
def test_trusted_proxies_in_a_chain_are_skipped(forwarded_for: str) -> None:
    assert behind(forwarded_for) == CLIENT


def test_a_chain_of_only_trusted_proxies_begins_with_the_client() -> None:
    assert behind(f"10.1.1.1, {INNER_PROXY}") == "10.1.1.1"


NO_ADDRESSES = ["", " ", ",", ", ,", "unknown", "_hidden", "<script>", "\0", "4294967295", "for=1.2.3.4"]
NO_IPV4 = ["1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4:56:78", "1.2.3.4/8", "١.٢.٣.٤"]
NO_IPV6 = ["[2001:db8::1", "[2001:db8::1]x", "1.2.3.4:port", "2001:db8::g", "fe80::1%eth0", "::1::", ":"]


@pytest.mark.parametrize("garbage", [*NO_ADDRESSES, *NO_IPV4, *NO_IPV6])
def test_a_malformed_address_ends_the_chain(garbage: str) -> None:
    assert behind(garbage) == PROXY
    assert behind(f"{CLIENT}, {garbage}") == PROXY
    assert behind(f"{garbage}, {INNER_PROXY}") == INNER_PROXY


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="0123456789abcf:.,% ", max_size=60) | st.text(max_size=30))
def test_a_client_cannot_forge_its_address(written: str) -> None:
    assert behind(f"{written}, {CLIENT}, {INNER_PROXY}") == CLIENT


@settings(max_examples=100, deadline=None)
@given(
    peer=st.ip_addresses().map(str) | st.text(max_size=10),
    scheme=st.sampled_from(["http", "https"]),
    headers=st.dictionaries(st.sampled_from([*FORWARDING, "host"]), st.text(max_size=20)),
)
def test_arbitrary_headers_raise_no_error(peer: str, scheme: str, headers: dict[str, str]) -> None:
    for proxies in (NO_PROXIES, OURS, Proxies(["0.0.0.0/0", "::/0"])):
        origin = proxies.origin(peer, scheme, headers)
        assert origin.is_secure or origin.scheme == "http"


# --- HTTPS -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", [UNTRUSTED, "127.0.0.1", "2001:db8::1", PROXY])
def test_a_connection_that_is_https_itself_is_secure(peer: str) -> None:
    origin = OURS.origin(peer, "https", {})

    assert (origin.scheme, origin.is_secure) == ("https", True)


def test_an_untrusted_client_over_https_is_secure_whatever_its_headers() -> None:
    assert NO_PROXIES.origin(UNTRUSTED, "https", {"x-forwarded-proto": "http"}).is_secure


@pytest.mark.parametrize("proto", ["https", "HTTPS", "Https", " https "])
def test_https_in_front_of_a_trusted_proxy_is_secure(proto: str) -> None:
    origin = OURS.origin(PROXY, "http", {"x-forwarded-proto": proto})

    assert (origin.scheme, origin.is_secure) == ("https", True)


@pytest.mark.parametrize("proto", ["http", "", "wss", "httpss", "https, http", "http https", "ftp"])
def test_anything_else_in_front_of_a_trusted_proxy_is_not_secure(proto: str) -> None:
    origin = OURS.origin(PROXY, "http", {"x-forwarded-proto": proto})

    assert (origin.scheme, origin.is_secure) == ("http", False)


def test_http_in_front_of_a_trusted_proxy_is_not_secure_though_the_proxy_speaks_https_to_us() -> None:
    assert not OURS.origin(PROXY, "https", {"x-forwarded-proto": "http"}).is_secure


def test_https_claimed_by_an_untrusted_client_is_not_secure() -> None:
    origin = OURS.origin(UNTRUSTED, "http", {"x-forwarded-proto": "https"})

    assert (origin.scheme, origin.is_secure) == ("http", False)


@pytest.mark.parametrize("proxies", [NO_PROXIES, OURS])
@pytest.mark.parametrize("peer", ["127.0.0.1", "127.255.255.254", "::1"])
def test_a_loopback_client_without_a_proxy_is_secure(proxies: Proxies, peer: str) -> None:
    origin = proxies.origin(peer, "http", {"host": "localhost:8080"})

    assert (origin.scheme, origin.is_secure) == ("http", True)


@pytest.mark.parametrize("header", ANY_PROXYS)
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("value", ["", "https", "127.0.0.1"])
def test_a_loopback_client_with_any_header_of_a_proxy_is_neither_secure_nor_local(
    header: str, peer: str, value: str
) -> None:
    origin = NO_PROXIES.origin(peer, "http", {"host": "localhost:8080", header: value})

    assert (origin.is_secure, origin.is_local) == (False, False)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.9.9.9", "[::1]", "[::1]:8080",
                                  "api.localhost:8080"])  # fmt: skip
def test_a_loopback_client_that_requests_a_loopback_host_is_local(host: str) -> None:
    assert NO_PROXIES.origin("127.0.0.1", "http", {"host": host}).is_local


@pytest.mark.parametrize("host", ["", "service.example.com", "localhost.example.com", "127.0.0.1.example.com", "[::1",
                                  "[::2]", "10.0.0.1", "::1", "[127.0.0.1]x", "localhost" * 1000])  # fmt: skip
def test_a_loopback_client_that_requests_another_host_is_not_local(host: str) -> None:
    """It may be a proxy that says nothing of the client, or a browser led here by a foreign name (DNS rebinding)."""
    origin = NO_PROXIES.origin("127.0.0.1", "http", {"host": host} if host else {})

    assert (origin.is_secure, origin.is_local) == (False, False)


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-forwarded-host", "forwarded"])
def test_a_trusted_proxy_on_loopback_that_does_not_say_https_is_not_secure(header: str) -> None:
    assert not Proxies(["127.0.0.1"]).origin("127.0.0.1", "http", {header: CLIENT}).is_secure


def test_a_trusted_proxy_on_loopback_that_says_https_is_secure() -> None:
    origin = Proxies(["127.0.0.1"]).origin("127.0.0.1", "http", {"x-forwarded-proto": "https"})

    assert (origin.scheme, origin.is_secure) == ("https", True)


@pytest.mark.parametrize(
    ("trusted", "peer"), [("127.0.0.1", "127.0.0.1"), ("127.0.0.0/8", "127.0.0.1"), ("::1", "::1")]
)
def test_a_trusted_proxy_on_loopback_that_forwards_nothing_is_not_local(trusted: str, peer: str) -> None:
    """Otherwise a proxy without forwarding headers would make all clients local."""
    origin = Proxies([trusted]).origin(peer, "http", {"host": "localhost:8080"})

    assert (origin.is_secure, origin.is_local) == (False, False)


@pytest.mark.parametrize(
    "peer",
    [UNTRUSTED, PROXY, "0.0.0.0", "::", "128.0.0.1", "2001:db8::1", "fe80::1", "", "localhost", "::1%lo"],  # noqa: S104
)
def test_other_clients_are_not_secure_over_http(peer: str) -> None:
    assert not NO_PROXIES.origin(peer, "http", {}).is_secure


# --- IPv6 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forwarded_for", "client"),
    [
        ("2001:db8::9", "2001:db8::9"),
        ("2001:db8::9, fd00::2", "2001:db8::9"),
        (f"2001:db8::9, {INNER_PROXY}, fd00::2", "2001:db8::9"),
        (f"{CLIENT}, fd00::2", CLIENT),
    ],
)
def test_chains_may_hold_addresses_of_both_families(forwarded_for: str, client: str) -> None:
    assert behind(forwarded_for, peer="fd00::1") == client


def test_a_trusted_address_counts_in_every_spelling() -> None:
    proxies = Proxies(["2001:db8::1"])

    assert proxies.origin("2001:DB8:0:0::1", "http", {"x-forwarded-for": CLIENT}).address == CLIENT


def test_an_ipv4_proxy_that_reaches_an_ipv6_listener_is_trusted() -> None:
    assert OURS.origin(f"::ffff:{PROXY}", "http", FORWARDING).address == CLIENT


def test_an_ipv4_loopback_client_that_reaches_an_ipv6_listener_is_secure() -> None:
    assert NO_PROXIES.origin("::ffff:127.0.0.1", "http", {"host": "127.0.0.1"}).is_secure


def test_an_untrusted_ipv4_client_of_an_ipv6_listener_stays_untrusted() -> None:
    assert not OURS.origin(f"::ffff:{UNTRUSTED}", "http", FORWARDING).is_secure
