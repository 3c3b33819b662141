from sitewright.kit.http import Call, endpoint
from sitewright.sites.content.languages import language_of
from sitewright.sites.content.sections.schemas import SectionList
from sitewright.sites.content.sections.service import sections_in
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint("GET", "/sections", errors=(BrandNotFound,))
async def list_sections(call: Call) -> SectionList:
    """The ready-made sections: arrangements of widgets that the change `addSection` adds to a page.

    Texts are in the language that `Accept-Language` prefers (en, de, es, fr or pt), else in the brand's first one.
    """
    return SectionList(sections_in(await language_of(call)))


endpoints = [list_sections]
