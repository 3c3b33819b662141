from sitewright.kit.http import Call, endpoint
from sitewright.sites.content.languages import language_of
from sitewright.sites.content.schemas import WidgetTypeList
from sitewright.sites.content.widget_types.service import types_in
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint("GET", "/v2/widget-types", errors=(BrandNotFound,))
async def list_widget_types(call: Call) -> WidgetTypeList:
    """The widget types that the service knows, with the values each takes.

    Titles are in the language that `Accept-Language` prefers (en, de, es, fr or pt), else in the brand's first one.
    """
    return WidgetTypeList(types_in(await language_of(call)))


endpoints = [list_widget_types]
