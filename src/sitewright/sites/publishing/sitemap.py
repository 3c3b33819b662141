"""The sitemap of a snapshot, made once at publish.

Its addresses must be absolute, and the primary domain may change without a publish. So each begins with a placeholder,
which the edge server replaces with the site's address of the moment.
"""

from collections.abc import Iterable
from urllib.parse import quote
from xml.sax.saxutils import escape

SITEMAP = ":sitemap"
CONTENT_TYPE = "application/xml; charset=utf-8"
HOME = "{home}"
"""The placeholder. Nothing else in a sitemap can look like it: paths are percent-encoded."""
MAX_ADDRESSES = 50_000  # as many as the protocol of sitemaps allows


def sitemap(pages: Iterable[tuple[str, str]]) -> bytes:
    """Of paths and the dates of their last change."""
    addresses = [_address(path, changed) for path, changed in pages][:MAX_ADDRESSES]
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(addresses)}</urlset>\n'
    )
    return text.encode()


def _address(path: str, changed: str) -> str:
    return f"<url><loc>{HOME}/{escape(quote(path, safe='/~'))}</loc><lastmod>{escape(changed)}</lastmod></url>\n"
