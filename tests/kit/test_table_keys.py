"""Keys that let each brand live on a cluster of its own: checked for every table, with the exceptions named here.

No foreign key leads from brand to brand, `brand_ref` leads the keys of tenant tables, and refs come from sequences that
can be given a range per cluster. Row-level security keeps every statement of the service inside one brand; only the
functions listed in `docs/architecture.md` look across brands.
"""

from tests.support.users import OwnerConnection

TENANT = "exists (select from pg_attribute b where b.attrelid = {} and b.attname = 'brand_ref')"
NAMES = {
    "account_domains_by_name", "api_credentials_in_force", "operators_in_force", "registered_domains_by_name",
    "site_domains_by_name", "templates_of_the_catalogue",
}  # fmt: skip
"""Names that are unique in the whole environment."""
ACROSS_BRANDS = {
    "account_domains_ref_key", "mailbox_login_tokens_digest_key", "mailboxes_ref_key", "sites_ref_key",
    "webhook_attempts_ref_key", "webhook_subscriptions_ref_key",
}  # fmt: skip
"""For functions that are given a ref or a token without its brand."""
GLOBAL_PACKAGES = {"domain_products_package_ref_key", "packages_ref_key"}
"""A global package is looked up by the ref alone: it is another brand's."""
ROWS_WITHOUT_A_BRAND = {
    "audit_entries_pkey", "console_sessions_by_digest", "console_sessions_pkey",
    "idempotent_answers_caller_key_brand_ref_key", "operators_pkey", "templates_pkey",
}  # fmt: skip
"""`brand_ref` is null in rows of the environment: it cannot lead a primary key, nor be looked up by equality."""
OF_THE_ENVIRONMENT = {
    "acme_accounts", "acme_usage", "authentication_failures", "currencies", "job_starts", "languages", "nodes",
    "oauth_nonces", "own_certificates", "product_suppliers", "schema_files", "schema_migrations", "signing_keys",
    "template_categories", "template_groups", "template_tags", "trusted_addresses",
}  # fmt: skip
"""Tables without a brand: each cluster has its own rows of them, and nothing in them belongs to a brand."""
SHARED_TEMPLATES = {"brands_default_template_ref_fkey", "sites_template_ref_fkey"}
"""A template belongs to the environment or to the brand itself, never to another brand."""


async def test_no_foreign_key_leads_from_brand_to_brand(owner_connection: OwnerConnection) -> None:
    """Both sides begin with the brand, or the other side is a table of the environment."""
    rows = await owner_connection.fetch(
        "select k.conname from pg_constraint k"
        " join pg_attribute f on f.attrelid = k.conrelid and f.attnum = k.conkey[1]"
        " join pg_attribute t on t.attrelid = k.confrelid and t.attnum = k.confkey[1]"
        f" where k.contype = 'f' and {TENANT.format('k.conrelid')} and {TENANT.format('k.confrelid')}"
        " and (f.attname, t.attname) <> ('brand_ref', 'brand_ref')"
    )
    assert {row["conname"] for row in rows} == SHARED_TEMPLATES


async def test_every_table_without_a_brand_is_one_of_the_environment(owner_connection: OwnerConnection) -> None:
    rows = await owner_connection.fetch(
        "select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')"
        f" and not {TENANT.format('c.oid')}"
    )
    assert {row["relname"] for row in rows} == OF_THE_ENVIRONMENT


async def test_the_brand_leads_every_key_of_a_tenant_table(owner_connection: OwnerConnection) -> None:
    rows = await owner_connection.fetch(
        "select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid"
        " left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]"
        " where c.relnamespace = 'public'::regnamespace and i.indisunique"
        f" and {TENANT.format('c.oid')} and a.attname is distinct from 'brand_ref'"
    )
    assert {row["name"] for row in rows} == NAMES | ACROSS_BRANDS | GLOBAL_PACKAGES | ROWS_WITHOUT_A_BRAND


async def test_refs_come_from_sequences_that_can_be_given_a_range(owner_connection: OwnerConnection) -> None:
    """Every number that a table gives out is a bigint from a sequence of its own, whose range can be set."""
    rows = await owner_connection.fetch(
        "select c.relname || '.' || a.attname as ref, pg_get_serial_sequence(c.relname, a.attname) as sequence,"
        " format_type(a.atttypid, null) as type from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not a.attisdropped"
        " and (a.attname = 'ref' or a.attidentity <> '')"
    )
    given = {row["ref"] for row in rows if row["sequence"] is None}
    assert given == {"former_site_domains.ref", "removed_mailboxes.ref"}, "these repeat a ref of another table"
    assert {row["type"] for row in rows} == {"bigint"}
    ranges = owner_connection.transaction()
    await ranges.start()
    try:
        for row in rows:
            if row["sequence"]:
                await owner_connection.execute(
                    f"alter sequence {row['sequence']} minvalue 1 maxvalue 2000000000000 restart with 1000000000001"
                )
                first = await owner_connection.fetchval("select nextval($1::text::regclass)", row["sequence"])
                assert first == 1000000000001
    finally:
        await ranges.rollback()


async def test_policies_show_the_own_brand_or_what_is_shared_on_purpose(owner_connection: OwnerConnection) -> None:
    rows = await owner_connection.fetch(
        "select c.relname, pg_get_expr(p.polqual, p.polrelid) as rows from pg_policy p"
        " join pg_class c on c.oid = p.polrelid where p.polname <> 'backup'"
    )
    others = {row["relname"] for row in rows if row["rows"] != "(brand_ref = current_brand())"}
    nullable = {"audit_entries", "console_sessions", "idempotent_answers", "operators"}
    assert others == {"domain_products", "package_prices", "packages", "templates"} | nullable
    assert {row["rows"] for row in rows if row["relname"] in nullable} == {
        "(NOT (brand_ref IS DISTINCT FROM current_brand()))"
    }
