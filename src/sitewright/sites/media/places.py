"""Where a site uses a picture, in words; and whether the pictures that its values name exist."""

from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.profiles.hooks import ProfileMedia
from sitewright.kit.db import Transaction
from sitewright.sites.content import service as content
from sitewright.sites.content.hooks import NamedMedia
from sitewright.sites.content.service import media_refs_in
from sitewright.sites.media import store
from sitewright.sites.sites.service import Site


async def find(tx: Transaction, site: Site, media_ref: int) -> list[str]:
    """The content of the site and its profile; what is published already is not searched."""
    found = await content.find_media_uses(tx, site.ref, media_ref)
    fields = await profiles.read_fields(tx, site.profile_ref)
    return found + [f"profile field {name}" for name, value in fields.items() if media_ref in media_refs_in(value)]


async def check_content(tx: Transaction, named: NamedMedia) -> None:
    """Which of the named media do not exist (lifecycle hook); the caller holds the lock on the site's content."""
    named.unknown |= named.refs - await store.existing_refs(tx, named.site_ref, sorted(named.refs))


async def check_profile(tx: Transaction, named: ProfileMedia) -> None:
    """The same for a profile. A profile without a site has no media."""
    refs = {ref for value in named.fields.values() for ref in media_refs_in(value)}
    site_ref = await store.site_of_profile(tx, named.profile_ref)
    known: set[int] = set()
    if site_ref is not None:
        await content.lock(tx, site_ref)
        known = await store.existing_refs(tx, site_ref, sorted(refs))
    named.unknown |= {name for name, value in named.fields.items() if not media_refs_in(value) <= known}
