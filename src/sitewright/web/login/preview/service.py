"""Shows the log-in page as it would be with other settings of the brand. It cannot be used: no form is sent."""

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH
from sitewright.kit.http.page import SAME_ORIGIN_REFERRER
from sitewright.kit.http.responses import Response
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login.messages import CATALOG
from sitewright.web.login.views import TEMPLATES

FRAMED = {"x-frame-options": "SAMEORIGIN", "cache-control": "no-store"}


def log_in_preview(brand: BrandSettings, logo: str | None) -> Response:
    """For a frame of another page of the service. `logo`: a data URL that replaces the brand's."""
    return TEMPLATES.page(
        "log_in.html",
        picture_sources="'self' data:",
        frame_ancestors="'self'",
        headers=FRAMED | SAME_ORIGIN_REFERRER,
        brand=brand,
        logo=logo,
        messages=CATALOG.messages_for(None, brand.language_codes, ""),
        r=None,
        username="",
        alert=None,
        without_scripts=True,
        max_password_length=MAX_PASSWORD_LENGTH,
    )
