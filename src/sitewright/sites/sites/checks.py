"""Validation of the fields of a site beyond their types."""

from typing import Any

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UserNotFound
from sitewright.catalogue.templates import service as templates
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.sites.sites import template_rules
from sitewright.sites.sites.domains import demo_names
from sitewright.sites.sites.domains import service as domains
from sitewright.sites.sites.store import Site
from sitewright.tenants.brands.schemas import BrandSettings

ONE_OF_BOTH = "send domain, or subdomain, and not both"
NO_NAME = "send domain, subdomain or createDemoDomain: 1"
UNKNOWN_HOLDER: FieldErrors = {"accountHolderRef": {"invalidAccountHolderRef": "is not an account holder of yours"}}


async def check_new_site(tx: Transaction, caller: Caller, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """Validate a new site; `read` has the well-typed fields by attribute."""
    errors, holder_ref = _check_names(brand, read), None
    if "account_holder_ref" in read:
        try:
            holder_ref = (await users.find_user(tx, caller, read["account_holder_ref"])).ref
        except UserNotFound:
            errors |= UNKNOWN_HOLDER
    errors |= await _check_template(tx, read, holder_ref)
    return errors or await _check_offered(tx, caller, read, holder_ref)


def _check_names(brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """Validate the names; with `createDemoDomain` an empty domain or subdomain counts as omitted."""
    wants_demo, domain, subdomain = read.get("create_demo_domain"), read.get("domain"), read.get("subdomain")
    if wants_demo:
        domain, subdomain = domain or None, subdomain or None
    if domain is not None and subdomain is not None:
        return {"subdomain": {domains.CODE: ONE_OF_BOTH}}
    if domain is not None:
        return domains.check_name("domain", domain)
    if subdomain is None:
        return _check_demo_domain(brand) if wants_demo else {"domain": {domains.CODE: NO_NAME}}
    if brand.domain is None:
        return {"subdomain": {domains.CODE: "your brand has no domain to put it before; send domain"}}
    if not subdomain:
        return {"subdomain": {domains.CODE: "must hold at least 1 character"}}
    return domains.check_name("subdomain", below(brand.domain, subdomain))


def _check_demo_domain(brand: BrandSettings) -> FieldErrors:
    problem = demo_names.problem_with(brand)
    return {"createDemoDomain": {"invalidCreateDemoDomain": problem}} if problem else {}


def below(brand_domain: str, subdomain: str) -> str:
    return f"{subdomain}.{brand_domain}"


async def check_changes(tx: Transaction, site: Site, read: dict[str, Any]) -> FieldErrors:
    errors = await _check_template(tx, read, site.user_ref)
    domain_ref = read.get("primary_url_ref")
    if domain_ref is not None and not await domains.has_domain(tx, site.ref, domain_ref):
        errors["primaryUrlRef"] = {"invalidPrimaryUrlRef": "is not a domain of this site"}
    return errors


async def _check_offered(tx: Transaction, caller: Caller, read: dict[str, Any], holder_ref: int | None) -> FieldErrors:
    """An account holder chooses from what the package offers; callers of the API are not restricted."""
    template_ref = read.get("template_ref")
    if template_ref is None or holder_ref is None or not caller.is_account_holder:
        return {}
    if await template_rules.may_choose_template(tx, holder_ref, template_ref):
        return {}
    return {"templateRef": {"invalidTemplateRef": "is not a template of the package"}}


async def _check_template(tx: Transaction, read: dict[str, Any], holder_ref: int | None) -> FieldErrors:
    template_ref = read.get("template_ref")
    if template_ref is None or await templates.is_choosable(tx, template_ref, holder_ref):
        return {}
    return {"templateRef": {"invalidTemplateRef": "is not a template that this account holder may have"}}
