"""Sites created by SQL, for tests about something else."""

from typing import Any

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, insert, make_user


async def make_site(
    owner: OwnerConnection,
    resources: Resources,
    brand_ref: int = OWN_BRAND,
    *,
    user_ref: int | None = None,
    **columns: Any,
) -> int:
    """A site without domains, of `user_ref` or of a new user; `columns` are those of `sites`."""
    now = clock.now()
    if user_ref is None:
        user_ref = await make_user(owner, resources, brand_ref)
    profile = {"brand_ref": brand_ref, "user_ref": user_ref, "updated_at": now}
    row = {
        "brand_ref": brand_ref,
        "user_ref": user_ref,
        "reseller_ref": await owner.fetchval("select reseller_ref from users where ref = $1", user_ref),
        "profile_ref": await insert(owner, "profiles", profile),
        "site_type": "responsive",
        "created_at": now,
        "updated_at": now,
    }
    return await insert(owner, "sites", row | columns)


async def make_page(owner: OwnerConnection, brand_ref: int, site_ref: int, **columns: Any) -> int:
    """An active page at `home`; `columns` are those of `pages`."""
    row: dict[str, Any] = {
        "brand_ref": brand_ref,
        "site_ref": site_ref,
        "type": "page",
        "status": "active",
        "request": "home",
        "title": "Home",
        "display_order": 0,
        "template_type": "default",
    } | columns
    return await insert(owner, "pages", {"request_key": row["request"].lower()} | row)


async def make_widget(owner: OwnerConnection, brand_ref: int, site_ref: int, page_ref: int, **columns: Any) -> int:
    """A widget without values; `columns` are those of `widgets`."""
    row = {
        "brand_ref": brand_ref,
        "site_ref": site_ref,
        "page_ref": page_ref,
        "parent_id": "page-zones__main",
        "collection": "widgets",
        "name": "widget",
        "type": "widget.content",
        "position": 0,
    }
    return await insert(owner, "widgets", row | columns)


async def make_media(owner: OwnerConnection, brand_ref: int, site_ref: int, user_ref: int, **columns: Any) -> int:
    """An uploaded picture whose bytes are stored nowhere."""
    now = clock.now()
    row = {
        "brand_ref": brand_ref, "site_ref": site_ref, "user_ref": user_ref, "name": "", "alt": "",
        "mime_type": "image/png", "width": 1, "height": 1, "frames": 1, "bytes": 1, "digest": "", "compress": True,
        "object_key": "", "created_at": now, "updated_at": now,
    }  # fmt: skip
    return await insert(owner, "media", row | columns)


async def make_domain(owner: OwnerConnection, brand_ref: int, site_ref: int, domain: str, **columns: Any) -> int:
    """A mapped domain, primary if the site has none yet; `columns` are those of `site_domains`."""
    row = {"brand_ref": brand_ref, "site_ref": site_ref, "domain": domain, "created_at": clock.now()}
    ref = await insert(owner, "site_domains", row | columns)
    await owner.execute(
        "update sites set primary_domain_ref = coalesce(primary_domain_ref, $2) where ref = $1", site_ref, ref
    )
    return ref
