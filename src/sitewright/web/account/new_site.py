"""The form that creates a site: its name, template and address."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import Ref, Text, parse
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import DomainReserved, DomainTaken
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.schemas import Form

MAX_NAME, MAX_DOMAIN = 200, 255
ADDRESS_FIELDS = ("subdomain", "domain")


class NewSiteForm(Form, frozen=True, rename="camel", kw_only=True):
    """A site to create. Without an address it gets a free one below the brand's domain."""

    name: Annotated[str, Text(0, MAX_NAME), about("The name of the business.", "Ann's Coffee")] = ""
    template_ref: Annotated[Ref | None, about("Its template; without one the brand's default.", 1)] = None
    subdomain: Annotated[str, Text(0, MAX_DOMAIN), about("A name below the brand's domain.", "anns-coffee")] = ""
    domain: Annotated[str, Text(0, MAX_DOMAIN), about("A domain of one's own.", "www.example.com")] = ""


async def create_site(request: PageRequest, sent: Mapping[str, Any]) -> int:
    """Create the site with its name; returns its ref. Raises `Invalid`, `DomainTaken` or `DomainReserved`."""
    form = parse(NewSiteForm, {name: value for name, value in sent.items() if value != "" or name == "name"})
    new = sites.NewSite(
        account_holder_ref=request.holder.user_ref,
        brand_ref=request.brand.brand_ref,
        domain=form.domain.strip() or None,
        subdomain=form.subdomain.strip().lower() or None,
        template_ref=form.template_ref,
        create_demo_domain=True,
    )
    errors = await sites.check_new_site(request.tx, request.caller, request.brand, msgspec.structs.asdict(new))
    if errors:
        raise Invalid.fields(errors)
    settings = request.resources.settings
    created = await sites.create_site(request.tx, settings, request.caller, request.brand, new)
    if created.profile_ref is not None and form.name.strip():
        fields = {"business": form.name.strip()}
        await profiles.write_fields(request.tx, request.resources, request.caller, created.profile_ref, fields)
    return created.ref


def errors_by_field(problem: Problem, typed: Mapping[str, str], messages: Messages) -> dict[str, str]:
    """What is wrong, at the field where it is wrong, in the account holder's language."""
    if isinstance(problem, DomainTaken | DomainReserved):
        field = "domain" if typed.get("domain") else "subdomain"
        return {field: messages(f"why_{problem.code}")}
    if all(typed.get(field) for field in ADDRESS_FIELDS):
        return {"domain": messages("only_one_address")}
    return {field: messages(f"invalid_{_known(field)}") for field in problem.errors}


def _known(field: str) -> str:
    return field if field in (*ADDRESS_FIELDS, "name") else "choice"


class TemplateChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A template in the form."""

    ref: int
    name: str
    thumbnail: str
    is_chosen: bool
