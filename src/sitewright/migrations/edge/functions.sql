-- What the edge server looks up across brands, and contact messages. Applied again whenever this file changes.

-- Across brands, for the edge server: the site of a host, what decides whether visitors see it (sites/sites/online.py), and
-- the security headers of the owner's package.
drop function if exists site_by_host(text);
create or replace function site_by_host(asked_host text)
    returns table (brand_ref bigint, site_ref bigint, domain_ref bigint, version_ref bigint, is_live boolean,
                   is_enabled boolean, is_owner_suspended boolean, is_owner_deleted boolean, protocol text,
                   redirect_to_primary boolean, primary_domain text, language_code text, has_hsts boolean,
                   has_content_policy boolean)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.brand_ref, s.ref, d.ref, s.version_ref, s.live, s.enabled, u.suspended_at is not null,
           u.deleted_at is not null, s.protocol, s.redirect_to_primary, p.domain, u.language_code,
           coalesce(k.capabilities ->> 'hstsSecurityPage', '0') <> '0',
           coalesce(k.capabilities ->> 'enableSiteCspHeader', '0') <> '0'
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

-- Within a brand, for the edge servers: adds what they counted, for sites whose package has statistics. A site has at most
-- 200 names of a kind a day, since anybody can invent referrers; further ones are counted together. Rows are locked in order.
create or replace function record_visits(at timestamptz, of_sites bigint[], kinds text[], names text[], views bigint[],
                                         visits bigint[]) returns void
    language sql set search_path = pg_catalog, public, pg_temp as $$
    insert into site_visits as v (brand_ref, site_ref, day, kind, name, views, visits)
    select current_brand(), n.site_ref, n.day, n.kind, n.name, sum(n.views), sum(n.visits)
      from (select c.site_ref, d.day, c.kind, c.views, c.visits,
                   case when exists (select from site_visits v where v.brand_ref = s.brand_ref and v.site_ref = s.ref
                                        and v.day = d.day and v.kind = c.kind and v.name = c.name)
                          or (select count(*) from site_visits v where v.brand_ref = s.brand_ref and v.site_ref = s.ref
                                 and v.day = d.day and v.kind = c.kind)
                             + row_number() over (partition by c.site_ref, c.kind order by c.views desc, c.name) <= 200
                        then c.name else '*' end as name
              from unnest(of_sites, kinds, names, views, visits) as c (site_ref, kind, name, views, visits)
              join sites s on s.brand_ref = current_brand() and s.ref = c.site_ref and s.deleted_at is null
              join brands b on b.brand_ref = s.brand_ref
              cross join lateral (select (at at time zone b.time_zone)::date as day) d
              join account_packages a on a.brand_ref = s.brand_ref and a.user_ref = s.user_ref and a.is_subscription
                   and a.ended_at is null
              join packages k on k.ref = a.package_ref
             where coalesce(k.capabilities ->> 'siteAnalytics', '0') <> '0') n
     group by n.site_ref, n.day, n.kind, n.name order by n.site_ref, n.day, n.kind, n.name
    on conflict (brand_ref, site_ref, day, kind, name)
       do update set views = v.views + excluded.views, visits = v.visits + excluded.visits
$$;

-- Across brands, for the worker: removes at most `most` rows and returns how many.
create or replace function prune_site_visits(older_than date, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from site_visits where ctid = any(array(
            select v.ctid from site_visits v where v.day < older_than order by v.day limit most))
        returning 1)
    select count(*) from gone
$$;

revoke execute on function site_by_host, prune_contact_messages, record_visits, prune_site_visits from public;
grant execute on function site_by_host, prune_contact_messages, record_visits, prune_site_visits to sitewright_service;

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
