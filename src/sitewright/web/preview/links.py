"""Links of a previewed page: those to pages of the site lead to their previews."""

import re
from urllib.parse import quote, unquote

from sitewright.sites.media.delivery.service import OWN_HOST_PATH

_LINK = re.compile(rb"""(<a\b[^<>]*?\shref=)("|')/(?![/\\])([^"'?#<>]*)""", re.IGNORECASE)
_NEW_WINDOW = re.compile(rb"""(<(?:a|base)\b[^<>]*?)\starget=(?:"_blank"|'_blank'|_blank\b)""", re.IGNORECASE)
"""A sandboxed page can open no windows: such links would do nothing."""


def with_preview_links(html: bytes, base: str) -> bytes:
    """Replace paths of the site by those below `base`. A path is one segment there, with its slashes encoded."""

    def replace(found: re.Match[bytes]) -> bytes:
        path = found[3].decode("utf-8", "replace")
        if f"/{path}".startswith(OWN_HOST_PATH):  # a picture, not a page
            return found[0]
        segment = quote(unquote(path).strip("/"), safe="")
        address = f"{base}/{segment}" if segment else base
        return found[1] + found[2] + address.encode()

    return _LINK.sub(replace, _NEW_WINDOW.sub(rb"\1", html))
