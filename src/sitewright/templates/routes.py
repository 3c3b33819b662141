from sitewright.brands.errors import BrandNotFound
from sitewright.kit.http import Call, endpoint
from sitewright.kit.vendors import with_vendor_names
from sitewright.templates import service
from sitewright.templates.errors import InvalidTemplateGroupRefs
from sitewright.templates.schemas import TemplateCategories, TemplateFilter, Templates


@endpoint("GET", "/v2/templates", query=TemplateFilter, errors=(BrandNotFound, InvalidTemplateGroupRefs))
async def list_templates(call: Call) -> Templates:
    """The templates a brand may use, filtered."""
    wanted = call.query(TemplateFilter)
    templates = await service.list_templates(call.tx, wanted, call.caller.reseller_ref)
    return with_vendor_names(Templates(templates), call.resources.settings)


@endpoint("GET", "/v2/templates/categories", errors=(BrandNotFound,))
async def list_categories(call: Call) -> TemplateCategories:
    """The categories of templates."""
    return TemplateCategories(await service.list_categories(call.tx))


endpoints = [list_templates, list_categories]
