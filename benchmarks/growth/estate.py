"""What the users of a growing brand have: every hundredth a published site with pages and pictures, which was
provisioned by the converging call; and ten events for each user."""

import gzip

import asyncpg
import msgspec

from benchmarks.population import Population

USERS_OF_A_SITE = 100
PAGES = 5
PICTURES = 5
EVENTS_OF_A_USER = 10
RARE_EVENTS = 5000
"""Every five-thousandth event is of another kind."""
HOME = gzip.compress(b"<!doctype html><title>Home</title>" + b"<p>Fresh bread every day.</p>" * 200, 6, mtime=0)


class Estate(msgspec.Struct, frozen=True):
    population: Population

    @property
    def sites(self) -> range:
        """The refs of its sites, which are those of their users."""
        return self.population.refs[::USERS_OF_A_SITE]

    async def fill(self, owner: "asyncpg.Connection[asyncpg.Record]") -> None:
        brand_ref, refs = self.population.brand_ref, list(self.sites)
        async with owner.transaction():
            for statement in STATEMENTS:
                await owner.execute(statement, brand_ref, refs)
            await owner.execute(FILES, brand_ref, refs, HOME)
            for statement in AT_REST:
                await owner.execute(statement, brand_ref)
            await owner.execute(EVENTS, brand_ref, self.population.users * EVENTS_OF_A_USER)
        await owner.execute(f"vacuum analyze {', '.join(TABLES)}")


def host_of(site_ref: int) -> str:
    return f"site-{site_ref}.growth.example"


TABLES = (
    "profiles", "sites", "site_domains", "site_versions", "site_files", "pages", "media", "media_variants",
    "media_objects", "provisioned_accounts", "events",
)  # fmt: skip
EACH = "from unnest($2::bigint[]) ref"
STATEMENTS = (
    f"insert into profiles (brand_ref, ref, user_ref, updated_at) select $1, ref, ref, now() {EACH}",
    f"""
    insert into sites (brand_ref, ref, user_ref, profile_ref, primary_domain_ref, template_ref, site_type, live,
                       version_ref, last_version_ref, last_publish_at, created_at, updated_at)
    select $1, ref, ref, ref, ref, 1, 'responsive', true, 1, 1, now(), now(), now() {EACH}
    """,
    f"""
    insert into site_domains (brand_ref, ref, site_ref, domain, created_at)
    select $1, ref, ref, 'site-' || ref || '.growth.example', now() {EACH}
    """,
    f"insert into site_versions (brand_ref, site_ref, version_ref, published_at) select $1, ref, 1, now() {EACH}",
    f"""
    insert into pages (brand_ref, ref, site_ref, type, status, request, request_key, title, display_order,
                       template_type)
    select $1, ref * 10 + n, ref, 'page', 'active', 'page-' || n, 'page-' || n, 'Page ' || n, n, 'page'
      {EACH}, generate_series(1, {PAGES}) n
    """,
    f"""
    insert into media (brand_ref, ref, site_ref, user_ref, name, alt, mime_type, width, height, frames, bytes, digest,
                       compress, object_key, created_at, updated_at, stage)
    select $1, ref * 10 + n, ref, ref, 'p' || n || '.jpg', 'A picture', 'image/jpeg', 1600, 900, 1, 250000,
           md5(ref || '-' || n), true, ref || '/' || n, now(), now(), 2 {EACH}, generate_series(1, {PICTURES}) n
    """,
    f"""
    insert into media_variants (brand_ref, media_ref, name, site_ref, format, width, height, animated, bytes,
                                object_key, created_at)
    select $1, ref * 10 + n, md5(ref || '-' || n) || '-' || width || '.webp', ref, 'webp', width, width * 9 / 16, false,
           width * 50, ref || '/' || n || '/' || width, now()
      {EACH}, generate_series(1, {PICTURES}) n, unnest('{{320, 640, 960, 1280, 1600}}'::integer[]) width
    """,
    f"""
    insert into media_objects (brand_ref, key, site_ref, store)
    select $1, ref || '/' || n, ref, 'postgresql' {EACH}, generate_series(1, {PICTURES}) n
    """,
    f"""
    insert into provisioned_accounts (brand_ref, external_id, user_ref, created_at)
    select $1, 'service-' || ref, ref, now() {EACH}
    """,
)
FILES = f"""
    insert into site_files (brand_ref, site_ref, version_ref, path, content_type, etag, body)
    select $1, ref, 1, '', 'text/html; charset=utf-8', '"' || md5($3::bytea) || '"', $3 {EACH}
"""
AT_REST = (
    "update domain_checks set due_at = null where brand_ref = $1",
    "update automatic_certificates set due_at = null where brand_ref = $1",
)
"""The worker has nothing to do for the new names."""
EVENTS = f"""
    with taken as (
        insert into event_sequences (brand_ref, last) values ($1, $2)
        on conflict (brand_ref) do update set last = event_sequences.last + $2 returning last - $2 as before)
    insert into events (brand_ref, sequence, id, kind, body, at)
    select $1, before + n, gen_random_uuid(), kind, json_build_object(
               'eventName', kind, 'id', gen_random_uuid(), 'created', '2026-01-31T12:00:00Z',
               'accountHolder', json_build_object('ref', n), 'fields', json_build_array('city'),
               'sequence', before + n),
           now()
      from taken, generate_series(1, $2::bigint) n,
           lateral (select case when n % {RARE_EVENTS} = 0 then 'user.deleted' else 'user.updated' end) named (kind)
"""
