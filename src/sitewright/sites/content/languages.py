"""The language in which a caller of the API reads titles and gets ready-made texts."""

from sitewright.kit.http import Call
from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.sites.content.widget_types.service import LANGUAGES
from sitewright.tenants.brands import service as brands


async def language_of(call: Call) -> str:
    """Negotiate the language: the one that `Accept-Language` prefers, else the brand's first one."""
    settings = await brands.settings_of_brand(call.tx)
    wanted = call.request.headers.get("accept-language", "")
    return COMMON_CATALOG.messages_for(None, [*settings.language_codes, *LANGUAGES], wanted).language
