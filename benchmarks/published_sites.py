"""Published sites by the thousand, inserted into the service's database with a few statements."""

import gzip
import hashlib
import random

import asyncpg

from benchmarks.peers import PAGE

SITES = 20_000
PAGE_BYTES = 16_384
BRAND = 1
FIRST_REF = 7_000_000_000
WORDS = ["coffee", "house", "morning", "bread", "table", "window", "street", "light", "open", "menu", "music", "daily"]
TABLES = ("users", "profiles", "sites", "site_domains", "site_versions", "site_files")


def host_of(number: int) -> str:
    return f"site-{number}.bench.example"


def page() -> bytes:
    """Text with the length and compressibility of a typical page."""
    said = random.Random(1)  # noqa: S311 - the same page every time
    text = "<!doctype html><title>Page</title>"
    while len(text) < PAGE_BYTES:
        text += f"<p>{' '.join(said.choice(WORDS) for _ in range(30))} {said.random()}</p>\n"
    return text[:PAGE_BYTES].encode()


async def fill(database_url: str) -> None:
    """Insert sites of one account holder, each with a home page and the page, unless they exist."""
    body = page()
    owner = await asyncpg.connect(database_url)
    try:
        if await owner.fetchval("select exists (select from sites where ref = $1)", FIRST_REF):
            return
        async with owner.transaction():
            for statement in STATEMENTS:
                await owner.execute(statement, BRAND, FIRST_REF, SITES)
            etag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
            await owner.execute(FILES, BRAND, FIRST_REF, SITES, ["", PAGE], etag, gzip.compress(body, 6, mtime=0))
        await owner.execute(f"vacuum analyze {', '.join(TABLES)}")
        await owner.execute("checkpoint")
    finally:
        await owner.close()


SERIES = "from generate_series($2::bigint, $2 + $3::integer - 1) ref"
STATEMENTS = (
    """
    insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key, password_hash,
                       language_code, created_at, updated_at)
    select $1, $2::bigint, 'First', 'Last', 'sites', 'sites', 'sites@mail.example', 'sites@mail.example', '', 'en',
           now(), now()
     where $3::integer > 0
    """,
    f"insert into profiles (brand_ref, ref, user_ref, updated_at) select $1, ref, $2::bigint, now() {SERIES}",
    f"""
    insert into sites (brand_ref, ref, user_ref, profile_ref, primary_domain_ref, site_type, live, version_ref,
                       last_version_ref, last_publish_at, created_at, updated_at)
    select $1, ref, $2::bigint, ref, ref, 'responsive', true, 1, 1, now(), now(), now() {SERIES}
    """,
    f"""
    insert into site_domains (brand_ref, ref, site_ref, domain, created_at)
    select $1, ref, ref, 'site-' || (ref - $2::bigint) || '.bench.example', now() {SERIES}
    """,
    f"insert into site_versions (brand_ref, site_ref, version_ref, published_at) select $1, ref, 1, now() {SERIES}",
)
FILES = f"""
    insert into site_files (brand_ref, site_ref, version_ref, path, content_type, etag, body)
    select $1, ref, 1, path, 'text/html; charset=utf-8', $5, $6 {SERIES}, unnest($4::text[]) path
"""
