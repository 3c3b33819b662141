"""The form of a site's settings: its main address, what its other addresses do, and the protocol."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from sitewright.accounts.account_packages import service as account_packages
from sitewright.kit.http.about import about
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import Ref, parse
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import NotInPackage
from sitewright.sites.sites.service import Site, SiteChanges
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.schemas import Form

SECURITY = "securityManagePage"


class SettingsForm(Form, frozen=True, rename="camel", kw_only=True):
    """Settings of a site. Omitted fields keep their values."""

    primary_url_ref: Annotated[Ref, about("The domain, of this site, that is its main address.", 1)] | UnsetType = UNSET
    redirect_to_primary: Annotated[bool, about("1: the other addresses lead to the main one.", True)] | UnsetType = (
        UNSET
    )
    protocol: Annotated[Literal["http", "https"], about("https needs a certificate.", "https")] | UnsetType = UNSET


async def save_settings(request: PageRequest, site: Site, sent: dict[str, Any]) -> None:
    """Apply the changes to a locked site, by the rules of the sites' service."""
    form = parse(SettingsForm, sent)
    if form.protocol not in (UNSET, site.protocol):
        await _check_security(request, site)
    changes = SiteChanges(
        primary_url_ref=form.primary_url_ref, redirect_to_primary=form.redirect_to_primary, protocol=form.protocol
    )
    read = {} if form.primary_url_ref is UNSET else {"primary_url_ref": form.primary_url_ref}
    errors = await sites.check_changes(request.tx, site, read)
    if errors:
        raise Invalid.fields(errors)
    await sites.edit_site(request.tx, request.caller, site, changes)


async def may_manage_security(request: PageRequest, site: Site) -> bool:
    """Whether the package lets the account holder choose the protocol."""
    return bool((await account_packages.capabilities_of(request.tx, site.user_ref))[SECURITY])


async def _check_security(request: PageRequest, site: Site) -> None:
    if not await may_manage_security(request, site):
        raise NotInPackage(SECURITY)
