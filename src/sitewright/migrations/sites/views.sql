-- Views that features of sites publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view hosted_sites with (security_invoker = true) as
    select brand_ref, ref, user_ref, profile_ref, version_ref, deleted_at, protocol, live, enabled, template_ref,
           primary_domain_ref
      from sites;

create or replace view site_pages with (security_invoker = true) as
    select brand_ref, site_ref, ref, status from pages;

create or replace view published_files with (security_invoker = true) as
    select brand_ref, site_ref, version_ref, path, content_type, etag, body from site_files;

create or replace view mapped_domains with (security_invoker = true) as
    select brand_ref, ref, site_ref, domain, created_at from site_domains;

grant select on hosted_sites, site_pages, published_files, mapped_domains to sitewright_service;
