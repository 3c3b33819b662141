-- Functions about webhooks, except the outbox of deliveries (functions_outbox.sql). The first five are for the previous release.
-- Applied again whenever this file changes.

-- previous release: claims due deliveries for one worker with `free` connections, fairly. Brands take turns,
-- beginning after `after_brand`; a brand gets at most half of what is left, so that there is always something for the next.
-- Within a brand, each destination has a queue of its own (`lanes`) with limited room (`usual` where it is not named).
-- Queues that never had a turn come first, then in the order named; within a queue subscriptions take turns, beginning after
-- the last one served. No receiver waits behind the backlog or the failures of another.
create or replace function claim_webhook_deliveries(worker integer, due timestamptz, free integer, after_brand bigint,
                                         brand_refs bigint[], holdings integer[], lanes text[], rooms integer[],
                                         turns bigint[], usual integer)
    returns table (brand_ref bigint, subscription_ref bigint, sequence bigint, attempts integer, event_id uuid, body text,
                   url text, destination text, sealed_secrets bytea[])
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
    brand bigint := after_brand;
    wrapped boolean := false;
    share integer;
    subscriber record;
    place integer;
    taken integer;
begin
    perform sequence_events(due, 1000); -- of this release's API, while no worker of this release runs
    while free > 0 loop
        select d.brand_ref into brand from webhook_deliveries d
         where d.due_at is not null and d.claimed_by is null and d.brand_ref > brand
         order by d.brand_ref, d.subscription_ref, d.due_at limit 1;
        if not found then
            exit when wrapped;
            wrapped := true;
            brand := 0;
            continue;
        end if;
        exit when wrapped and brand > after_brand;
        share := (free - coalesce(holdings[array_position(brand_refs, brand)], 0) + 1) / 2;
        continue when share <= 0;
        for subscriber in
            with recursive waiting (ref, first_due) as (
                (select d.subscription_ref, d.due_at from webhook_deliveries d
                  where d.due_at is not null and d.claimed_by is null and d.brand_ref = brand
                  order by d.subscription_ref, d.due_at limit 1)
                union all
                select n.subscription_ref, n.due_at from waiting w cross join lateral (
                    select d.subscription_ref, d.due_at from webhook_deliveries d
                     where d.due_at is not null and d.claimed_by is null and d.brand_ref = brand
                       and d.subscription_ref > w.ref
                     order by d.subscription_ref, d.due_at limit 1) n),
            ready as materialized (
                select s.ref, s.url, s.destination, array_position(lanes, brand || ' ' || s.destination) as place
                  from waiting w join webhook_subscriptions s on s.brand_ref = brand and s.ref = w.ref
                 where w.first_due <= due and s.active)
            select r.ref, r.url, r.destination from ready r where r.place is null or rooms[r.place] > 0
             order by r.place nulls first, r.ref <= turns[r.place], r.ref
        loop
            place := array_position(lanes, brand || ' ' || subscriber.destination);
            if place is null then
                lanes := lanes || (brand || ' ' || subscriber.destination);
                rooms := rooms || usual;
                place := cardinality(lanes);
            end if;
            continue when rooms[place] <= 0;
            return query
                with mine as (
                    select d.ctid from webhook_deliveries d
                     where d.due_at <= due and d.claimed_by is null and d.brand_ref = brand
                       and d.subscription_ref = subscriber.ref
                     order by d.due_at limit least(rooms[place], share) for update skip locked),
                claimed as (
                    update webhook_deliveries d set claimed_by = worker
                     where d.ctid = any(array(select m.ctid from mine m))
                    returning d.brand_ref, d.subscription_ref, d.sequence, d.attempts)
                select c.brand_ref, c.subscription_ref, c.sequence, c.attempts, e.id, e.body::text, subscriber.url,
                       subscriber.destination,
                       array(select k.sealed_secret from webhook_secrets k where k.brand_ref = c.brand_ref
                                and (k.expires_at is null or k.expires_at > due) order by k.ref desc)
                  from claimed c join events e on e.brand_ref = c.brand_ref and e.sequence = c.sequence;
            get diagnostics taken = row_count;
            rooms[place] := rooms[place] - taken;
            share := share - taken;
            free := free - taken;
            exit when share <= 0;
        end loop;
    end loop;
end $$;

-- previous release: releases claimed deliveries untried. Here and below, deliveries must be found by their key whatever the statistics say:
-- `+ 0` and `is not distinct from` keep the planner off indexes that would read all recent claims, or a whole subscription.
create or replace function release_webhook_deliveries(worker integer, brand_refs bigint[], subscription_refs bigint[],
                                           sequences bigint[]) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    update webhook_deliveries d set claimed_by = null
      from unnest(brand_refs, subscription_refs, sequences) b (brand_ref, subscription_ref, sequence)
     where d.brand_ref = b.brand_ref and d.sequence = b.sequence and d.subscription_ref + 0 = b.subscription_ref
       and d.claimed_by is not distinct from worker
$$;

-- previous release: after a claim whose result the worker did not receive, releases all that it does not have.
create or replace function release_other_webhook_deliveries(worker integer, brand_refs bigint[], subscription_refs bigint[],
                                                 sequences bigint[]) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update webhook_deliveries d set claimed_by = null
     where d.claimed_by = worker
       and (d.brand_ref, d.subscription_ref, d.sequence) not in (
           select b.brand_ref, b.subscription_ref, b.sequence
             from unnest(brand_refs, subscription_refs, sequences) b (brand_ref, subscription_ref, sequence))
$$;

-- previous release: frees deliveries that its workers had claimed when they ended. A worker holds an advisory lock (kind
-- 1463899721) with its number for as long as its connection lasts, so the server releases it however the worker ends.
create or replace function free_webhook_deliveries() returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update webhook_deliveries d set claimed_by = null
      from (select w.claimed_by from (select distinct x.claimed_by from webhook_deliveries x
                                       where x.claimed_by is not null offset 0) w
             where pg_try_advisory_xact_lock(1463899721, w.claimed_by)) gone
     where d.claimed_by = gone.claimed_by
$$;

-- previous release: records attempts; each delivery ends or waits for its next attempt. Subscriptions are locked first, as a transaction that
-- deletes one does too. A subscription that is just being changed is not waited for: that change of `active` wins, as if the receiver's
-- 410 had come before it.
create or replace function note_webhook_attempts(worker integer, brand_refs bigint[], subscription_refs bigint[], sequences bigint[],
                                      ats timestamptz[], outcomes text[], statuses integer[], durations integer[],
                                      answers text[], errors text[], next_attempts timestamptz[]) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
    perform from webhook_subscriptions s where s.ref = any(subscription_refs) order by s.ref for key share;
    if 'gone' = any(outcomes) then
        with gone as (
            update webhook_subscriptions s set active = false, updated_at = n.at
              from unnest(brand_refs, subscription_refs, outcomes, ats) n (brand_ref, subscription_ref, outcome, at)
             where n.outcome = 'gone' and s.brand_ref = n.brand_ref and s.ref = n.subscription_ref
               and s.ref in (select x.ref from webhook_subscriptions x where x.ref = any(subscription_refs) and x.active
                                for no key update skip locked)
            returning s.brand_ref, s.ref, s.updated_at)
        insert into audit_entries (at, actor, action, subject, subject_ref, brand_ref, details)
        select g.updated_at, 'worker', 'deactivate', 'webhook subscription', g.ref, g.brand_ref, '{"status": 410}'
          from gone g;
    end if;
    insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, status, milliseconds, answer,
                                  error, next_attempt_at)
    select d.brand_ref, d.subscription_ref, d.sequence, d.attempts + 1, n.at, n.outcome, n.status, n.milliseconds,
           n.answer, n.error, n.next_attempt_at
      from unnest(brand_refs, subscription_refs, sequences, ats, outcomes, statuses, durations, answers, errors,
                  next_attempts)
           n (brand_ref, subscription_ref, sequence, at, outcome, status, milliseconds, answer, error, next_attempt_at)
      join webhook_deliveries d on d.brand_ref = n.brand_ref and d.sequence = n.sequence
           and d.subscription_ref + 0 = n.subscription_ref and d.claimed_by is not distinct from worker
       for key share of d;
    update webhook_deliveries d
       set claimed_by = null, attempts = d.attempts + 1,
           due_at = n.next_attempt_at,
           delivered_at = case when n.outcome = 'delivered' then n.at end,
           dead_at = case when n.outcome in ('dead', 'gone') then n.at end
      from unnest(brand_refs, subscription_refs, sequences, ats, outcomes, next_attempts)
           n (brand_ref, subscription_ref, sequence, at, outcome, next_attempt_at)
     where d.brand_ref = n.brand_ref and d.sequence = n.sequence and d.subscription_ref + 0 = n.subscription_ref
       and d.claimed_by is not distinct from worker;
end $$;

-- Across brands, for the metrics.
create or replace function count_waiting_webhook_deliveries(due timestamptz) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select count(*) from webhook_deliveries d
             where d.due_at is not null and d.claimed_by is null and d.due_at <= due
               and exists (select from webhook_subscriptions s where s.ref = d.subscription_ref and s.active));

-- For the metrics: since when the oldest delivery is due. It skips from subscription to subscription of those with waiting
-- deliveries, as claim_due_webhook_deliveries does.
create or replace function oldest_due_webhook_delivery(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, ref, first_due) as (
        (select d.brand_ref, d.subscription_ref, d.due_at from webhook_deliveries d
          where d.due_at is not null and d.claimed_by is null
          order by d.brand_ref, d.subscription_ref, d.due_at limit 1)
        union all
        select n.brand_ref, n.subscription_ref, n.due_at from waiting w cross join lateral (
            select d.brand_ref, d.subscription_ref, d.due_at from webhook_deliveries d
             where d.due_at is not null and d.claimed_by is null
               and (d.brand_ref, d.subscription_ref) > (w.brand_ref, w.ref)
             order by d.brand_ref, d.subscription_ref, d.due_at limit 1) n)
    select min(w.first_due) from waiting w
      join webhook_subscriptions s on s.brand_ref = w.brand_ref and s.ref = w.ref and s.active
     where w.first_due <= at
$$;

-- Across brands, for the worker: removes what is older than `older_than`: attempts, deliveries without attempts that ended or
-- are held, events without deliveries; and secrets that expired. At most `most` rows of each, the oldest first; returns how
-- many (see kit/functions.sql). Without hash and merge joins, which would read all deliveries and attempts; planned anew each
-- time, since the planner must know how few events are old.
create or replace function prune_webhooks(older_than timestamptz, now_at timestamptz, most integer) returns bigint
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_custom_plan as $$
declare
    removed bigint := 0;
    deleted bigint;
begin
    delete from webhook_attempts where ctid = any(array(
        select a.ctid from webhook_attempts a where a.at < older_than order by a.at, a.ref limit most));
    get diagnostics deleted = row_count;
    removed := removed + deleted;
    delete from webhook_deliveries where ctid = any(array(
        select d.ctid from events e
          join webhook_deliveries d on d.brand_ref = e.brand_ref and d.sequence = e.sequence
          join webhook_subscriptions s on s.brand_ref = d.brand_ref and s.ref = d.subscription_ref
         where coalesce(e.numbered_at, e.at) < older_than
           and (d.due_at is null or not s.active) and d.claimed_by is null
           and not exists (select from webhook_attempts a where a.brand_ref = d.brand_ref
                              and a.sequence = d.sequence and a.subscription_ref = d.subscription_ref)
         order by e.brand_ref, e.sequence, d.subscription_ref limit most for update of d skip locked));
    get diagnostics deleted = row_count;
    removed := removed + deleted;
    with gone as (
        delete from events where ctid = any(array(
            select e.ctid from events e
             where coalesce(e.numbered_at, e.at) < older_than
               and not exists (select from webhook_deliveries d where d.brand_ref = e.brand_ref
                                                        and d.sequence = e.sequence)
             order by e.brand_ref, e.sequence limit most))
        returning events.brand_ref, events.sequence
    ), highest as (
        select g.brand_ref, max(g.sequence) as sequence, count(*) as number from gone g group by g.brand_ref
    ), noted as (
        update event_sequences s set pruned = greatest(s.pruned, h.sequence)
          from highest h where s.brand_ref = h.brand_ref)
    select coalesce(sum(h.number), 0) into deleted from highest h;
    delete from webhook_secrets k where k.expires_at < now_at;
    return removed + deleted;
end $$;

-- previous release: erases a site's names from the events of the transaction's brand, and receivers' responses, which may
-- repeat them.
create or replace function forget_site_in_events(asked_site_ref bigint) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update webhook_attempts a set answer = null from events e
     where e.brand_ref = current_brand() and e.site_ref = asked_site_ref
       and a.brand_ref = e.brand_ref and a.sequence = e.sequence and a.answer is not null;
    select erase_site_in_events(asked_site_ref);
$$;

-- Across brands, for the operator's commands; no secret.
create or replace function all_webhook_subscriptions(asked_brand_ref bigint)
    returns table (brand_ref bigint, ref bigint, event text, url text, active boolean, waiting bigint, dead bigint,
                   last_attempt_at timestamptz, last_outcome text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.brand_ref, s.ref, s.event, s.url, s.active, d.waiting, d.dead, a.at, a.outcome
      from webhook_subscriptions s
     cross join lateral (
           select count(*) filter (where w.delivered_at is null and w.dead_at is null) as waiting, count(w.dead_at) as dead
             from webhook_deliveries w where w.brand_ref = s.brand_ref and w.subscription_ref = s.ref) d
      left join lateral (
           select t.at, t.outcome from webhook_attempts t
            where t.brand_ref = s.brand_ref and t.subscription_ref = s.ref order by t.ref desc limit 1) a on true
     where asked_brand_ref is null or s.brand_ref = asked_brand_ref
     order by s.brand_ref, s.ref
$$;

-- Across brands, for the operator's commands, which name subscriptions and attempts by their refs alone.
create or replace function brand_of_webhook_subscription(asked_ref bigint) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select s.brand_ref from webhook_subscriptions s where s.ref = asked_ref);

create or replace function subscription_of_webhook_attempt(asked_ref bigint) returns table (brand_ref bigint, subscription_ref bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select a.brand_ref, a.subscription_ref from webhook_attempts a where a.ref = asked_ref
$$;

revoke execute on function claim_webhook_deliveries, release_webhook_deliveries, release_other_webhook_deliveries,
    free_webhook_deliveries, note_webhook_attempts, count_waiting_webhook_deliveries, oldest_due_webhook_delivery,
    prune_webhooks, forget_site_in_events, all_webhook_subscriptions, brand_of_webhook_subscription,
    subscription_of_webhook_attempt from public;
grant execute on function claim_webhook_deliveries, release_webhook_deliveries, release_other_webhook_deliveries,
    free_webhook_deliveries, note_webhook_attempts, count_waiting_webhook_deliveries, oldest_due_webhook_delivery,
    prune_webhooks, forget_site_in_events, all_webhook_subscriptions, brand_of_webhook_subscription,
    subscription_of_webhook_attempt to sitewright_service;
