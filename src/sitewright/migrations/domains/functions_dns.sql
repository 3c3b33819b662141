-- Functions of DNS zones. Applied again whenever this file changes.

-- Across brands, for the worker: zones whose records are due for their provider, shared evenly between brands.
create or replace function claim_due_dns_zones(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select a.brand_ref, a.due_at from dns_zones a where a.due_at is not null
          order by a.brand_ref, a.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select a.brand_ref, a.due_at from dns_zones a
             where a.due_at is not null and a.brand_ref > w.brand_ref
             order by a.brand_ref, a.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.account_domain_ref from ready x cross join lateral (
            select a.brand_ref, a.account_domain_ref from dns_zones a
             where a.brand_ref = x.brand_ref and a.due_at <= now_at
             order by a.due_at, a.account_domain_ref limit brand_share(most, (select count(*) from ready))
               for update skip locked) d
         limit most
    )
    update dns_zones a set due_at = lease_until, attempts = a.attempts + 1
      from due d where a.brand_ref = d.brand_ref and a.account_domain_ref = d.account_domain_ref
    returning a.brand_ref, a.account_domain_ref, a.attempts
$$;

-- Across brands: whether a former zone of this name is still to be removed from its provider.
create or replace function is_dns_zone_being_removed(asked_name text) returns boolean
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return exists (select from dns_zones z where z.name = asked_name and z.removed_at is not null);

-- Across brands, for the metrics: since when the oldest change of a zone waits for its provider.
create or replace function oldest_due_dns_zone(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select z.out_of_sync_since from dns_zones z
     where z.out_of_sync_since <= at and z.waits_since is null
     order by z.out_of_sync_since limit 1
$$;

-- Across brands, for the metrics.
create or replace function dns_zone_figures(out zones bigint, out out_of_sync bigint, out waiting bigint, out failed bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select count(*), count(*) filter (where z.out_of_sync_since is not null),
           count(*) filter (where z.waits_since is not null), count(*) filter (where z.last_error is not null)
      from dns_zones z
$$;

-- Across brands, for the operator's commands: zones by name, or those that need attention.
create or replace function all_dns_zones(asked_name text, attention_only boolean, most integer)
    returns table (brand_ref bigint, account_domain_ref bigint, name text, provider text, synced_at timestamptz, out_of_sync_since timestamptz, waits_since timestamptz, removed_at timestamptz,
                   last_error text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select z.brand_ref, z.account_domain_ref, z.name, z.provider,
           z.synced_at, z.out_of_sync_since, z.waits_since, z.removed_at, z.last_error
      from dns_zones z
     where (asked_name is null or z.name = asked_name)
       and (not attention_only or z.waits_since is not null or z.last_error is not null)
     order by z.name, z.brand_ref, z.account_domain_ref limit most
$$;

revoke execute on function claim_due_dns_zones, is_dns_zone_being_removed, oldest_due_dns_zone, dns_zone_figures,
    all_dns_zones from public;
grant execute on function claim_due_dns_zones, is_dns_zone_being_removed, oldest_due_dns_zone, dns_zone_figures,
    all_dns_zones to sitewright_service;
