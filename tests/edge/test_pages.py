"""Pages, redirects, sitemap, headers and caching of a site that is online."""

import gzip
from xml.etree import ElementTree

import pytest

from sitewright.edge.app import SiteListener
from sitewright.sites.publishing.sitemap import sitemap
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of, tag_of


async def test_a_page_on_its_own_host(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/about")
    assert (*kind_of(response), response.text) == (200, "page", FILES["about"])
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/", "", "/?", "/?utm_source=mail"])
async def test_the_home_page(visitor: Visitor, shop: Shop, path: str) -> None:
    assert (await visitor.get(path)).text == FILES[""]


@pytest.mark.parametrize("path", ["/About", "/ABOUT", "/%61bout", "/food/Menu", "/food/%6Denu"])
async def test_paths_are_normalized(visitor: Visitor, shop: Shop, path: str) -> None:
    assert kind_of(await visitor.get(path)) == (200, "page")


async def test_assets_have_their_content_type(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/_site/style.css")
    assert (response.text, response.headers["content-type"]) == (FILES["_site/style.css"], "text/css; charset=utf-8")


async def test_a_missing_page_gets_the_sites_own_404_page(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/no-such-page")
    assert (*kind_of(response), response.text) == (404, "not-found", FILES[":not-found"])


async def test_a_snapshot_without_a_404_page_gets_the_builtin_one(visitor: Visitor, shop: Shop) -> None:
    await shop.publish({"": "only this"}, 2)
    response = await visitor.get("/no-such-page")
    assert kind_of(response) == (404, "not-found")
    assert "There is no such page" in response.text


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/home", "/"),
        ("/Home/", "/"),
        ("/home?a=1&b=%20", "/?a=1&b=%20"),
        ("/about/", "/about"),
        ("/food/MENU/?x=y", "/food/menu?x=y"),
    ],
)
async def test_aliases_of_a_page_redirect_to_it(visitor: Visitor, shop: Shop, path: str, location: str) -> None:
    response = await visitor.get(path)
    assert (response.status_code, response.headers["location"]) == (301, location)


async def test_a_trailing_slash_of_a_missing_page_does_not_redirect(visitor: Visitor, shop: Shop) -> None:
    assert kind_of(await visitor.get("/nothing/")) == (404, "not-found")


@pytest.mark.parametrize("path", ["/", "/about", "/nothing", "/robots.txt", "/sitemap.xml", "/_site/style.css"])
async def test_head_responds_like_get_without_the_body(visitor: Visitor, shop: Shop, path: str) -> None:
    got, asked = await visitor.get(path), await visitor.get(path, method="HEAD")
    assert asked.content == b""
    for response in (got, asked):
        del response.headers["x-request-id"], response.headers["date"]
    assert (asked.status_code, asked.headers) == (got.status_code, got.headers)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_pages_allow_only_get_and_head(visitor: Visitor, shop: Shop, method: str) -> None:
    response = await visitor.get("/about", method=method)
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD")


async def test_the_contact_form_allows_only_post(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/_site/contact")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_robots_txt_allows_everything_and_names_the_sitemap(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/robots.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text == f"User-agent: *\nAllow: /\nSitemap: http://{HOST}/sitemap.xml\n"


async def test_the_sitemap_lists_the_pages_on_the_primary_domain(visitor: Visitor, shop: Shop) -> None:
    await shop.map("other.example")
    response = await visitor.get("/sitemap.xml", host="other.example")
    assert response.headers["content-type"] == "application/xml; charset=utf-8"
    found = [(each[0].text, [more.text for more in each[1:]]) for each in ElementTree.fromstring(response.text)]  # noqa: S314
    assert found == [
        (f"http://{HOST}/", ["2026-01-02"]),
        (f"http://{HOST}/about", []),
        (f"http://{HOST}/food/menu", []),
    ]


async def test_the_sitemap_is_compressed_for_clients_that_accept_it(visitor: Visitor, shop: Shop) -> None:
    plain = await visitor.get("/sitemap.xml", headers={"Accept-Encoding": "identity"})
    gzipped = await visitor.get("/sitemap.xml", headers={"Accept-Encoding": "gzip"})
    assert gzipped.text == plain.text
    assert (plain.headers.get("content-encoding"), gzipped.headers["content-encoding"]) == (None, "gzip")
    assert plain.headers["vary"] == gzipped.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] != gzipped.headers["etag"]
    for known in (plain, gzipped):
        same = await visitor.get("/sitemap.xml", headers={"If-None-Match": known.headers["etag"]})
        assert same.status_code == 304


async def test_urls_in_the_sitemap_are_escaped(visitor: Visitor, shop: Shop) -> None:
    await shop.publish(FILES | {":pages": '[{"path": "a&b<c"}]'}, 2)
    response = await visitor.get("/sitemap.xml")
    assert f"<loc>http://{HOST}/a%26b%3Cc</loc>" in response.text


@pytest.mark.parametrize("host", [HOST, f"{HOST}:8081"])
async def test_a_stored_sitemap_follows_the_current_primary_domain(
    visitor: Visitor, shop: Shop, listener: SiteListener, host: str
) -> None:
    made = sitemap([("", "2026-01-02"), ("a&b<c", "2026-01-03")]).decode()
    await shop.publish(FILES | {":sitemap": made}, 2)
    first, again = [await visitor.get("/sitemap.xml", host=host) for _ in range(2)]
    assert f"<loc>http://{host}/a%26b%3Cc</loc><lastmod>2026-01-03</lastmod>" in first.text
    assert ("{home}" in first.text, again.text, again.headers["etag"]) == (False, first.text, first.headers["etag"])
    same = await visitor.get("/sitemap.xml", host=host, headers={"If-None-Match": first.headers["etag"]})
    assert same.status_code == 304
    await shop.map("new.example", primary=True)
    listener.sites.expire_all()
    changed = await visitor.get("/sitemap.xml", host=host)
    assert f"<loc>http://new.example{host.removeprefix(HOST)}/</loc>" in changed.text
    assert changed.headers["etag"] != first.headers["etag"]


async def test_security_headers_do_not_restrict_the_sites_scripts(visitor: Visitor, shop: Shop) -> None:
    headers = (await visitor.get("/")).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert not {"content-security-policy", "server", "x-powered-by", "x-api-version"} & set(headers)


async def test_every_response_has_a_request_id(visitor: Visitor, shop: Shop) -> None:
    first, second = [(await visitor.get("/")).headers["x-request-id"] for _ in range(2)]
    assert first != second
    given = await visitor.get("/", headers={"X-Request-Id": "mine-1"})
    assert given.headers["x-request-id"] == "mine-1"
    refused = await visitor.get("/", headers={"X-Request-Id": "x" * 65})
    assert refused.headers["x-request-id"] != "x" * 65


# --- Conditional requests, encodings, caching --------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_an_unchanged_page_is_not_modified(visitor: Visitor, shop: Shop, encoding: str) -> None:
    headers = {"Accept-Encoding": encoding}
    first = await visitor.get("/about", headers=headers)
    again = await visitor.get("/about", headers=headers | {"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert again.headers["vary"] == "Accept-Encoding"
    assert again.headers["cache-control"] == "no-cache"
    assert not {"content-length", "content-type", "content-encoding"} & set(again.headers)


TAG = tag_of(FILES["about"])


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        (f'"{TAG}"', 304),
        (f'"{TAG}-gzip"', 304),
        (f'W/"{TAG}"', 304),
        (f'"other", W/"{TAG}-gzip" , "more"', 304),
        ("*", 304),
        ('"other"', 200),
        (f'"{TAG}x"', 200),
        (f'"x{TAG}"', 200),
        ("", 200),
        ('"', 200),
        (",,,", 200),
    ],
)
async def test_if_none_match(visitor: Visitor, shop: Shop, tags: str, status: int) -> None:
    assert (await visitor.get("/about", headers={"If-None-Match": tags})).status_code == status


async def test_a_missing_page_is_never_not_modified(visitor: Visitor, shop: Shop) -> None:
    assert (await visitor.get("/nothing", headers={"If-None-Match": "*"})).status_code == 404


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("GZIP", "gzip"),
        ("*", "gzip"),
        ("br;q=1.0, gzip;q=0.1", "gzip"),
        ("gzip;q=0", None),
        ("gzip; q=0.000", None),
        ("*, gzip;q=0", None),
        ("identity", None),
        ("gzipped", None),
        ("gzip;q=nonsense", None),
        ("", None),
    ],
)
async def test_compression_follows_accept_encoding(
    visitor: Visitor, shop: Shop, accepted: str, encoding: str | None
) -> None:
    response = await visitor.get("/about", headers={"Accept-Encoding": accepted})
    assert (response.headers.get("content-encoding"), response.text) == (encoding, FILES["about"])
    assert response.headers["vary"] == "Accept-Encoding"
    sent = gzip.compress(FILES["about"].encode(), 6, mtime=0) if encoding else FILES["about"].encode()
    assert int(response.headers["content-length"]) == len(sent)


async def test_each_encoding_has_its_own_etag(visitor: Visitor, shop: Shop) -> None:
    tags = [
        (await visitor.get("/", headers={"Accept-Encoding": each})).headers["etag"] for each in ("gzip", "identity")
    ]
    assert tags == [f'"{tag_of(FILES[""])}-gzip"', f'"{tag_of(FILES[""])}"']


@pytest.mark.parametrize(
    ("query", "is_kept"),
    [
        (f"?v={tag_of(FILES['_site/style.css'])[:12]}", True),
        (f"?{tag_of(FILES['_site/style.css'])}", True),
        ("?v=ffffffffffff", False),
        ("?v=", False),
        (f"?v={tag_of(FILES['_site/style.css'])[:3]}", False),
        ("", False),
    ],
)
async def test_an_asset_with_its_digest_in_the_query_is_immutable(
    visitor: Visitor, shop: Shop, query: str, is_kept: bool
) -> None:
    """A URL with the digest of other content must not be cached forever."""
    response = await visitor.get(f"/_site/style.css{query}")
    assert ("immutable" in response.headers["cache-control"]) == is_kept
    assert response.text == FILES["_site/style.css"]


async def test_pages_have_a_content_policy_where_the_package_has_it(visitor: Visitor, shop: Shop) -> None:
    allow = "update packages set capabilities = capabilities || '{\"enableSiteCspHeader\": %d}'"
    await shop.owner.execute(allow % 1)
    for path, has_policy in (("/", True), ("/nothing", True), ("/_site/style.css", False)):
        for _ in range(2):  # the second time by the fast path
            policy = (await visitor.get(path)).headers.get("content-security-policy", "")
            assert ("object-src 'none'" in policy) == has_policy


async def test_pages_have_no_content_policy_by_default(visitor: Visitor, shop: Shop) -> None:
    assert "content-security-policy" not in (await visitor.get("/")).headers
