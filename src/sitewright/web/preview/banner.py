"""The banner of an operator who is logged in as an account holder, in previews of sites.

The content of a site is untrusted, so the banner holds no form and no token there: it leads to the account, where the
operator can end the session.
"""

import re

from markupsafe import Markup

from sitewright.kit.http.messages import Messages
from sitewright.kit.ui.banner import Banner
from sitewright.web.login.service import ACCOUNT

_BODY = re.compile(rb"<body\b[^<>]*>", re.IGNORECASE)
_STYLE = (
    "all: initial; display: block; position: sticky; top: 0; z-index: 2147483647; padding: 12px 16px;"
    " background: #7a4a00; color: #fff; font: 600 14px/1.4 system-ui, sans-serif; text-align: center"
)
_LINK_STYLE = "all: initial; color: #fff; font: inherit; text-decoration: underline; cursor: pointer"


def with_banner(html: bytes, banner: Banner, messages: Messages) -> bytes:
    """Insert the banner at the beginning of the page."""
    facts = {"name": banner.name, "brand": banner.brand, "operator": banner.operator}
    text = messages.html("banner", time=messages.time_of_day(banner.ends_at), **facts)
    element = Markup('<div style="{}">{} <a href="{}" style="{}">{}</a></div>').format(
        _STYLE, text, ACCOUNT, _LINK_STYLE, messages("banner_to_account")
    )
    found = _BODY.search(html)
    at = 0 if found is None else found.end()
    return html[:at] + element.encode() + html[at:]
