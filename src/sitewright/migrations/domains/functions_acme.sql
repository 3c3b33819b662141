-- Functions of automatic certificates. Applied again whenever this file changes.

-- Across brands, for the edge server: the response to a http-01 challenge of a host.
create or replace function acme_key_authorization(asked_host text, asked_token text) returns text
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select c.key_authorization from acme_challenges c where c.token = asked_token and c.host = asked_host limit 1);

-- Across brands: automatic certificates that are due for an order, a renewal or a look at the renewal window, leased to the
-- worker. It has the structure of claim_due_mails, which is explained there; each brand has one queue.
create or replace function claim_due_automatic_certificates(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select a.brand_ref, a.due_at from automatic_certificates a where a.due_at is not null
          order by a.brand_ref, a.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select a.brand_ref, a.due_at from automatic_certificates a
             where a.due_at is not null and a.brand_ref > w.brand_ref
             order by a.brand_ref, a.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready x cross join lateral (
            select a.brand_ref, a.ref from automatic_certificates a
             where a.brand_ref = x.brand_ref and a.due_at <= now_at
             order by a.due_at, a.ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update automatic_certificates a set due_at = lease_until, attempts = a.attempts + 1
      from due d where a.brand_ref = d.brand_ref and a.ref = d.ref
    returning a.brand_ref, a.ref, a.attempts
$$;

-- For the metrics: since when the oldest order or renewal is due. Without any account no authority is used, and nothing is due.
create or replace function oldest_due_automatic_certificate(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(a.due_at) from automatic_certificates a
     where a.due_at <= at and exists (select from acme_accounts c where c.url is not null)
$$;

-- Across brands, for the metrics: automatic certificates by state at a time.
create or replace function automatic_certificate_figures(
    at timestamptz, out valid bigint, out pending bigint, out failing bigint, out expired bigint
) language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select count(*) filter (where a.not_after > at and a.failures = 0),
           count(*) filter (where a.not_after is null and a.failures = 0),
           count(*) filter (where a.failures > 0),
           count(*) filter (where a.not_after <= at)
      from automatic_certificates a
$$;

-- Across brands, for the operator: automatic certificates, those with a problem first.
create or replace function all_automatic_certificates(most integer)
    returns table (brand_ref bigint, ref bigint, name text, is_wildcard boolean, names text[], not_after timestamptz,
                   due_at timestamptz, renew_at timestamptz, failures integer, reason_code text, reason_detail text,
                   failing_since timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select a.brand_ref, a.ref, a.name, a.is_wildcard, a.names, a.not_after, a.due_at, a.renew_at, a.failures,
           a.reason_code, a.reason_detail, a.failing_since
      from automatic_certificates a
     order by a.reason_code is null, a.not_after nulls first, a.brand_ref, a.ref limit most
$$;

revoke execute on function acme_key_authorization, claim_due_automatic_certificates, oldest_due_automatic_certificate,
    automatic_certificate_figures, all_automatic_certificates from public;
grant execute on function acme_key_authorization, claim_due_automatic_certificates, oldest_due_automatic_certificate,
    automatic_certificate_figures, all_automatic_certificates to sitewright_service;
