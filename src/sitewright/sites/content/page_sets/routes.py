from sitewright.kit.http import Call, endpoint
from sitewright.sites.content.languages import language_of
from sitewright.sites.content.page_sets.schemas import PageSetList
from sitewright.sites.content.page_sets.service import page_sets_in
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint("GET", "/page-sets", errors=(BrandNotFound,))
async def list_page_sets(call: Call) -> PageSetList:
    """The ready-made sets of first pages, which the change `addPageSet` adds to a site.

    Texts are in the language that `Accept-Language` prefers (en, de, es, fr or pt), else in the brand's first one. The
    pages are added in the language of the site, which is its account holder's.
    """
    return PageSetList(page_sets_in(await language_of(call)))


endpoints = [list_page_sets]
