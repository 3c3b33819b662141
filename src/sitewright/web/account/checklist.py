"""The first-run checklist: what is left to do until a site is complete. An item disappears when it is done."""

from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.account.overview import SiteFacts, Step, connect_address
from sitewright.web.account.picker import Selection
from sitewright.web.account.site_labels import editor_address, site_address


def checklist_of(facts: SiteFacts, brand: BrandSettings) -> list[Step]:
    """The open items, in the order in which they are best done."""
    site, page = facts.site, site_address(facts.site.ref)
    write = editor_address(brand, site.ref)
    items = [
        (site.template_ref is not None, _item("template", Selection(site_ref=site.ref).address, "layout")),
        (facts.business is not None, _item("name", f"{page}#details", "user")),
        (facts.has_page, _item("page", write, "pencil")),
        (facts.has_own_domain, _item("domain", connect_address(site.ref), "globe")),
        (site.last_publish_at is not None, _item("publish", f"{page}/publish", "upload", is_form=True)),
    ]
    return [step for is_done, step in items if not is_done]


def _item(name: str, href: str, sign: str, *, is_form: bool = False) -> Step:
    return Step(label=f"todo_{name}", href=href, sign=sign, is_form=is_form)
