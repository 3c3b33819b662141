from sitewright.catalogue.templates import service
from sitewright.catalogue.templates.errors import InvalidTemplateGroupRefs
from sitewright.catalogue.templates.schemas import TemplateCategories, TemplateFilter, Templates
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint(
    "GET",
    "/v2/templates",
    query=TemplateFilter,
    list_field="templates",
    errors=(BrandNotFound, InvalidTemplateGroupRefs),
)
async def list_templates(call: Call) -> Templates:
    """The templates a brand may use, filtered."""
    wanted = call.query(TemplateFilter)
    templates, page = await service.list_templates(call.tx, wanted, call.caller.reseller_ref)
    set_links(call, wanted.window, page)
    return with_vendor_names(Templates(templates), call.resources.settings)


@endpoint("GET", "/v2/templates/categories", query=ListQuery, list_field="categories", errors=(BrandNotFound,))
async def list_categories(call: Call) -> TemplateCategories:
    """The categories of templates."""
    window = call.query(ListQuery).window
    categories, page = await service.list_categories(call.tx, window)
    set_links(call, window, page)
    return TemplateCategories(categories)


endpoints = [list_templates, list_categories]
