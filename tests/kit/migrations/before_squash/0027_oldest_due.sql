-- Since when the oldest work of each kind is due, across brands, for the metrics: each is answered from the beginning of an
-- index, however much there is. Null: nothing is due.

-- Users set aside by the sweep (0026) are left out here and counted on their own. As in 0018, the first entry of the index
-- is asked for, and compared afterwards: else the planner may read every package there is.
create function oldest_due_package(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(first.due_at) from brands b cross join lateral (
        select a.due_at from account_packages a
         where a.brand_ref = b.brand_ref and a.ended_at is null and a.due_at is not null
           and (a.brand_ref, a.user_ref) not in (select f.brand_ref, f.user_ref from package_sweep_failures f)
         order by a.due_at, a.ref limit 1
    ) first where first.due_at <= at
$$;
create function oldest_due_reminder(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(first.remind_at) from brands b cross join lateral (
        select a.remind_at from account_packages a
         where a.brand_ref = b.brand_ref and a.ended_at is null and a.remind_at is not null
         order by a.remind_at, a.ref limit 1
    ) first where first.remind_at <= at
$$;

-- A mail in a sender's hands, or one that waits for its next attempt, is not due.
create function oldest_due_mail(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(first.next_attempt_at) from (
        (select m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null and m.is_awaited order by m.next_attempt_at limit 1)
        union all
        (select m.next_attempt_at from mails m
          where m.sent_at is null and m.failed_at is null and not m.is_awaited order by m.next_attempt_at limit 1)
    ) first where first.next_attempt_at <= at
$$;

-- From subscription to subscription of those that something waits for, as claim_webhook_deliveries goes.
create function oldest_due_webhook_delivery(at timestamptz) returns timestamptz
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

create function oldest_due_user_report(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(r.created_at) from user_reports r
     where r.finished_at is null and r.failed_at is null and r.give_up_at > at and r.created_at <= at
$$;

-- What a registrar has still to be told: a registration since it was bought, a renewal since the end of what is registered,
-- a release since the domain ended. A registration that the registrar refused for good is not due.
create index account_domains_due on account_domains ((coalesce(ended_at, registered_until, registered_at)))
    where (ended_at is null and status <> 'failed' and (registered_until is null or registered_until < expires_at))
       or (ended_at is not null and released_at is null);
create function oldest_due_account_domain(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select first.since from (
        select coalesce(d.ended_at, d.registered_until, d.registered_at) as since from account_domains d
         where (d.ended_at is null and d.status <> 'failed'
                and (d.registered_until is null or d.registered_until < d.expires_at))
            or (d.ended_at is not null and d.released_at is null)
         order by 1 limit 1
    ) first where first.since <= at
$$;

create index mailboxes_pending on mailboxes (updated_at) where status = 'pending';
create function oldest_due_mailbox(at timestamptz) returns timestamptz
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(m.updated_at) from mailboxes m where m.status = 'pending' and m.updated_at <= at
$$;

revoke execute on function oldest_due_package, oldest_due_reminder, oldest_due_mail, oldest_due_webhook_delivery,
    oldest_due_user_report, oldest_due_account_domain, oldest_due_mailbox from public;
grant execute on function oldest_due_package, oldest_due_reminder, oldest_due_mail, oldest_due_webhook_delivery,
    oldest_due_user_report, oldest_due_account_domain, oldest_due_mailbox to sitewright_service;
