"""The endpoints of a site's content."""

from sitewright.kit.http import Endpoint
from sitewright.sites.content.changes.routes import endpoints as change_endpoints
from sitewright.sites.content.page_sets.routes import endpoints as page_set_endpoints
from sitewright.sites.content.pages.routes import endpoints as page_endpoints
from sitewright.sites.content.redirects.routes import endpoints as redirect_endpoints
from sitewright.sites.content.sections.routes import endpoints as section_endpoints
from sitewright.sites.content.values.routes import endpoints as value_endpoints
from sitewright.sites.content.widget_types.routes import endpoints as widget_type_endpoints
from sitewright.sites.content.widgets.routes import endpoints as widget_endpoints

endpoints: list[Endpoint] = [
    *page_endpoints,
    *widget_endpoints,
    *value_endpoints,
    *redirect_endpoints,
    *change_endpoints,
    *widget_type_endpoints,
    *section_endpoints,
    *page_set_endpoints,
]
