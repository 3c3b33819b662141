-- What the edge server looks up across brands, and contact messages. Applied again whenever this file changes.

-- Across brands, for the edge server: the site of a host, and what decides whether visitors see it (sites/sites/online.py).
create or replace function site_by_host(asked_host text)
    returns table (brand_ref bigint, site_ref bigint, domain_ref bigint, version_ref bigint, is_live boolean,
                   is_enabled boolean, is_owner_suspended boolean, is_owner_deleted boolean, protocol text,
                   redirect_to_primary boolean, primary_domain text, language_code text, has_hsts boolean)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.brand_ref, s.ref, d.ref, s.version_ref, s.live, s.enabled, u.suspended_at is not null,
           u.deleted_at is not null, s.protocol, s.redirect_to_primary, p.domain, u.language_code,
           coalesce(k.capabilities ->> 'hstsSecurityPage', '0') <> '0'
      from site_domains d
      join sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref and s.deleted_at is null
      join users u on u.brand_ref = s.brand_ref and u.ref = s.user_ref
      left join site_domains p on p.brand_ref = s.brand_ref and p.ref = s.primary_domain_ref
      left join account_packages a on a.brand_ref = u.brand_ref and a.user_ref = u.ref and a.is_subscription
           and a.ended_at is null
      left join packages k on k.ref = a.package_ref
     where d.domain = asked_host
$$;

-- Across brands, for the worker: removes at most `most` messages and returns how many.
create or replace function prune_contact_messages(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from contact_messages where ctid = any(array(
            select m.ctid from contact_messages m where m.at < older_than order by m.at, m.ref limit most))
        returning 1)
    select count(*) from gone
$$;

revoke execute on function site_by_host, prune_contact_messages from public;
grant execute on function site_by_host, prune_contact_messages to sitewright_service;

-- previous release: as site_by_host, with the rule of that release.
-- Across brands, for the edge server: the site of a host, and what it must know to serve it; no content. `has_hsts`: the
-- owner's package has the sites send Strict-Transport-Security.
create or replace function site_of_host(asked_host text)
    returns table (brand_ref bigint, site_ref bigint, domain_ref bigint, version_ref bigint, is_online boolean,
                   protocol text, redirect_to_primary boolean, primary_domain text, language_code text, has_hsts boolean)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.brand_ref, s.ref, d.ref, s.version_ref,
           s.live and s.enabled and s.version_ref is not null and u.suspended_at is null and u.deleted_at is null,
           s.protocol, s.redirect_to_primary, p.domain, u.language_code,
           coalesce(k.capabilities ->> 'hstsSecurityPage', '0') <> '0'
      from site_domains d
      join sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref and s.deleted_at is null
      join users u on u.brand_ref = s.brand_ref and u.ref = s.user_ref
      left join site_domains p on p.brand_ref = s.brand_ref and p.ref = s.primary_domain_ref
      left join account_packages a on a.brand_ref = u.brand_ref and a.user_ref = u.ref and a.is_subscription
           and a.ended_at is null
      left join packages k on k.ref = a.package_ref
     where d.domain = asked_host
$$;

revoke execute on function site_of_host from public;
grant execute on function site_of_host to sitewright_service;
