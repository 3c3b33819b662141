-- Functions of the foundation. Applied again whenever this file changes.

-- Uses a nonce up; false: it was used before.
create or replace function use_oauth_nonce(asked_credential_ref bigint, asked_nonce text) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    insert into oauth_nonces values (asked_credential_ref, asked_nonce) on conflict do nothing;
    return found;
end $$;

-- Counts an attempt against its budgets (rate limits), atomically: attempts from one address, and for one account, wait for
-- each other. `attempt` set: it may be made. Null with `retry_after`: a budget is used up by failures. Null without: so many
-- attempts are being verified that the budget may be used up in a moment; ask again. `over_address`: more failures than
-- `address_limit`, so that a wrong attempt is refused as rate limited; from `address_cap` on none is made at all.
-- A pending attempt that was not ended within a minute (its process was killed) is a failure.
create or replace function reserve_attempt(
    asked_realm text, asked_address text, asked_key text, asked_pending boolean, failure_window integer,
    pair_limit integer, address_limit integer, address_cap integer, account_limit integer,
    out attempt bigint, out over_address boolean, out retry_after integer
) language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
    abandoned timestamptz := now() - interval '1 minute';
    is_trusted boolean;
    is_busy boolean := false;
    full_since timestamptz;
    address_full_since timestamptz;
begin
    perform set_config('synchronous_commit', 'off', true);
    perform pg_advisory_xact_lock(hashtextextended(asked_realm || ' ' || asked_address, 22));
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = asked_realm and t.key = asked_key
                             and t.proven_at > now() - interval '30 days');
    with recent as materialized (
        select f.key, f.failed_at, f.pending and f.failed_at > abandoned as is_waiting from authentication_failures f
         where f.address = asked_address::inet and f.realm = asked_realm and f.failed_at > since)
    select coalesce((array_agg(r.failed_at order by r.failed_at desc)
                       filter (where r.key = asked_key and not r.is_waiting))[pair_limit],
                    (array_agg(r.failed_at order by r.failed_at desc)
                       filter (where not r.is_waiting and not is_trusted))[address_cap]),
           (array_agg(r.failed_at order by r.failed_at desc) filter (where not r.is_waiting))[address_limit],
           count(*) filter (where r.key = asked_key) >= pair_limit or (count(*) >= address_cap and not is_trusted)
      into full_since, address_full_since, is_busy from recent r;
    if account_limit is not null and not is_trusted then
        perform pg_advisory_xact_lock(hashtextextended(asked_key, 22));
        select coalesce(full_since, (array_agg(f.failed_at order by f.failed_at desc)
                                       filter (where not f.pending or f.failed_at <= abandoned))[account_limit]),
               is_busy or count(*) >= account_limit
          into full_since, is_busy
          from authentication_failures f where f.key = asked_key and f.failed_at > since;
    end if;
    over_address := address_full_since is not null;
    retry_after := ceil(extract(epoch from coalesce(full_since, address_full_since) - since));
    if full_since is null and is_busy then
        retry_after := null;
    elsif full_since is null then
        insert into authentication_failures (address, key, realm, pending)
        values (asked_address::inet, asked_key, asked_realm, asked_pending) returning ref into attempt;
    end if;
end $$;

-- Ends a reserved attempt that was right. `clears`: the failures of its pair are removed as well, and its address is trusted
-- from now on.
create or replace function release_attempt(asked_attempt bigint, clears boolean) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    released authentication_failures;
begin
    perform set_config('synchronous_commit', 'off', true);
    delete from authentication_failures where ref = asked_attempt returning * into released;
    if clears and released.ref is not null then
        delete from authentication_failures f
         where f.address = released.address and f.key = released.key and not f.pending;
        insert into trusted_addresses as t (address, realm, key)
        values (released.address, released.realm, released.key)
        on conflict (address, realm, key) do update set proven_at = now()
         where t.proven_at < now() - interval '1 hour';
    end if;
end $$;

-- Ends a reserved attempt that was wrong.
create or replace function fail_attempt(asked_attempt bigint) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    update authentication_failures set pending = false where ref = asked_attempt;
end $$;

-- Removes the failures of one address and key.
create or replace function clear_authentication_failures(asked_address text, asked_key text) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from authentication_failures where address = asked_address::inet and key = asked_key
$$;

-- Before a log-in form is read: whether any name is trusted at its address; if not, how long the address must wait, or null.
-- Where a name is trusted, the form has to be read first.
create or replace function check_log_in_address(
    asked_realm text, asked_address text, failure_window integer, address_cap integer,
    out is_trusted boolean, out retry_after integer
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
begin
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = asked_realm
                             and t.proven_at > now() - interval '30 days');
    if not is_trusted then
        select ceil(extract(epoch from f.failed_at - since)) into retry_after
          from authentication_failures f
         where f.address = asked_address::inet and f.realm = asked_realm and f.failed_at > since and not f.pending
         order by f.failed_at desc offset address_cap - 1 limit 1;
    end if;
end $$;

-- Retention (kit/pruning) has one shape: the oldest rows, at most `most`, are found in the order of an index and deleted by
-- their place in the table (ctid). `in (select ... limit most)` would read the whole table for every batch, since the
-- planner does not know the limit; for the same reason it must not choose a sequential scan. Each function returns how many
-- rows it deleted. `default null` (no limit) is for the previous release, which calls some of them without `most`.

-- Across brands, for the worker: removes what authentication no longer needs.
create or replace function prune_authentication(nonce_age interval, failure_age interval, most integer default null) -- previous release
    returns bigint language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with nonces as (
        delete from oauth_nonces where ctid = any(array(
            select n.ctid from oauth_nonces n where n.used_at < now() - nonce_age order by n.used_at limit most))
        returning 1
    ), failures as (
        delete from authentication_failures where ctid = any(array(
            select f.ctid from authentication_failures f where f.failed_at < now() - failure_age order by f.ref limit most))
        returning 1
    ), addresses as (
        delete from trusted_addresses where ctid = any(array(
            select t.ctid from trusted_addresses t where t.proven_at < now() - interval '30 days'
             order by t.proven_at limit most))
        returning 1)
    select (select count(*) from nonces) + (select count(*) from failures) + (select count(*) from addresses)
$$;

-- Across brands, for the worker. Entries of the last 30 days always stay, so that an attacker who takes over the service
-- cannot hide what was done.
create or replace function prune_audit_entries(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from audit_entries where ctid = any(array(
            select e.ctid from audit_entries e where e.at < least(older_than, now() - interval '30 days')
             order by e.at, e.ref limit most))
        returning 1)
    select count(*) from gone
$$;

-- Across brands, for the worker.
create or replace function prune_idempotent_answers(older_than timestamptz, most integer default null) -- previous release
    returns bigint language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from idempotent_answers where ctid = any(array(
            select a.ctid from idempotent_answers a where a.kept_at < older_than order by a.kept_at limit most))
        returning 1)
    select count(*) from gone
$$;

-- Every claim of background work (kit/outbox) is built from the same steps:
--   waiting   the first item of each queue, found by one index probe per queue (a loose index scan)
--   ready     the queues whose first item is due, and the number of items to claim from each
--   due       the items themselves, locked; items that another worker is claiming are skipped
--   claimed   the lease: the due time becomes the end of the lease, so that the items of a worker that dies are claimed again then
-- Sequential scans, hash and merge joins are off, as they read the whole table, and where an index has the order of a
-- queue, bitmap scans and sorts: the planner does not know that few items are claimed at a time.
-- A queue belongs to one brand. Brands share what is claimed evenly, so that no brand waits behind another's backlog.

-- How many of at most `most` items each of so many brands may give to a claim.
create or replace function brand_share(most integer, brands bigint) returns integer language sql immutable parallel safe
    return greatest(1, most / greatest(1, brands))::integer;

-- Across brands, for the worker: each brand has a queue of awaited mails and one of the others. Awaited ones go first.
create or replace function claim_due_mails(now_at timestamptz, lease_until timestamptz, most integer, only_awaited boolean)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, not_awaited, due_at) as (
        (select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null
          order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
             where m.sent_at is null and m.failed_at is null
               and (m.brand_ref, not m.is_awaited) > (w.brand_ref, w.not_awaited)
             order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1) n
    ), ready as (
        select w.brand_ref, w.not_awaited from waiting w
         where w.due_at <= now_at and not (only_awaited and w.not_awaited)
         order by w.not_awaited, random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready r cross join lateral (
            select m.brand_ref, m.ref from mails m
             where m.sent_at is null and m.failed_at is null
               and m.brand_ref = r.brand_ref and (not m.is_awaited) = r.not_awaited and m.next_attempt_at <= now_at
             order by m.next_attempt_at, m.ref
             limit brand_share(most, (select count(distinct x.brand_ref) from ready x))
               for update skip locked) d
         limit most
    ), claimed as (
        update mails m set next_attempt_at = lease_until, attempts = m.attempts + 1
          from due d where m.brand_ref = d.brand_ref and m.ref = d.ref
        returning m.brand_ref, m.ref, m.attempts, m.is_awaited)
    select c.brand_ref, c.ref, c.attempts from claimed c order by c.is_awaited desc, c.ref
$$;

-- previous release
create or replace function claim_mails(due timestamptz, lease_until timestamptz, most integer, only_awaited boolean default false)
    returns table (brand_ref bigint, ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with mine as materialized (
        select w.brand_ref, w.ref from mails w
         where w.sent_at is null and w.failed_at is null and w.is_awaited >= only_awaited and w.next_attempt_at <= due
         order by w.is_awaited desc, w.next_attempt_at, w.ref limit most for update skip locked)
    update mails m set next_attempt_at = lease_until, attempts = m.attempts + 1 from mine
     where m.brand_ref = mine.brand_ref and m.ref = mine.ref
    returning m.brand_ref, m.ref
$$;

-- Since when the oldest mail is due that no worker has claimed, for the metrics; null: none is.
create or replace function oldest_due_mail(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, not_awaited, due_at) as (
        (select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null
          order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select m.brand_ref, not m.is_awaited, m.next_attempt_at from mails m
             where m.sent_at is null and m.failed_at is null
               and (m.brand_ref, not m.is_awaited) > (w.brand_ref, w.not_awaited)
             order by m.brand_ref, not m.is_awaited, m.next_attempt_at limit 1) n)
    select min(w.due_at) from waiting w where w.due_at <= at
$$;

-- Across brands, for the worker. A mail that is just being retried is skipped.
create or replace function prune_mails(older_than timestamptz, most integer default null) -- previous release
    returns bigint language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with gone as (
        delete from mails where ctid = any(array(
            select m.ctid from mails m
             where m.created_at < older_than and (m.sent_at is not null or m.failed_at is not null)
             order by m.created_at limit most for update skip locked))
        returning 1)
    select count(*) from gone
$$;

-- Across brands, for the operator: the state of mails, newest first; not their content.
create or replace function all_mails(failed_only boolean, most integer)
    returns table (brand_ref bigint, ref bigint, user_ref bigint, kind text, created_at timestamptz, attempts integer,
                   next_attempt_at timestamptz, sent_at timestamptz, failed_at timestamptz, last_error text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select m.brand_ref, m.ref, m.user_ref, m.kind, m.created_at, m.attempts, m.next_attempt_at, m.sent_at, m.failed_at,
           m.last_error
      from mails m where m.failed_at is not null or not failed_only
     order by m.created_at desc, m.ref desc limit most
$$;

-- Across brands, for the operator: retries mails that failed, or that wait for longer than one lease, from the first attempt.
create or replace function retry_mails(asked_brand_ref bigint, asked_ref bigint, due timestamptz, lease interval)
    returns table (brand_ref bigint, ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update mails m set next_attempt_at = due, failed_at = null, attempts = 0
     where m.sent_at is null and m.facts is not null
       and (m.failed_at is not null or m.next_attempt_at > due + lease)
       and (asked_brand_ref is null or m.brand_ref = asked_brand_ref) and (asked_ref is null or m.ref = asked_ref)
    returning m.brand_ref, m.ref
$$;

revoke execute on function use_oauth_nonce, reserve_attempt, release_attempt, fail_attempt,
    clear_authentication_failures, check_log_in_address, prune_authentication, prune_audit_entries,
    prune_idempotent_answers, claim_due_mails, claim_mails, oldest_due_mail, prune_mails, all_mails, retry_mails from public;
grant execute on function use_oauth_nonce, reserve_attempt, release_attempt, fail_attempt,
    clear_authentication_failures, check_log_in_address, prune_authentication, prune_audit_entries,
    prune_idempotent_answers, claim_due_mails, claim_mails, oldest_due_mail, prune_mails, all_mails, retry_mails to sitewright_service;

-- previous release: whether the session is one of it. Sessions of this release set `sitewright.release` when they connect
-- (kit/service_login.py); in all others triggers do what services do now. The next release drops this function, and every
-- trigger that calls it.
create or replace function is_previous_release() returns boolean language sql stable
    return coalesce(current_setting('sitewright.release', true), '') = '';
