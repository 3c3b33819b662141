from functools import partial

from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import Window, set_links
from sitewright.sites.content import usage
from sitewright.sites.content.access import change_site, check_site
from sitewright.sites.content.errors import SiteFull, WidgetNameTaken, WidgetNotFound
from sitewright.sites.content.schemas import WidgetList, WidgetResponse
from sitewright.sites.content.widgets import service
from sitewright.sites.content.widgets.requests import NewWidget, WidgetChanges, WidgetFilter
from sitewright.sites.sites.errors import SiteNotFound

WIDGETS = "/sites/{site_ref:int}/widgets"
WIDGET = WIDGETS + "/{widget_ref:int}"


@endpoint("GET", WIDGETS, query=WidgetFilter, list_field="widgets", errors=(SiteNotFound,))
async def list_widgets(call: Call, site_ref: int) -> WidgetList:
    """The widgets of a site or of one of its pages, oldest first."""
    await check_site(call.tx, call.caller, site_ref)
    query = await call.checked_query(WidgetFilter, partial(service.check_page_ref, call.tx, site_ref))
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    widgets, shown = await service.list_widgets(call.tx, site_ref, query.page_ref, window)
    set_links(call, window, shown)
    return WidgetList(widgets)


@endpoint("GET", WIDGET, errors=(SiteNotFound, WidgetNotFound))
async def get_widget(call: Call, site_ref: int, widget_ref: int) -> WidgetResponse:
    """One widget of a site."""
    await check_site(call.tx, call.caller, site_ref)
    return WidgetResponse(await service.get_widget(call.tx, site_ref, widget_ref))


@endpoint("POST", WIDGETS, body=NewWidget, errors=(SiteNotFound, WidgetNameTaken, SiteFull))
async def create_widget(call: Call, site_ref: int) -> WidgetResponse:
    """Create a widget on a page. Visitors see it after the next publish."""
    await change_site(call.tx, call.caller, site_ref)
    new = await call.checked_body(NewWidget, partial(service.check_widget, call.tx, site_ref, None))
    await usage.check_widget_count(call.tx, call.resources.settings, site_ref)
    widget = await service.create_widget(call.tx, call.caller, site_ref, new)
    await usage.check_bytes(call, site_ref)
    return WidgetResponse(widget)


@endpoint("PUT", WIDGET, body=WidgetChanges, errors=(SiteNotFound, WidgetNotFound, WidgetNameTaken, SiteFull))
async def edit_widget(call: Call, site_ref: int, widget_ref: int) -> WidgetResponse:
    """Change or move a widget; omitted fields and values are kept.

    `pageRef: 0` leaves it on its page. `libraryItemRef`, which some clients send, is ignored: there are no library
    items.
    """
    await change_site(call.tx, call.caller, site_ref)
    widget = await service.find_widget(call.tx, site_ref, widget_ref)
    changes = await call.checked_body(WidgetChanges, partial(service.check_widget, call.tx, site_ref, widget))
    changed = await service.edit_widget(call.tx, call.caller, site_ref, widget, changes)
    await usage.check_bytes(call, site_ref)
    return WidgetResponse(changed)


@endpoint("DELETE", WIDGET, status=204, errors=(SiteNotFound, WidgetNotFound))
async def delete_widget(call: Call, site_ref: int, widget_ref: int) -> None:
    """Delete a widget, with the widgets in its columns."""
    await change_site(call.tx, call.caller, site_ref)
    widget = await service.find_widget(call.tx, site_ref, widget_ref)
    await service.delete_widget(call.tx, call.caller, site_ref, widget)


endpoints = [list_widgets, get_widget, create_widget, edit_widget, delete_widget]
