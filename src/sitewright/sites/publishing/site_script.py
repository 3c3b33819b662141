"""The script of published sites: it enhances galleries, slideshows, videos and maps, which also work without it."""

from functools import lru_cache

from sitewright.sites.publishing.designs import SHARED
from sitewright.sites.publishing.render_input import File, compressed_file

SCRIPT = "_site/site.js"
JAVASCRIPT = "text/javascript; charset=utf-8"


@lru_cache
def script_file() -> File:
    """The file of a snapshot."""
    return compressed_file(SCRIPT, JAVASCRIPT, (SHARED / "site.js").read_bytes())
