-- Finding sites, and media to delete. Applied again whenever this file changes.

-- Sites of the transaction's brand (and of one reseller, where one is named) with a host name that contains `part`: the `most`
-- nearest after `edge` in the order of refs, or before it. It runs as the owner because row-level security would keep the
-- search off its index (decision 0018). The first thousand names are read one by one, which finds parts that many names
-- have; the rest is found by the index of runs, range by range, until there are enough.
create or replace function find_sites_by_domain(part text, reseller bigint, edge bigint, backwards boolean, most bigint)
    returns setof bigint
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
    brand bigint := current_brand();
    direction text := case when backwards then 'desc' else 'asc' end;
    beyond text := case when backwards then '<' else '>' end;
    furthest text := case when backwards then 'min' else 'max' end;
    nearest text := case when backwards then 'max' else 'min' end;
    names text;
    names_read integer;
    last_ref bigint;
    place bigint;
    wanted text;
    found_refs bigint[];
begin
    if part !~ '^[a-z0-9.-]+$' then
        return;
    end if;
    names := case when reseller is null then 'site_domains d where d.brand_ref = $2 and d.site_ref %1$s $3
                   order by d.brand_ref %2$s, d.site_ref %2$s, d.ref %2$s'
                  else 'sites s join site_domains d on d.brand_ref = s.brand_ref and d.site_ref = s.ref
                  where s.brand_ref = $2 and s.reseller_ref = $4 and s.ref %1$s $3
                  order by s.brand_ref %2$s, s.reseller_ref %2$s, s.ref %2$s' end;
    execute format('select coalesce(array_agg(distinct site_ref) filter (where position($1 in domain) > 0), ''{}''),'
                   || furthest || '(site_ref), count(*) from (select d.site_ref, d.domain from ' || names
                   || ' limit 1000) nearest_names', beyond, direction)
       into found_refs, last_ref, names_read using part, brand, edge, reseller;
    if names_read = 1000 then  -- of the last site perhaps not every name was read
        found_refs := array_remove(found_refs, last_ref);
        edge := last_ref + case when backwards then 1 else -1 end;
    end if;
    while names_read = 1000 and cardinality(found_refs) < most loop
        execute format('select %s(site_ref) from site_domains where brand_ref = $1 and site_ref %s $2', nearest, beyond)
           into last_ref using brand, edge;
        exit when last_ref is null;
        place := last_ref >> 15;
        select string_agg(quote_literal(format('%s:%s:%s', brand, place, substr(part, at, 3)))
                          || case when length(part) < 3 then ':*' else '' end, ' & ') into wanted
          from (select generate_series(1, least(length(part) - 2, 16), 3)
                union select greatest(1, length(part) - 2)) x (at);
        found_refs := found_refs || array(
            select distinct m.site_ref from (
                select d.site_ref, d.domain from site_domains d
                 where domain_grams(d.brand_ref, d.site_ref, d.domain) @@ wanted::tsquery offset 0) m
             where position(part in m.domain) > 0
               and case when backwards then m.site_ref < edge else m.site_ref > edge end
               and (reseller is null or exists (select from sites s where s.brand_ref = brand and s.ref = m.site_ref
                                                   and s.reseller_ref = reseller)));
        edge := case when backwards then place << 15 else ((place + 1) << 15) - 1 end;
    end loop;
    return query execute 'select ref from unnest($1) ref order by ref ' || direction || ' limit $2'
                   using found_refs, most;
end $$;

-- Across brands, for the operator's commands, which name a site by its ref alone.
create or replace function brand_of_site(asked_ref bigint) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select s.brand_ref from sites s where s.ref = asked_ref);

-- Across brands, for the worker: objects of media that are to be deleted, the longest due first. One that is being moved is
-- left to its mover for an hour, which would otherwise write a copy that nobody knows of.
drop function if exists due_media_deletions(timestamptz, bigint);
create or replace function due_media_deletions(at timestamptz, most bigint)
    returns table (brand_ref bigint, key text, stores text[])
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
    select o.brand_ref, o.key, array_remove(array[o.store, o.other_store], null)
      from media_objects o
     where o.delete_after <= at and (o.other_store is null or o.delete_after <= at - interval '1 hour')
     order by o.delete_after limit most;
end;

-- Across brands: media whose variants of one stage are due, leased to the worker. It has the structure of claim_due_mails, which is
-- explained there; each brand has one queue for each stage.
create or replace function claim_due_media(now_at timestamptz, lease_until timestamptz, most integer, asked_stage integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select m.brand_ref, m.due_at from media m where m.stage = asked_stage and m.due_at is not null
          order by m.brand_ref, m.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select m.brand_ref, m.due_at from media m
             where m.stage = asked_stage and m.due_at is not null and m.brand_ref > w.brand_ref
             order by m.brand_ref, m.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready x cross join lateral (
            select m.brand_ref, m.ref from media m
             where m.stage = asked_stage and m.brand_ref = x.brand_ref and m.due_at <= now_at
             order by m.due_at, m.ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update media m set due_at = lease_until, attempts = m.attempts + 1
      from due d where m.brand_ref = d.brand_ref and m.ref = d.ref
    returning m.brand_ref, m.ref, m.attempts
$$;

-- For the metrics: since when the oldest variants wait.
create or replace function oldest_due_media(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(m.due_at) from media m where m.due_at is not null and m.due_at <= at
$$;

-- Across brands: sites whose erasure is due, leased to the worker. It has the structure of claim_due_mails, which is explained there;
-- each brand has one queue.
create or replace function claim_due_site_erasures(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select e.brand_ref, e.due_at from site_erasures e where e.due_at is not null
          order by e.brand_ref, e.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select e.brand_ref, e.due_at from site_erasures e
             where e.due_at is not null and e.brand_ref > w.brand_ref
             order by e.brand_ref, e.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.site_ref from ready x cross join lateral (
            select e.brand_ref, e.site_ref from site_erasures e
             where e.brand_ref = x.brand_ref and e.due_at <= now_at
             order by e.due_at, e.site_ref limit brand_share(most, (select count(*) from ready))
             for update skip locked) d
         limit most
    )
    update site_erasures e set due_at = lease_until, attempts = e.attempts + 1
      from due d where e.brand_ref = d.brand_ref and e.site_ref = d.site_ref
    returning e.brand_ref, e.site_ref, e.attempts
$$;

-- For the metrics: since when the oldest erasure is due.
create or replace function oldest_due_site_erasure(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(e.due_at) from site_erasures e where e.due_at is not null and e.due_at <= at
$$;

revoke execute on function claim_due_site_erasures, oldest_due_site_erasure from public;
grant execute on function claim_due_site_erasures, oldest_due_site_erasure to sitewright_service;

-- Keeps those of the domains that are mapped from being unmapped before the transaction ends, in the order of refs. The service role may
-- not update domains, which a lock would require.
create or replace function hold_domains(asked_refs bigint[]) returns setof bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select d.ref from site_domains d where d.brand_ref = current_brand() and d.ref = any(asked_refs) order by d.ref for key share
$$;

revoke execute on function find_sites_by_domain, brand_of_site, hold_domains, due_media_deletions, claim_due_media, oldest_due_media from public;
grant execute on function find_sites_by_domain, brand_of_site, hold_domains, due_media_deletions, claim_due_media, oldest_due_media
    to sitewright_service;

-- Locks the row of a site, if the site exists, so that it cannot be deleted before the transaction ends.
create or replace function lock_site(asked_ref bigint) returns setof bigint language sql as $$
    select s.ref from sites s where s.brand_ref = current_brand() and s.ref = asked_ref for key share
$$;
