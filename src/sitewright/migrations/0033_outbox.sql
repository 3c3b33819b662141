-- Claims of background work (kit/outbox), all of one shape:
--   waiting   the first item of each queue, found by one index probe per queue (a loose index scan)
--   ready     the queues whose first item is due, and how many items each may give
--   due       the items themselves, locked; what another worker is just claiming is skipped
--   claimed   leased: their due time is the end of the lease, so that a worker that dies loses them then
-- A queue belongs to one brand. Brands share what is claimed evenly, so that nobody waits behind another's backlog.

-- Mails: each brand has a queue of awaited ones and one of the others. Awaited ones go first.
drop index mails_waiting;
create index mails_due on mails (brand_ref, (not is_awaited), next_attempt_at, ref)
    where sent_at is null and failed_at is null;

create function claim_due_mails(now_at timestamptz, lease_until timestamptz, most integer, only_awaited boolean)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, is_late, due_at) as (
        (select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null
          order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
             where m.sent_at is null and m.failed_at is null
               and (m.brand_ref, not m.is_awaited) > (w.brand_ref, w.is_late)
             order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1) n
    ), ready as (
        select w.brand_ref, w.is_late from waiting w
         where w.due_at <= now_at and not (only_awaited and w.is_late)
         order by w.is_late, random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready r cross join lateral (
            select m.brand_ref, m.ref from mails m
             where m.sent_at is null and m.failed_at is null
               and m.brand_ref = r.brand_ref and not m.is_awaited = r.is_late and m.next_attempt_at <= now_at
             order by m.next_attempt_at, m.ref
             limit greatest(1, most / (select count(distinct x.brand_ref) from ready x))
               for update skip locked) d
         limit most
    ), claimed as (
        update mails m set next_attempt_at = lease_until, attempts = m.attempts + 1
          from due d where m.brand_ref = d.brand_ref and m.ref = d.ref
        returning m.brand_ref, m.ref, m.attempts, m.is_awaited)
    select c.brand_ref, c.ref, c.attempts from claimed c order by c.is_awaited desc, c.ref
$$;
-- Since when the oldest mail is due that no worker has claimed; null: none is.
create or replace function oldest_due_mail(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, is_late, due_at) as (
        (select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null
          order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
             where m.sent_at is null and m.failed_at is null
               and (m.brand_ref, not m.is_awaited) > (w.brand_ref, w.is_late)
             order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1) n)
    select min(w.due_at) from waiting w where w.due_at <= at
$$;

revoke execute on function claim_due_mails from public;
grant execute on function claim_due_mails to sitewright_service;
