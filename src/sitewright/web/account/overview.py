"""View model of the overview: a card for each site, with its state and the next step."""

from collections.abc import Sequence

import msgspec

from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.service import Site
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.account.picker import Selection
from sitewright.web.account.site_labels import SiteLabel, editor_address
from sitewright.web.account.support import Contact


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The next step for a site: a link, or a form with one button where it changes something."""

    label: str
    """Its text key."""
    href: str
    is_form: bool = False
    hidden: dict[str, int] = {}
    sign: str = "arrow-right"


class SiteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A site with what the overview needs besides its own row."""

    site: Site
    business: str | None
    has_page: bool
    has_own_domain: bool
    """Whether a domain of the account holder's own leads to it, not only a name below the brand's domain."""


class SiteCard(msgspec.Struct, frozen=True, kw_only=True):
    label: SiteLabel
    thumbnail: str
    """The address of the home page for a frame."""
    editor: str
    """The address of its editor."""
    step: Step | None


def cards_of(
    facts: Sequence[SiteFacts], brand: BrandSettings, contact: Contact | None, messages: Messages
) -> list[SiteCard]:
    return [_card(each, SiteLabel.of(each.site, messages, each.business), brand, contact) for each in facts]


def _card(facts: SiteFacts, label: SiteLabel, brand: BrandSettings, contact: Contact | None) -> SiteCard:
    return SiteCard(
        label=label,
        thumbnail=f"{label.page}/home",
        editor=editor_address(brand, label.ref),
        step=_next_step(facts, label, contact),
    )


def _next_step(facts: SiteFacts, label: SiteLabel, contact: Contact | None) -> Step | None:
    site = facts.site
    if label.state in ("disabled", "suspended", "deleted"):
        return None if contact is None else Step(label="ask_provider", href=contact.href, sign="mail")
    if site.template_ref is None:
        return Step(label="choose_template", href=Selection(site_ref=site.ref).address, sign="layout")
    if label.state == "never_published":
        return Step(label="publish", href=f"{label.page}/publish", is_form=True, sign="upload")
    if label.state == "offline":
        return Step(label="bring_online", href=f"{label.page}/live", is_form=True, hidden={"live": 1}, sign="upload")
    if not facts.has_own_domain:
        return Step(label="connect_domain", href=connect_address(site.ref), sign="globe")
    return None if label.url is None else Step(label="visit", href=label.url)


def connect_address(site_ref: int) -> str:
    """The form that connects a domain, with this site selected."""
    return f"/account/domains?siteRef={site_ref}#connect"
