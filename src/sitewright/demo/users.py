"""The demo account holder of each brand, with a site and a domain, for logging in and trying requests."""

from typing import Any

from sitewright.accounts.users import service as users
from sitewright.demo.domains import ensure_domain
from sitewright.kit.auth.caller import Caller
from sitewright.kit.resources import Resources
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import DomainTaken
from sitewright.tenants.brands import service as brands

USERNAME = "demo"
SUBDOMAIN = "demo"


async def ensure_user(
    resources: Resources, actor: Caller, brand_ref: int, domain_package_ref: int | None
) -> dict[str, Any]:
    """Ensure the user and return its entry in demo.json.

    A deleted user is replaced and the password is reset to the derived one; other changes made to the user are kept.
    """
    password = resources.sealer.derive(f"demo/user/{brand_ref}")
    async with resources.database.transaction(brand_ref) as tx:
        user_ref = await users.find_by_username(tx, USERNAME)
    if user_ref is None:
        user_ref = await _create(resources, actor, brand_ref, password)
    else:
        await _ensure_password(resources, actor, brand_ref, user_ref, password)
    return {
        "userRef": user_ref,
        "accountDomainRef": await ensure_domain(resources, actor, brand_ref, user_ref, domain_package_ref),
        "siteRef": await _ensure_site(resources, actor, brand_ref, user_ref),
        "username": USERNAME,
        "password": password,
    }


async def _ensure_password(resources: Resources, actor: Caller, brand_ref: int, user_ref: int, password: str) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        known = await users.lock_holder(tx, user_ref)
    if not await resources.passwords.verify(password, None if known is None else known.password_hash):
        password_hash = await resources.passwords.hash(password, brand_ref)
        async with resources.database.transaction(brand_ref) as tx:
            user = await users.find_user(tx, actor, user_ref, lock=True)
            await users.set_password(tx, resources.sealer, actor, user, password_hash, action="change password")


async def _create(resources: Resources, actor: Caller, brand_ref: int, password: str) -> int:
    password_hash = await resources.passwords.hash(password, brand_ref)
    async with resources.database.transaction(brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        new = users.NewUser(
            brand_ref=brand_ref,
            first_name="Demo",
            last_name="Holder",
            username=USERNAME,
            password=password,
            email=f"demo@{brand.domain}",
            language_code=brand.language_codes[0],
        )
        created = await users.create_user(tx, resources.sealer, actor, brand, new, password_hash)
    return created.ref


async def _ensure_site(resources: Resources, actor: Caller, brand_ref: int, user_ref: int) -> int | None:
    """Ensure the user's site on the brand's domain, under another subdomain where the first one is taken."""
    async with resources.database.transaction(brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        own = await sites.list_user_sites(tx, user_ref)
        known = {each.domain: site.ref for site in own for each in await sites.list_domains(tx, site.ref)}
    for subdomain in (SUBDOMAIN, f"{SUBDOMAIN}-{user_ref}"):
        if brand.domain is None or f"{subdomain}.{brand.domain}" in known:
            return known.get(f"{subdomain}.{brand.domain}")
        new = sites.NewSite(account_holder_ref=user_ref, brand_ref=brand_ref, subdomain=subdomain)
        try:
            async with resources.database.transaction(brand_ref) as tx:
                return (await sites.create_site(tx, resources.settings, actor, brand, new)).ref
        except DomainTaken:
            continue
    return None
