"""Which tables are exported, and what their columns refer to.

Every table with a `brand_ref` is exported, unless it is listed here with the reason why not. Tables without a
`brand_ref` are listed too: a test fails when a new table is in neither group.
"""

NOT_EXPORTED = {
    # Derived from other tables, and made again by the import or by the worker after it.
    "user_counts": "triggers count the imported users",
    "search_terms": "the worker indexes the imported users",
    "reseller_search_terms": "the worker indexes the imported resellers",
    "search_rebuilds": "the import requests a rebuild",
    "media_objects": "the import writes the objects to its own media store",
    # Sessions and links that work on the former host only.
    "sessions": "users log in again",
    "console_sessions": "operators log in again",
    "one_time_tokens": "mailed links name the former host",
    "mailbox_login_tokens": "valid for a minute",
    "operator_invitations": "mailed links name the former host",
    "preview_links": "the links name the former host",
    "idempotent_answers": "responses to calls of the former host",
    # Work in progress, which the former installation completes: otherwise it would be done twice.
    "mails": "the former installation sends what is waiting",
    "events": "the former installation delivers what is waiting; the numbers continue here",
    "event_inbox": "the former installation numbers and delivers what is waiting",
    "webhook_deliveries": "the former installation delivers what is waiting",
    "webhook_attempts": "the attempts of the former installation",
    "user_reports": "files that expire within an hour",
    "user_report_pieces": "files that expire within an hour",
    "package_sweep_failures": "the worker finds again what cannot be renewed",
    "acme_challenges": "orders in progress belong to the former installation's ACME account",
    # A record of what was done in one installation, with the refs and operators of that installation.
    "audit_entries": "the audit log stays where it was written",
    "audit_inbox": "likewise",
    "audit_chain": "likewise",
    "audit_heads": "likewise",
    # Not a brand's.
    "acme_accounts": "the installation's",
    "acme_usage": "the installation's",
    "authentication_failures": "the installation's",
    "job_starts": "the installation's",
    "nodes": "the installation's",
    "oauth_nonces": "the installation's",
    "own_certificates": "the installation's",
    "schema_files": "the installation's",
    "schema_migrations": "the installation's",
    "signing_keys": "the installation's",
    "trusted_addresses": "the installation's",
}
SHARED = {
    "currencies": "alpha_code",
    "languages": "code",
    "product_suppliers": "name",
    "template_categories": "key",
    "template_groups": "name",
    "template_tags": "name",
}
"""Tables that all brands share, and the column by which an import recognizes their rows.

The rows that a brand uses are exported with it; an import adds those that are missing.
"""
SHARED_TEMPLATES, FOREIGN_PACKAGES = "shared_templates", "foreign_packages"
"""Files of templates that belong to no brand, and of global packages of other brands, as far as they are used."""

REFERENCES = {
    "site_ref": "sites",
    "package_ref": "packages",
    "from_package_ref": "packages",
    "default_package_ref": "packages",
    "template_ref": "templates",
    "default_template_ref": "templates",
    "account_domain_ref": "account_domains",
    "mailbox_ref": "mailboxes",
    "subscription_ref": "webhook_subscriptions",
    "operator_ref": "operators",
    "currency_ref": "currencies",
    "default_currency_ref": "currencies",
    "language_ref": "languages",
    "default_language_ref": "languages",
    "template_group_ref": "template_groups",
    "supplier_ref": "product_suppliers",
    "dns_provider_ref": "product_suppliers",
    "group_refs": "template_groups",
    "category_refs": "template_categories",
    "tag_refs": "template_tags",
}
"""Columns that refer to rows whose refs are unique in the whole installation: an import may have to change them."""
OWN_REFERENCES = {("removed_mailboxes", "ref"): "mailboxes"}
"""The same, for columns with another name."""
WITHIN_THE_BRAND = {
    "account_holder_ref", "account_package_ref", "automatic_certificate_ref", "certificate_ref", "color_swatch_ref",
    "console_session_ref", "default_campaign_ref", "domain_ref", "event_ref", "font_swatch_ref", "last_version_ref",
    "media_ref", "message_ref", "page_ref", "parent_reseller_ref", "primary_domain_ref", "profile_ref", "reseller_ref",
    "theme_ref", "user_ref", "version_ref", "widget_ref",
}  # fmt: skip
"""Columns that refer to rows whose refs are unique in their brand: they never change."""

REPLACED = {
    ("automatic_certificates", "order_url"): "null",
    ("automatic_certificates", "order_directory"): "null",
    ("automatic_certificates", "order_names"): "null",
    ("automatic_certificates", "sealed_order_key"): "null",
    ("automatic_certificates", "ordered_at"): "null",
    ("dns_zones", "leased_until"): "null",
    ("users", "storage_bytes"): "0",
}
"""What is exported instead of a column: orders in progress, leases, and what triggers count again."""
REPLACED_WITHOUT_SECRETS = {
    ("users", "password_hash"): "null",
    ("mailboxes", "password_hash"): "'!'",
    ("dns_zones", "sealed_dkim_key"): "null",
    ("dns_zones", "dkim_selector"): "null",
    ("dns_zones", "dkim_public_key"): "null",
    ("automatic_certificates", "certificate_ref"): "null",
    ("automatic_certificates", "certificate_id"): "null",
    ("automatic_certificates", "not_before"): "null",
    ("automatic_certificates", "not_after"): "null",
    ("automatic_certificates", "window_start"): "null",
    ("automatic_certificates", "window_end"): "null",
    ("automatic_certificates", "renew_at"): "null",
    ("automatic_certificates", "due_at"): "created_at",
}
"""In an archive without secrets, passwords must be set again and certificates are ordered again."""
LEFT_OUT_WITHOUT_SECRETS = {
    "api_credentials",
    "webhook_secrets",
    "operators",
    "certificates",
    "certificate_bindings",
    "certificate_warnings",
}
"""Tables whose rows are of no use without their secrets."""
COUNTED_BY_TRIGGERS = ("figure_changes",)
"""Filled by triggers while other tables are imported: emptied before their own rows are inserted."""
REQUESTED_REBUILDS = ("search_rebuilds",)
INSERTED_LAST = {"brands": ("default_package_ref", "default_template_ref")}
"""Columns that refer to tables which refer back: set once all tables are filled."""
MEDIA_CHUNKS = "media_chunks"
OBJECT_KEYS = {("media", "object_key"), ("media_variants", "object_key")}
"""Names of objects in the media store: `<brand>/<site>/<random>`."""
