-- The outbox of deliveries (kit/outbox): claiming, releasing, recording. Applied again whenever this file changes.

-- Claims at most `most` due deliveries, in the steps that claim_due_mails explains: `waiting` is the first delivery of each
-- subscription, found by one index probe each (a loose index scan). Each brand has a queue for each destination.
-- `brand_limits` bounds the deliveries of each brand in `brand_refs`, `queue_capacities` those of each queue (other queues:
-- `default_capacity`). The subscriptions of a queue whose deliveries are due first share its capacity evenly; brands take turns.
-- The result column `share` is the share of a subscription: one that has used it up may have more due deliveries.
create or replace function claim_due_webhook_deliveries(
    now_at timestamptz, lease_end timestamptz, most integer, brand_refs bigint[], brand_limits integer[],
    queue_brands bigint[], queue_destinations text[], queue_capacities integer[], default_capacity integer)
    returns table (brand_ref bigint, subscription_ref bigint, sequence bigint, attempts integer, due_at timestamptz,
                   url text, destination text, share bigint, event_id uuid, body text, sealed_secrets bytea[])
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, subscription_ref, due_at) as (
        (select d.brand_ref, d.subscription_ref, d.due_at from webhook_deliveries d
          where d.due_at is not null and d.claimed_by is null -- previous release: claimed by its workers
          order by d.brand_ref, d.subscription_ref, d.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select d.brand_ref, d.subscription_ref, d.due_at from webhook_deliveries d
             where d.due_at is not null and d.claimed_by is null
               and (d.brand_ref, d.subscription_ref) > (w.brand_ref, w.subscription_ref)
             order by d.brand_ref, d.subscription_ref, d.due_at limit 1) n
    ), subscriptions as (
        select s.brand_ref, s.ref, s.url, s.destination, w.due_at, coalesce(q.capacity, default_capacity) as capacity,
               row_number() over (partition by s.brand_ref, s.destination order by w.due_at, s.ref) as place,
               count(*) over (partition by s.brand_ref, s.destination) as size
          from waiting w
          join webhook_subscriptions s on s.brand_ref = w.brand_ref and s.ref = w.subscription_ref and s.active
          left join unnest(queue_brands, queue_destinations, queue_capacities) q (brand_ref, destination, capacity)
            on q.brand_ref = s.brand_ref and q.destination = s.destination
         where w.due_at <= now_at
    ), shares as (
        select s.*, s.capacity / least(s.size, s.capacity) as share from subscriptions s where s.place <= s.capacity
    ), ready as (
        select s.brand_ref, s.ref, s.url, s.destination, s.due_at, s.share,
               sum(s.share) over (partition by s.brand_ref order by s.place, s.due_at, s.ref) - s.share as before,
               coalesce(b.brand_limit, most) as brand_limit
          from shares s left join unnest(brand_refs, brand_limits) b (brand_ref, brand_limit) using (brand_ref)
    ), due as materialized (
        select d.brand_ref, d.subscription_ref, d.sequence, d.due_at, r.url, r.destination, r.share
          from (select * from ready where before < brand_limit order by before, due_at) r
         cross join lateral (
            select d.brand_ref, d.subscription_ref, d.sequence, d.due_at from webhook_deliveries d
             where d.brand_ref = r.brand_ref and d.subscription_ref = r.ref and d.due_at <= now_at and d.claimed_by is null
             order by d.due_at limit least(r.share, r.brand_limit - r.before) for update skip locked) d
         limit most
    ), claimed as (
        update webhook_deliveries d set due_at = lease_end, lease_until = lease_end
          from due
         where d.brand_ref = due.brand_ref and d.sequence = due.sequence and d.subscription_ref = due.subscription_ref
        returning d.brand_ref, d.subscription_ref, d.sequence, d.attempts, due.due_at, due.url, due.destination, due.share)
    select c.*, e.id, e.body::text,
           array(select k.sealed_secret from webhook_secrets k where k.brand_ref = c.brand_ref
                    and (k.expires_at is null or k.expires_at > now_at) order by k.ref desc)
      from claimed c join events e on e.brand_ref = c.brand_ref and e.sequence = c.sequence
$$;

-- Releases deliveries that were not tried: they get their former due time, if the worker still holds their lease.
create or replace function release_leased_webhook_deliveries(brand_refs bigint[], subscription_refs bigint[], sequences bigint[],
                                                  lease_ends timestamptz[], dues timestamptz[]) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update webhook_deliveries d set due_at = held.due_at, lease_until = null
      from unnest(brand_refs, subscription_refs, sequences, lease_ends, dues)
           held (brand_ref, subscription_ref, sequence, lease_until, due_at)
     where d.brand_ref = held.brand_ref and d.sequence = held.sequence and d.subscription_ref = held.subscription_ref
       and d.due_at = held.lease_until
$$;

-- Records attempts whose lease is still the worker's: each is kept, and its delivery is over or waits for its retry.
-- Subscriptions are locked first, since a transaction that deletes one also locks it before its deliveries. A subscription that is
-- just being changed is not waited for: its new `active` counts, as if the receiver's 410 had come before.
create or replace function record_webhook_attempts(brand_refs bigint[], subscription_refs bigint[], sequences bigint[],
                                        lease_ends timestamptz[], ats timestamptz[], outcomes text[], statuses integer[],
                                        durations integer[], answers text[], errors text[], next_attempts timestamptz[])
    returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
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
    with attempted as (
        select * from unnest(brand_refs, subscription_refs, sequences, lease_ends, ats, outcomes, statuses, durations, answers,
                             errors, next_attempts)
               n (brand_ref, subscription_ref, sequence, lease_until, at, outcome, status, milliseconds, answer, error,
                  next_attempt_at)
    ), recorded as (
        update webhook_deliveries d
           set attempts = d.attempts + 1, due_at = n.next_attempt_at, lease_until = null,
               delivered_at = case when n.outcome = 'delivered' then n.at end,
               dead_at = case when n.outcome in ('dead', 'gone') then n.at end
          from attempted n
         where d.brand_ref = n.brand_ref and d.sequence = n.sequence and d.subscription_ref = n.subscription_ref
           and d.due_at = n.lease_until
        returning d.brand_ref, d.subscription_ref, d.sequence, d.attempts as number, n.at, n.outcome, n.status,
                  n.milliseconds, n.answer, n.error, n.next_attempt_at)
    insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, status, milliseconds, answer,
                                  error, next_attempt_at)
    select * from recorded;
end $$;

revoke execute on function claim_due_webhook_deliveries, release_leased_webhook_deliveries, record_webhook_attempts from public;
grant execute on function claim_due_webhook_deliveries, release_leased_webhook_deliveries, record_webhook_attempts
    to sitewright_service;
