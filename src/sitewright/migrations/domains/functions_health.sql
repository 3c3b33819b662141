-- Functions of domain health. Applied again whenever this file changes.

-- Across brands: hosts whose health check is due, leased to the worker. It has the structure of claim_due_mails, which is explained
-- there; each brand has one queue.
create or replace function claim_due_domain_checks(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select c.brand_ref, c.due_at from domain_checks c where c.due_at is not null
          order by c.brand_ref, c.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select c.brand_ref, c.due_at from domain_checks c
             where c.due_at is not null and c.brand_ref > w.brand_ref
             order by c.brand_ref, c.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready x cross join lateral (
            select c.brand_ref, c.ref from domain_checks c
             where c.brand_ref = x.brand_ref and c.due_at <= now_at
             order by c.due_at, c.ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update domain_checks c set due_at = lease_until, attempts = c.attempts + 1
      from due d where c.brand_ref = d.brand_ref and c.ref = d.ref
    returning c.brand_ref, c.ref, c.attempts
$$;

-- For the metrics: since when the oldest health check is due.
create or replace function oldest_due_domain_check(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, due_at) as (
        (select c.brand_ref, c.due_at from domain_checks c where c.due_at is not null
          order by c.brand_ref, c.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select c.brand_ref, c.due_at from domain_checks c
             where c.due_at is not null and c.brand_ref > w.brand_ref
             order by c.brand_ref, c.due_at limit 1) n
    )
    select min(w.due_at) from waiting w where w.due_at <= at
$$;

-- Across brands, for the operator's command: who has a name, as a mapped host or as an account domain.
create or replace function find_checked_name(asked_name text)
    returns table (brand_ref bigint, domain_ref bigint, account_domain_ref bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    (select d.brand_ref, d.ref, null::bigint from site_domains d where d.domain = asked_name)
    union all
    (select a.brand_ref, null, a.ref from account_domains a where a.domain = asked_name and a.ended_at is null)
    limit 1
$$;

revoke execute on function claim_due_domain_checks, oldest_due_domain_check, find_checked_name from public;
grant execute on function claim_due_domain_checks, oldest_due_domain_check, find_checked_name to sitewright_service;
