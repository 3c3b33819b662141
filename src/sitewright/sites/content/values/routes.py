from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.versions import Since
from sitewright.sites.content import usage
from sitewright.sites.content.access import change_site, check_site
from sitewright.sites.content.errors import GlobalValueExists, GlobalValueNotFound, SiteFull, StaticValueNotFound
from sitewright.sites.content.schemas import GlobalValueList, GlobalValueResponse, StaticValueList
from sitewright.sites.content.values import service
from sitewright.sites.content.values.requests import ChangedGlobalValue, NewGlobalValue, StaticValueChanges
from sitewright.sites.sites.errors import SiteNotFound

GLOBAL_VALUES = "/sites/{site_ref:int}/global-values"
GLOBAL_VALUE = GLOBAL_VALUES + "/{name:str}"
GLOBAL_VALUES_SINCE = (Since(release=45),)
STATIC_VALUES = "/sites/{site_ref:int}/static-values"
STATIC_WIDGET = STATIC_VALUES + "/{static_widget_id:str}"


@endpoint(
    "GET", GLOBAL_VALUES, query=ListQuery, list_field="global_values", since=GLOBAL_VALUES_SINCE, errors=(SiteNotFound,)
)
async def list_global_values(call: Call, site_ref: int) -> GlobalValueList:
    """The global values of a site."""
    await check_site(call.tx, call.caller, site_ref)
    window = call.query(ListQuery).window
    values, shown = await service.list_global_values(call.tx, site_ref, window)
    set_links(call, window, shown)
    return GlobalValueList(values)


@endpoint(
    "POST",
    GLOBAL_VALUES,
    status=201,
    body=NewGlobalValue,
    since=GLOBAL_VALUES_SINCE,
    errors=(SiteNotFound, GlobalValueExists, SiteFull),
)
async def create_global_value(call: Call, site_ref: int) -> GlobalValueResponse:
    """Create a global value. It takes effect for visitors with the next publish."""
    await change_site(call.tx, call.caller, site_ref)
    new = call.body(NewGlobalValue)
    value = await service.create_global_value(call.tx, call.caller, site_ref, new)
    await usage.check_bytes(call, site_ref)
    return GlobalValueResponse(value)


@endpoint(
    "PUT",
    GLOBAL_VALUE,
    body=ChangedGlobalValue,
    since=GLOBAL_VALUES_SINCE,
    errors=(SiteNotFound, GlobalValueNotFound, SiteFull),
)
async def edit_global_value(call: Call, site_ref: int, name: str) -> GlobalValueResponse:
    """Change a global value. A missing one is 404, or created where the brand's `upsertGlobalValues` is on."""
    await change_site(call.tx, call.caller, site_ref)
    ref = await service.find_global_value_to_set(call.tx, site_ref, name)
    new = NewGlobalValue(name, call.body(ChangedGlobalValue).value)
    value = await service.set_global_value(call.tx, call.caller, site_ref, ref, new)
    await usage.check_bytes(call, site_ref)
    return GlobalValueResponse(value)


@endpoint("DELETE", GLOBAL_VALUE, status=204, errors=(SiteNotFound, GlobalValueNotFound))
async def delete_global_value(call: Call, site_ref: int, name: str) -> None:
    """Delete a global value."""
    await change_site(call.tx, call.caller, site_ref)
    ref = await service.find_global_value(call.tx, site_ref, name)
    await service.delete_global_value(call.tx, call.caller, site_ref, ref)


@endpoint("GET", STATIC_VALUES, query=ListQuery, list_field="static_values", errors=(SiteNotFound,))
async def list_static_values(call: Call, site_ref: int) -> StaticValueList:
    """The static values of a site."""
    return await _static_values(call, site_ref, None)


@endpoint("GET", STATIC_WIDGET, query=ListQuery, list_field="static_values", errors=(SiteNotFound, StaticValueNotFound))
async def get_static_values(call: Call, site_ref: int, static_widget_id: str) -> StaticValueList:
    """The static values of one static widget."""
    return await _static_values(call, site_ref, static_widget_id)


async def _static_values(call: Call, site_ref: int, static_widget_id: str | None) -> StaticValueList:
    await check_site(call.tx, call.caller, site_ref)
    window = call.query(ListQuery).window
    values, shown = await service.list_static_values(call.tx, site_ref, static_widget_id, window)
    set_links(call, window, shown)
    return StaticValueList(values)


@endpoint("PUT", STATIC_WIDGET, body=StaticValueChanges, errors=(SiteNotFound, StaticValueNotFound, SiteFull))
async def set_static_values(call: Call, site_ref: int, static_widget_id: str) -> StaticValueList:
    """Set static values of one static widget, creating missing ones. The response has all values of the widget."""
    await change_site(call.tx, call.caller, site_ref)
    service.check_static_widget_id(static_widget_id)
    changes = call.body(StaticValueChanges)
    values = await service.set_static_values(call.tx, call.caller, site_ref, static_widget_id, changes)
    await usage.check_bytes(call, site_ref)
    return StaticValueList(values)


endpoints = [
    list_global_values,
    create_global_value,
    edit_global_value,
    delete_global_value,
    list_static_values,
    get_static_values,
    set_static_values,
]
