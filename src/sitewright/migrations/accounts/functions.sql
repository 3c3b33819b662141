-- Functions of users, packages and reports. Applied again whenever this file changes.

-- Across brands, for the log-in page: the users with this name, in one brand or (null) in all.
create or replace function log_in_candidates(asked_username_key text, asked_brand_ref bigint)
    returns table (brand_ref bigint, user_ref bigint, password_hash text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select u.brand_ref, u.ref, u.password_hash from users u
     where u.username_key = asked_username_key and u.deleted_at is null and u.anonymised_at is null
       and u.brand_ref in (select b.brand_ref from brands b
                            where asked_brand_ref is null or b.brand_ref = asked_brand_ref)
     order by u.brand_ref limit 10
$$;

-- Across brands, for the worker: removes tokens and sessions that have expired, except sessions of operators, whose end is
-- audited (see brands_with_expired_operator_sessions).
create or replace function prune_expired_tokens(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    with tokens as (
        delete from one_time_tokens where ctid = any(array(
            select t.ctid from one_time_tokens t where t.expires_at < older_than order by t.expires_at limit most))
        returning 1
    ), ended as (
        delete from sessions where ctid = any(array(
            select s.ctid from sessions s where s.expires_at < older_than and s.operator_ref is null
             order by s.expires_at limit most))
        returning 1)
    select (select count(*) from tokens) + (select count(*) from ended)
$$;

-- Across brands, for the worker: brands with sessions of operators that have expired; they are ended within each brand.
create or replace function brands_with_expired_operator_sessions(now_at timestamptz) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select distinct s.brand_ref from sessions s where s.operator_ref is not null and s.expires_at <= now_at
$$;

-- previous release: its name of prune_expired_tokens.
create or replace function prune_given_secrets(older_than timestamptz) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select prune_expired_tokens(older_than, null)
$$;

-- Across brands, for the worker: the brands with due packages or reminders, in random order, with their even share of `most`
-- changes. It begins like all claims (see claim_due_mails); the sweep then locks users in a transaction of each brand. It reads
-- the first entry of each index and then compares its time: for `exists (... due_at <= now_at)` the planner would read every
-- package. Users in package_sweep_failures are left out, since they are claimed by claim_due_package_failures. A test brand has a
-- clock of its own, which is ahead of `now_at`.
create or replace function due_package_shares(now_at timestamptz, most integer, finished_brands bigint[])
    returns table (brand_ref bigint, share integer)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with waiting as (
        select b.brand_ref, b.clock_offset,
               least((select a.due_at from account_packages a
                       where a.brand_ref = b.brand_ref and a.ended_at is null and a.due_at is not null
                         and (a.brand_ref, a.user_ref) not in (select f.brand_ref, f.user_ref from package_sweep_failures f)
                       order by a.due_at, a.ref limit 1),
                     (select a.remind_at from account_packages a
                       where a.brand_ref = b.brand_ref and a.ended_at is null and a.remind_at is not null
                       order by a.remind_at, a.ref limit 1)) as due_at
          from brands b where b.brand_ref <> all (finished_brands)
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at + w.clock_offset order by random()
    )
    select r.brand_ref, brand_share(most, (select count(*) from ready)) from ready r
$$;

-- Across brands: users whose due packages failed and are due for a retry, leased to the worker. Of the shape that all tables of
-- work share (see claim_due_mails); each brand has one queue. Without `retry_at` a user is a dead letter.
create or replace function claim_due_package_failures(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, user_ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive waiting (brand_ref, retry_at) as (
        (select f.brand_ref, f.retry_at from package_sweep_failures f where f.retry_at is not null
          order by f.brand_ref, f.retry_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select f.brand_ref, f.retry_at from package_sweep_failures f
             where f.retry_at is not null and f.brand_ref > w.brand_ref
             order by f.brand_ref, f.retry_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.retry_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.user_ref from ready x cross join lateral (
            select f.brand_ref, f.user_ref from package_sweep_failures f
             where f.brand_ref = x.brand_ref and f.retry_at <= now_at
             order by f.retry_at, f.user_ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update package_sweep_failures f set retry_at = lease_until, attempts = f.attempts + 1
      from due d where f.brand_ref = d.brand_ref and f.user_ref = d.user_ref
    returning f.brand_ref, f.user_ref, f.attempts
$$;

-- previous release
create or replace function brands_with_due_packages(until timestamptz) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b
     where least((select a.due_at from account_packages a
                   where a.brand_ref = b.brand_ref and a.ended_at is null and a.due_at is not null
                   order by a.due_at limit 1),
                 (select a.remind_at from account_packages a
                   where a.brand_ref = b.brand_ref and a.ended_at is null and a.remind_at is not null
                   order by a.remind_at limit 1)) <= until
     order by b.brand_ref
$$;

-- Across brands, for the metrics: since when the oldest package is due; null if none is. It reads only the beginning of an index
-- (see due_package_shares). Users in package_sweep_failures are left out, since they have a metric of their own.
create or replace function oldest_due_package(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(first.due_at) from brands b cross join lateral (
        select a.due_at from account_packages a
         where a.brand_ref = b.brand_ref and a.ended_at is null and a.due_at is not null
           and (a.brand_ref, a.user_ref) not in (select f.brand_ref, f.user_ref from package_sweep_failures f)
         order by a.due_at, a.ref limit 1
    ) first where first.due_at <= at
$$;

create or replace function oldest_due_reminder(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(first.remind_at) from brands b cross join lateral (
        select a.remind_at from account_packages a
         where a.brand_ref = b.brand_ref and a.ended_at is null and a.remind_at is not null
         order by a.remind_at, a.ref limit 1
    ) first where first.remind_at <= at
$$;

-- Across brands, for the operator: who failed and why.
create or replace function all_package_sweep_failures(asked_brand_ref bigint, most integer)
    returns table (brand_ref bigint, user_ref bigint, account_package_ref bigint, failed_at timestamptz, attempts integer,
                   reason text, retry_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select f.brand_ref, f.user_ref, f.account_package_ref, f.failed_at, f.attempts, f.reason, f.retry_at
      from package_sweep_failures f where asked_brand_ref is null or f.brand_ref = asked_brand_ref
     order by f.failed_at, f.brand_ref, f.user_ref limit most
$$;

-- Across brands, for the operator: makes failed users due for a retry at `at`, and returns them.
create or replace function retry_package_sweep_failures(asked_brand_ref bigint, asked_user_ref bigint, at timestamptz)
    returns table (brand_ref bigint, user_ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update package_sweep_failures f set retry_at = at
     where (asked_brand_ref is null or f.brand_ref = asked_brand_ref)
       and (asked_user_ref is null or f.user_ref = asked_user_ref)
    returning f.brand_ref, f.user_ref
$$;

-- Across brands, for the metrics.
create or replace function count_package_sweep_dead_letters() returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select count(*) from package_sweep_failures f where f.retry_at is null);

-- A cell of a CSV file that no spreadsheet takes for a formula: an apostrophe before each character that could begin one, at
-- the beginning and after separators. Equal to kit.spreadsheets.safe_cell (a test compares them).
create or replace function safe_cell(cell text) returns text language sql immutable parallel safe
    return regexp_replace(
        cell,
        '(\A|[;,|\t\n\v\f\r\u0085\u2028\u2029])([ "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]*)'
            || '(?=[=+@\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b-])',
        '\1\2''',
        'g'
    );

-- previous release: reports still to be generated, oldest first.
create or replace function pending_user_reports(at timestamptz, most integer) returns table (brand_ref bigint, ref bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select r.brand_ref, r.ref from user_reports r
     where r.finished_at is null and r.failed_at is null and r.give_up_at > at and r.user_ref is null
     order by r.created_at, r.ref limit most
$$;

-- For the metrics: since when the oldest report waits.
create or replace function oldest_due_user_report(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(r.due_at) from user_reports r where r.finished_at is null and r.failed_at is null and r.due_at <= at
$$;

-- Across brands: reports that are due, leased to the worker. It has the structure of claim_due_mails, which is explained there;
-- each brand has one queue. `starts` counts the attempts.
create or replace function claim_due_user_reports(now_at timestamptz, lease_until timestamptz, most integer)
    returns table (brand_ref bigint, ref bigint, attempts integer)
    language sql security definer set search_path = pg_catalog, public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    with recursive waiting (brand_ref, due_at) as (
        (select r.brand_ref, r.due_at from user_reports r where r.finished_at is null and r.failed_at is null
          order by r.brand_ref, r.due_at limit 1)
        union all
        select n.* from waiting w cross join lateral (
            select r.brand_ref, r.due_at from user_reports r
             where r.finished_at is null and r.failed_at is null and r.brand_ref > w.brand_ref
             order by r.brand_ref, r.due_at limit 1) n
    ), ready as (
        select w.brand_ref from waiting w where w.due_at <= now_at order by random()
    ), due as materialized (
        select d.brand_ref, d.ref from ready x cross join lateral (
            select r.brand_ref, r.ref from user_reports r
             where r.finished_at is null and r.failed_at is null and r.brand_ref = x.brand_ref and r.due_at <= now_at
             order by r.due_at, r.ref limit brand_share(most, (select count(*) from ready)) for update skip locked) d
         limit most
    )
    update user_reports r set due_at = lease_until, starts = r.starts + 1
      from due d where r.brand_ref = d.brand_ref and r.ref = d.ref
    returning r.brand_ref, r.ref, r.starts
$$;

-- Across brands, for the worker: removes reports that expired and fails those not finished in time, a few at a time because
-- files may be large. Returns whether there may be more.
create or replace function tidy_user_reports(at timestamptz, failed_before timestamptz, most integer) returns boolean
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update user_reports set failed_at = give_up_at, failure = 'not finished in time'
     where finished_at is null and failed_at is null and give_up_at <= at;
    with over as (
        delete from user_reports r using (
            select o.brand_ref, o.ref from user_reports o
             where o.expires_at <= at or o.failed_at < failed_before
             order by o.brand_ref, o.ref limit most
        ) old where r.brand_ref = old.brand_ref and r.ref = old.ref returning r.ref
    ), pieces_of_failed as (
        delete from user_report_pieces p using (
            select f.brand_ref, f.ref from user_reports f
             where f.failed_at >= failed_before and exists (select from user_report_pieces e
                                                             where e.brand_ref = f.brand_ref and e.report_ref = f.ref)
             order by f.brand_ref, f.ref limit most
        ) failed where p.brand_ref = failed.brand_ref and p.report_ref = failed.ref returning p.number
    )
    select exists (select from over) or exists (select from pieces_of_failed)
$$;

-- Across brands, for the operator: the state of reports, newest first.
create or replace function all_user_reports(at timestamptz, failed_only boolean, most integer)
    returns table (brand_ref bigint, ref bigint, created_at timestamptz, starts integer, finished_at timestamptz,
                   expires_at timestamptz, bytes bigint, failed_at timestamptz, failure text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select r.brand_ref, r.ref, r.created_at, r.starts, r.finished_at, r.expires_at, r.bytes, r.failed_at, r.failure
      from user_reports r
     where (r.expires_at is null or r.expires_at > at) and (r.failed_at is not null or not failed_only)
     order by r.created_at desc, r.ref desc limit most
$$;

-- Across brands, for the worker: those whose search terms are being rebuilt.
create or replace function brands_to_index() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select brand_ref from search_rebuilds order by brand_ref
$$;

-- Across brands, for the operator: rebuild the search terms of every brand, from the beginning.
create or replace function restart_search_rebuilds() returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    insert into search_rebuilds (brand_ref) select b.brand_ref from brands b
        on conflict (brand_ref) do update set after_ref = 0
$$;

revoke execute on function log_in_candidates, prune_expired_tokens, prune_given_secrets, due_package_shares,
    brands_with_expired_operator_sessions,
    claim_due_package_failures, brands_with_due_packages, oldest_due_package,
    oldest_due_reminder, all_package_sweep_failures, retry_package_sweep_failures, count_package_sweep_dead_letters,
    pending_user_reports, claim_due_user_reports, oldest_due_user_report, tidy_user_reports, all_user_reports,
    brands_to_index, restart_search_rebuilds from public;
grant execute on function log_in_candidates, prune_expired_tokens, prune_given_secrets, due_package_shares,
    brands_with_expired_operator_sessions,
    claim_due_package_failures, brands_with_due_packages, oldest_due_package,
    oldest_due_reminder, all_package_sweep_failures, retry_package_sweep_failures, count_package_sweep_dead_letters,
    pending_user_reports, claim_due_user_reports, oldest_due_user_report, tidy_user_reports, all_user_reports,
    brands_to_index, restart_search_rebuilds to sitewright_service;

-- Locks the rows of users, for features that cannot import accounts/users and for use inside a statement. Returns the refs of
-- the users that exist, in ascending order. Lock order: users before anything that belongs to them.
create or replace function lock_users(asked_refs bigint[]) returns setof bigint language sql as $$
    select u.ref from users u where u.brand_ref = current_brand() and u.ref = any(asked_refs) order by u.ref
       for no key update
$$;
-- Like lock_users, but skips users that another transaction has locked.
create or replace function lock_free_users(asked_refs bigint[]) returns setof bigint language sql as $$
    select u.ref from users u where u.brand_ref = current_brand() and u.ref = any(asked_refs) order by u.ref
       for no key update skip locked
$$;
