from sitewright.kit.http import Call, endpoint
from sitewright.sites.content.schemas import WidgetTypeList
from sitewright.sites.content.widget_types.service import TYPES
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint("GET", "/v2/widget-types", errors=(BrandNotFound,))
async def list_widget_types(call: Call) -> WidgetTypeList:
    """The widget types that the service knows, with the values each takes."""
    await brands.require_brand(call.tx)
    return WidgetTypeList(TYPES)


endpoints = [list_widget_types]
