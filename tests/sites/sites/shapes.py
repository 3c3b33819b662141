"""The field types of sites (parts 2.2 and 2.3 of the specification), and requests that create and edit sites."""

from typing import Any

import httpx

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import NONE, TEXT_OR_NULL
from tests.support.cast import OWN_BRAND
from tests.support.database import Rows, rows_of
from tests.support.responses import object_in
from tests.support.users import OwnerConnection, make_user

NULL = (NONE,)
EDITED: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("ref", "brandRef", "version", "profileRef", "databaseRead", "databaseWrite"), (int,))
    | dict.fromkeys(("reverseParentRef", "contentMapSite", "privateWidgets", "mobileSiteRef", "revertType"), NULL)
    | {"responsiveSiteRef": NULL, "template": (int, NONE), "primaryDomain": (dict, NONE), "lastPublish": (dict, NONE)}
    | dict.fromkeys(("enabled", "mobile", "redirectToPrimary", "isReversible", "ready"), (bool,))
    | dict.fromkeys(("siteType", "databaseSchema", "databaseReadUser", "databaseWriteUser", "primaryUrl"), (str,))
    | {"activationStatus": TEXT_OR_NULL, "domains": (dict,)}
)
GOT = EDITED | {"live": (bool,), "previouslyPublished": (int,), "accountHolderRef": (int,)}
CREATED = GOT | {"domains": (list,), "version": (str,)}
OF_USER = GOT | {
    "templateWidgetVersion": (int,),
    "cookieWarning": (bool,),
    "cookieWarningUrl": NULL,
    "templateSelected": (bool,),
    "siteLockDomainRef": NULL,
    "pages": (str,),
    "owned": (bool,),
    "profile": (dict,),
    "isOnLatestSqlRevision": (bool,),
}
LISTED: dict[str, tuple[type, ...]] = {
    "ref": (int,),
    "databaseSchema": (str,),
    "domains": (dict,),
    "mobileSiteRef": NULL,
}
WRITTEN = ("sites", "site_domains", "former_site_domains", "profiles", "audit_entries", "pages", "event_inbox", "mails")


async def create_site(
    client: httpx.AsyncClient, user_ref: int, domain: str | None = None, **more: Any
) -> dict[str, Any]:
    body: dict[str, Any] = {"brandRef": OWN_BRAND, "accountHolderRef": user_ref}
    response = await client.post("/sites", json=body | ({} if domain is None else {"domain": domain}) | more)
    return object_in(response, "site", 201)


async def ref_of_new_site(client: httpx.AsyncClient, user_ref: int, domain: str, **more: Any) -> int:
    ref: int = (await create_site(client, user_ref, domain, **more))["ref"]
    return ref


async def get_site(client: httpx.AsyncClient, ref: int, **query: Any) -> dict[str, Any]:
    return object_in(await client.get(f"/sites/{ref}", params=query), "site")


async def edit_site(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.put(f"/sites/{ref}", json=changes), "site")


async def map_domain(client: httpx.AsyncClient, ref: int, domain: str) -> int:
    response = await client.post(f"/sites/{ref}/domains", json={"domain": domain})
    domain_ref: int = object_in(response, "domainToSiteMap", 201)["ref"]
    return domain_ref


def names_of(site: dict[str, Any]) -> list[str]:
    return [*site["domains"].values()]


async def mark_published(owner: OwnerConnection, *refs: int, live: bool = False) -> None:
    """Set the columns of published sites by SQL, in this order, without publishing them."""
    for ref in refs:
        await owner.execute(
            "update sites set version_ref = 1, last_version_ref = 1, live = $2, last_publish_at = $3 where ref = $1",
            ref,
            live,
            clock.now(),
        )


async def live_refs(owner: OwnerConnection) -> list[int]:
    return [row["ref"] for row in await owner.fetch("select ref from sites where live order by ref")]


async def reseller_user(owner: OwnerConnection, resources: Resources, reseller_ref: int) -> int:
    """An account holder of a reseller of the own brand."""
    name = f"of reseller {reseller_ref}"
    return await make_user(owner, resources, username=name, reseller_ref=reseller_ref)


async def all_rows(owner: OwnerConnection) -> Rows:
    """Every row of the tables that endpoints of sites may write, to compare before and after."""
    return await rows_of(owner, WRITTEN)
