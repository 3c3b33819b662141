"""Links that callers send: syntax, allowed hosts, and added parameters."""

import pytest

from sitewright.kit.links import MAX_LINK, check_link, with_parameter


@pytest.mark.parametrize(
    ("sent", "used"),
    [
        ("https://shop.example/login", "https://shop.example/login"),
        ("HTTP://Shop.Example.:8080?a=1#b", "http://Shop.Example.:8080?a=1#b"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://shop.example/größe?a=%41&b=<i>", "https://shop.example/gr%C3%B6%C3%9Fe?a=%41&b=%3Ci%3E"),
        ("https://shop.example/" + "x" * (MAX_LINK - 21), "https://shop.example/" + "x" * (MAX_LINK - 21)),
    ],
)
def test_absolute_http_and_https_links_are_accepted(sent: str, used: str) -> None:
    assert check_link(sent) == used


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "shop.example/login",
        "//shop.example/login",
        "/login",
        "ftp://shop.example",
        "javascript:alert(1)",
        "https:shop.example",
        "https:///login",
        "https://",
        "https://ann@shop.example",
        "https://ann:secret@shop.example",
        "https://shop.example\\@elsewhere.example",
        "https://shop.example\n/login",
        " https://shop.example",
        "https://shop.example/a b",
        "https://shop.example/\x7f",
        "https://shop.example/\u2028",
        "https://shop%2eexample/",
        "https://ｓhop.example/",
        "http\u017f://shop.example/",
        "https://\u212aiosk.example/",
        "https://\u017fhop.example/",
        "https://shop..example/",
        "https://" + "x" * 64 + ".example/",
        "https://shop.example:65536/",
        "https://shop.example:/",
        "https://[::1]shop.example/",
        "https://[::g]/",
        "https://[1:2]/",
        "https://shop.example/" + "x" * (MAX_LINK - 20),
    ],
)
def test_anything_else_is_rejected(sent: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        check_link(sent)


@pytest.mark.parametrize("sent", ["https://shop.example/", "http://SHOP.example:8080", "https://shop.example.?x"])
def test_a_link_to_an_allowed_host_is_accepted(sent: str) -> None:
    assert check_link(sent, ["other.example", "shop.example"]) == sent


@pytest.mark.parametrize(
    "sent",
    [
        "https://elsewhere.example/",
        "https://shop.example.elsewhere.example/",
        "https://www.shop.example/",
        "https://elsewhere.example/?https://shop.example",
        "https://elsewhere.example#@shop.example/",
    ],
)
def test_a_link_to_another_host_is_rejected(sent: str) -> None:
    with pytest.raises(ValueError, match=r"a host that this brand allows: shop\.example"):
        check_link(sent, ["shop.example"])


@pytest.mark.parametrize(
    ("url", "longer"),
    [
        ("https://a.example", "https://a.example?h=1-x"),
        ("https://a.example/l?", "https://a.example/l?h=1-x"),
        ("https://a.example/l?a=b", "https://a.example/l?a=b&h=1-x"),
        ("https://a.example/l?a=b&", "https://a.example/l?a=b&h=1-x"),
        ("https://a.example/l#top?x", "https://a.example/l?h=1-x#top?x"),
    ],
)
def test_a_parameter_is_appended_to_the_query(url: str, longer: str) -> None:
    assert with_parameter(url, "h", "1-x") == longer


def test_a_parameters_value_is_encoded() -> None:
    assert with_parameter("https://a.example", "h", "a&b=c#d") == "https://a.example?h=a%26b%3Dc%23d"
