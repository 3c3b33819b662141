-- As in 0008, but that the limit holds. Where the mails to claim were part of a join, a worker that had begun with an empty
-- outbox kept a plan that looked for them anew for every row, and claimed all there were at once.
create or replace function claim_mails(due timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with mine as materialized (
        select w.brand_ref, w.ref from mails w
         where w.sent_at is null and w.failed_at is null and w.next_attempt_at <= due
         order by w.is_awaited desc, w.next_attempt_at, w.ref limit most for update skip locked)
    update mails m set next_attempt_at = lease_until, attempts = m.attempts + 1 from mine
     where m.brand_ref = mine.brand_ref and m.ref = mine.ref
    returning m.brand_ref, m.ref
$$;
