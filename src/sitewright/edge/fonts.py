"""Bundled fonts, from the installation's files: the same for every site, and not stored in snapshots."""

from sitewright.edge.request import SiteRequest
from sitewright.edge.response import IMMUTABLE, NO_STORE, Header, Response, not_modified, page_response
from sitewright.kit import site_fonts
from sitewright.kit.http.etags import etag_matches

PREFIX = site_fonts.ADDRESS.encode()
FOR_ANY_ORIGIN: Header = (b"access-control-allow-origin", b"*")
A_DAY: Header = (b"cache-control", b"public, max-age=86400")
PLAIN_TEXT = "text/plain; charset=utf-8"


def respond(request: SiteRequest) -> Response:
    """A file of another release gets the current one of the same font, which browsers keep for a day."""
    request.route = "font"
    name = request.raw_path.removeprefix(PREFIX).decode("ascii", "replace")
    found = site_fonts.find_file(name)
    if found is None:
        return page_response("not-found", 404, b"There is no such font.\n", PLAIN_TEXT, (NO_STORE,))
    caching = IMMUTABLE if found.is_exact else A_DAY
    etag = name.split(".")[1].encode()
    headers = (caching, FOR_ANY_ORIGIN, (b"etag", b'"%s"' % etag))
    response = page_response("page", 200, found.body, site_fonts.MEDIA_TYPE, headers, etag)
    if_none_match = request.headers.get(b"if-none-match")
    is_known = found.is_exact and if_none_match is not None and etag_matches(if_none_match, etag)
    return not_modified(response) if is_known else response
