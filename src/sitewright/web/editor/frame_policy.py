"""What may run in the editor's frame: the editor's own script, and nothing of the site that the frame shows.

The frame has an opaque origin, so even a script that ran there could not reach the session. The nonce is printed before
anything of the site, so that no unclosed tag of a site can take it over.
"""

import re
import secrets

from sitewright.kit.http.page import HTML
from sitewright.kit.http.responses import Response
from sitewright.kit.ui import assets

SCRIPT = "frame.js"
_DOCTYPE = re.compile(rb"\s*<!doctype[^>]*>", re.IGNORECASE)
_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline';"
    " img-src 'self' http: https: data:; font-src 'self' data:; connect-src 'none'; frame-src 'none';"
    " form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)


def frame_page(html: bytes) -> Response:
    """The rendered page of a site with the editor's script, for a frame of the editor's page."""
    nonce = secrets.token_urlsafe(16)
    headers = {"x-frame-options": "SAMEORIGIN", "content-security-policy": _POLICY.format(nonce=nonce)}
    return Response(200, _with_script(html, nonce), headers, f"{HTML}; charset=utf-8")


def _with_script(html: bytes, nonce: str) -> bytes:
    """The script is the first element, whatever the template prints; browsers move it into the head."""
    address = assets.url_of(SCRIPT)
    if address is None:  # the browser code was not built
        return html
    script = f'<script nonce="{nonce}" src="{address}" defer></script>'.encode()
    doctype = _DOCTYPE.match(html)
    if doctype is None:
        return b"<!doctype html>" + script + html
    return html[: doctype.end()] + script + html[doctype.end() :]
