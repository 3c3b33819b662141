-- Functions of certificates, domains and mailboxes. Applied again whenever this file changes.

-- Across brands, for the edge server: certificates that may be served for a host, the best first: uploaded ones before automatic
-- ones. A wildcard is served only for hosts of its own brand that are mapped directly below its parent. The service's own host
-- names are those of brand 0.
create or replace function certificates_of_host(asked_host text, at timestamptz)
    returns table (brand_ref bigint, ref bigint, domain text, chain text, sealed_key bytea, not_after timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select f.brand_ref, f.ref, f.domain, f.chain, f.sealed_key, f.not_after from (
        select c.brand_ref, c.ref, c.domain, c.chain, c.sealed_key, c.not_after, c.source = 'uploaded' as is_uploaded,
               b.domain = d.domain as is_exact, c.created_at
          from site_domains d
          join certificate_bindings b on b.brand_ref = d.brand_ref
               and b.domain in (d.domain, '*.' || substr(d.domain, strpos(d.domain, '.') + 1))
          join certificates c on c.brand_ref = b.brand_ref and c.ref = b.certificate_ref
         where d.domain = asked_host and at between c.not_before and c.not_after
        union all
        select 0, o.ref, o.name, o.chain, o.sealed_key, o.not_after, false, true, o.not_before
          from own_certificates o where asked_host = any(o.names) and at between o.not_before and o.not_after) f
     order by f.is_uploaded desc, f.is_exact desc, f.created_at desc, f.ref desc
$$;

-- Whether a certificate is about to expire, in proportion to its lifetime: a third of it is left, of 30 days at most. Automatic
-- ones are renewed by then, and count when their renewal is late.
create or replace function expires_soon(not_before timestamptz, not_after timestamptz, source text, at timestamptz)
    returns boolean language sql immutable set search_path = pg_catalog, public, pg_temp
    return at >= not_after - least(make_interval(days => case source when 'automatic' then 14 else 30 end),
                                   (not_after - not_before) * case source when 'automatic' then 14 else 30 end / 90.0);

-- Across brands: the brands that these hosts are mapped in. The rows stay locked until the end of the transaction, so that no
-- host is unmapped meanwhile. A host that another transaction is unmapping is skipped, which prevents deadlocks.
create or replace function hold_mapped_hosts(asked_hosts text[])
    returns table (domain text, brand_ref bigint, domain_ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select d.domain, d.brand_ref, d.ref from site_domains d where d.domain = any(asked_hosts)
       for key share skip locked
$$;

-- Across brands, for a system-owner who names no brand: the brands that `*.parent` may belong to.
create or replace function brands_below(parent text) returns table (brand_ref bigint, has_certificate boolean)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select x.brand_ref, bool_or(x.has_certificate)
      from (select b.brand_ref, true from certificate_bindings b where b.domain = '*.' || parent
            union all
            select d.brand_ref, false from site_domains d where substr(d.domain, strpos(d.domain, '.') + 1) = parent
            union all
            select brand_of_host(parent), false) x (brand_ref, has_certificate)
     where x.brand_ref is not null group by x.brand_ref
$$;

-- Across brands: every certificate with its names, the first to expire first. `is_last`: for at least one of these names no
-- other certificate lasts longer.
drop function if exists all_certificates(timestamptz);
create or replace function all_certificates(ends_before timestamptz)
    returns table (brand_ref bigint, ref bigint, domains text[], key_type text, fingerprint text, not_after timestamptz,
                   is_last boolean, not_before timestamptz, source text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select c.brand_ref, c.ref, array_agg(b.domain order by b.domain <> c.domain, b.domain), c.key_type, c.fingerprint,
           c.not_after,
           bool_or(not exists (select from certificate_bindings o
                                 join certificates l on l.brand_ref = o.brand_ref and l.ref = o.certificate_ref
                                where o.brand_ref = b.brand_ref and o.domain = b.domain and l.not_after > c.not_after)),
           c.not_before, c.source
      from certificates c
      join certificate_bindings b on b.brand_ref = c.brand_ref and b.certificate_ref = c.ref
     where c.not_after < ends_before
     group by c.brand_ref, c.ref
     order by c.not_after, c.brand_ref, c.ref
$$;

-- Across brands: certificates that have expired or expire soon, in proportion to their lifetime, and are the last of a name.
create or replace function expiring_certificates(at timestamptz)
    returns table (brand_ref bigint, ref bigint, domains text[], key_type text, fingerprint text, not_after timestamptz,
                   is_last boolean, not_before timestamptz, source text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select f.* from (
        select c.brand_ref, c.ref, array_agg(b.domain order by b.domain <> c.domain, b.domain), c.key_type, c.fingerprint,
               c.not_after,
               bool_or(not exists (
                   select from certificate_bindings o
                     join certificates l on l.brand_ref = o.brand_ref and l.ref = o.certificate_ref
                    where o.brand_ref = b.brand_ref and o.domain = b.domain and l.not_after > c.not_after)) as is_last,
               c.not_before, c.source
          from certificates c
          join certificate_bindings b on b.brand_ref = c.brand_ref and b.certificate_ref = c.ref
         where c.not_after < at + interval '30 days' and expires_soon(c.not_before, c.not_after, c.source, at)
         group by c.brand_ref, c.ref) f
     where f.is_last order by f.not_after, f.brand_ref, f.ref
$$;

-- Across brands, for the metrics: the number of certificates; how many expire soon, or have expired, without a certificate that
-- lasts longer; and when the next one expires.
create or replace function certificate_figures(
    at timestamptz, soon interval, out kept bigint, out expiring bigint, out expired bigint, out next_end timestamptz
) language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select (select count(*) from certificates), count(*) filter (where c.not_after >= at),
           count(*) filter (where c.not_after < at),
           coalesce(min(c.not_after) filter (where c.not_after >= at),
                    (select min(k.not_after) from certificates k where k.not_after >= at and soon is not null))
      from expiring_certificates(at) c
$$;

-- Across brands, for the worker: removes certificates that have ended. Two transactions that each remove one of the last two
-- bindings at the same time leave a certificate without any: it is removed here.
create or replace function prune_certificates(ended_before timestamptz, most integer default null) -- previous release
    returns bigint language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from certificates where ctid = any(
            array(select c.ctid from certificates c where c.not_after < ended_before order by c.not_after limit most)
            || array(select c.ctid from certificates c
                      where not exists (select from certificate_bindings b
                                         where b.brand_ref = c.brand_ref and b.certificate_ref = c.ref)
                      order by c.brand_ref, c.ref limit most))
        returning 1)
    select count(*) from gone
$$;

-- Across brands: whether the built-in registrar has this domain.
create or replace function is_registered_domain(asked_domain text) returns boolean
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return exists (select from registered_domains r where r.domain = asked_domain);

-- Across brands: whether this domain has ended for its user but is not released by the registrar yet.
create or replace function is_domain_being_released(asked_domain text) returns boolean
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return exists (select from account_domains d
                    where d.domain = asked_domain and d.ended_at is not null and d.released_at is null);

-- Across brands: whether this domain is a brand's own (or its parent or subdomain), or is mapped to a site of another user.
create or replace function is_domain_in_use(asked_domain text, asked_user_ref bigint) returns boolean
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return exists (select from brands b where lower(b.domain) = asked_domain
                       or asked_domain like '%.' || lower(b.domain) or lower(b.domain) like '%.' || asked_domain)
        or exists (select from site_domains d join sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
                    where d.domain in (asked_domain, 'www.' || asked_domain)
                      and (s.brand_ref, s.user_ref) <> (current_brand(), asked_user_ref));

-- Across brands, for the operator's commands, which name a domain by its ref alone.
create or replace function brand_of_account_domain(asked_ref bigint) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select d.brand_ref from account_domains d where d.ref = asked_ref);

-- Across brands, for the worker.
create or replace function brands_with_account_domains() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b
     where exists (select from account_domains d where d.brand_ref = b.brand_ref) order by b.brand_ref
$$;

-- For the metrics: since when the registrar's oldest work is due (see the index account_domains_due).
create or replace function oldest_due_account_domain(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select first.since from (
        select coalesce(d.ended_at, d.registered_until, d.registered_at) as since from account_domains d
         where (d.ended_at is null and d.status <> 'failed'
                and (d.registered_until is null or d.registered_until < d.expires_at))
            or (d.ended_at is not null and d.released_at is null)
         order by 1 limit 1
    ) first where first.since <= at
$$;

-- Across brands, for the operator.
create or replace function all_mailboxes(failed_only boolean, most integer)
    returns table (brand_ref bigint, ref bigint, name text, domain text, status text, attempts integer, reason text,
                   updated_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select m.brand_ref, m.ref, m.name, d.domain, m.status, m.attempts, m.reason, m.updated_at
      from mailboxes m join account_domains d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref
     where not failed_only or m.status = 'failed'
     order by m.updated_at desc, m.ref desc limit most
$$;

create or replace function failed_mailboxes(asked_brand_ref bigint) returns table (brand_ref bigint, ref bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select m.brand_ref, m.ref from mailboxes m
     where m.status = 'failed' and (asked_brand_ref is null or m.brand_ref = asked_brand_ref)
     order by m.brand_ref, m.ref
$$;

-- Across brands, for the operator's commands, which name a mailbox by its ref alone.
create or replace function brand_of_mailbox(asked_ref bigint) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select m.brand_ref from mailboxes m where m.ref = asked_ref);

-- For the metrics: since when the oldest mailbox waits for its mail server.
create or replace function oldest_due_mailbox(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(m.updated_at) from mailboxes m where m.status = 'pending' and m.updated_at <= at
$$;

-- Across brands: domains that are due for reconciliation with their registrar, leased to the worker. It has the structure of
-- claim_due_mails, which is explained there; each brand has one queue. Without `due_at` but with a `failure`, a domain is a dead letter.
create or replace function claim_due_account_domains(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select a.brand_ref, a.due_at from account_domains a where a.due_at is not null
          order by a.brand_ref, a.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select a.brand_ref, a.due_at from account_domains a
             where a.due_at is not null and a.brand_ref > w.brand_ref
             order by a.brand_ref, a.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready x cross join lateral (
            select a.brand_ref, a.ref from account_domains a
             where a.brand_ref = x.brand_ref and a.due_at <= now_at
             order by a.due_at, a.ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update account_domains a set due_at = lease_until, attempts = a.attempts + 1
      from due d where a.brand_ref = d.brand_ref and a.ref = d.ref
    returning a.brand_ref, a.ref, a.attempts
$$;

revoke execute on function certificates_of_host, hold_mapped_hosts, brands_below, all_certificates,
    expiring_certificates, certificate_figures, prune_certificates, is_registered_domain, is_domain_being_released, is_domain_in_use,
    brand_of_account_domain, brands_with_account_domains, oldest_due_account_domain, claim_due_account_domains, all_mailboxes, failed_mailboxes,
    brand_of_mailbox, oldest_due_mailbox from public;
grant execute on function certificates_of_host, hold_mapped_hosts, brands_below, all_certificates,
    expiring_certificates, certificate_figures, prune_certificates, is_registered_domain, is_domain_being_released, is_domain_in_use,
    brand_of_account_domain, brands_with_account_domains, oldest_due_account_domain, claim_due_account_domains, all_mailboxes, failed_mailboxes,
    brand_of_mailbox, oldest_due_mailbox to sitewright_service;
