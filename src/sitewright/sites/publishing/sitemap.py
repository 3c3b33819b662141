"""The sitemap of a snapshot, created at publish.

Its URLs must be absolute, and the primary domain can change without a publish. So each begins with a placeholder, which
the edge server replaces with the site's current URL.
"""

from collections.abc import Iterable
from urllib.parse import quote
from xml.sax.saxutils import escape

SITEMAP = ":sitemap"
CONTENT_TYPE = "application/xml; charset=utf-8"
HOME = "{home}"
"""The placeholder; it cannot occur in paths, which are percent-encoded."""
MAX_URLS = 50_000  # limit of the sitemap protocol


def sitemap(pages: Iterable[tuple[str, str]]) -> bytes:
    """Build the sitemap from paths and dates of last change."""
    urls = [_url_element(path, changed) for path, changed in pages][:MAX_URLS]
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(urls)}</urlset>\n'
    )
    return text.encode()


def _url_element(path: str, changed: str) -> str:
    return f"<url><loc>{HOME}/{escape(quote(path, safe='/~'))}</loc><lastmod>{escape(changed)}</lastmod></url>\n"
