from sitewright.brands import service as brands
from sitewright.brands.errors import BrandNotFound
from sitewright.content.schemas import WidgetTypeList
from sitewright.content.widget_types.service import TYPES
from sitewright.kit.http import Call, endpoint


@endpoint("GET", "/v2/widget-types", errors=(BrandNotFound,))
async def list_widget_types(call: Call) -> WidgetTypeList:
    """The widget types that the service knows, with the values each takes."""
    await brands.require_brand(call.tx)
    return WidgetTypeList(TYPES)


endpoints = [list_widget_types]
