-- Events with their deliveries, and mails, of the last 30 days, which is how long they are kept. All are delivered, sent or dead
-- letters: nothing is due, so nothing of this is sent.

create temp table hooks on commit drop as
select nextval(pg_get_serial_sequence('webhook_subscriptions', 'ref')) as ref, h.*
  from (values (1, 'https://billing.harbour.example/hooks/sites', true, 300), (2, 'https://crm.harbour.example/hooks', false,
      520))
       h (number, url, active, age) order by h.number;
insert into webhook_subscriptions (brand_ref, ref, event, url, destination, active, created_at, updated_at)
select current_brand(), ref, 'site.publish', url, split_part(url, '/', 3) || ':443', active,
    pg_temp.history_at() - make_interval(days => age),
       pg_temp.history_at() - make_interval(days => case when active then age else 11 end)
  from hooks order by ref;

create temp table occurred on commit drop as
select row_number() over (order by p.published_at, p.site_ref) as sequence, p.*, md5('event' || p.site_ref || '/'
    || p.version_ref)::uuid as id
  from (select site_ref, version_ref, user_ref, date_trunc('second', published_at) as published_at from published
         where published_at > pg_temp.history_at() - interval '29 days') p;
insert into events (brand_ref, sequence, id, kind, body, at)
select current_brand(), o.sequence, o.id, 'site.publish',
       json_build_object('eventName', 'site.publish', 'id', o.id, 'created', to_char(o.published_at at time zone 'UTC',
           'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
           'site', json_build_object('ref', o.site_ref, 'accountHolderRef', o.user_ref, 'primaryUrl', 'http://' || d.domain),
           'accountHolder', json_build_object('ref', o.user_ref), 'brand', json_build_object('ref', current_brand(), 'name',
               b.name),
           'versionRef', o.version_ref, 'testMode', false, 'sequence', o.sequence),
       o.published_at
  from occurred o
  join brands b on b.brand_ref = current_brand()
  join sites s on s.brand_ref = current_brand() and s.ref = o.site_ref
  left join site_domains d on d.brand_ref = current_brand() and d.ref = s.primary_domain_ref
 order by o.sequence;
insert into event_sequences (brand_ref, last) select current_brand(), count(*) from occurred;

-- Most deliveries succeed at once, some at a second attempt, and a few never. The second receiver is gone since eleven days.
create temp table delivered on commit drop as
select h.ref as subscription_ref, o.sequence, o.published_at, x.outcome,
       case x.outcome when 'dead' then 9 when 'second' then 2 else 1 end as attempts
  from occurred o join hooks h on h.active or o.published_at < pg_temp.history_at() - interval '11 days'
 cross join lateral (
     select case when not h.active and o.sequence = (select max(sequence) from occurred
         where published_at < pg_temp.history_at() - interval '11 days')
                 then 'gone'
                 when pg_temp.dice(o.sequence * 10 + h.number, 'fails', 1000) < 22
                     and o.published_at < pg_temp.history_at() - interval '4 days' then 'dead'
                 when pg_temp.dice(o.sequence * 10 + h.number, 'late', 100) < 9
                     and o.published_at < pg_temp.history_at() - interval '1 hour' then 'second'
                 else 'first' end as outcome) x;
create temp table tried on commit drop as
select d.subscription_ref, d.sequence, k as number, d.attempts, d.outcome,
       d.published_at + make_interval(secs => 1 + (array[0, 5, 300, 1800, 7200, 18000, 36000, 86400, 172800])[k]) as at
  from delivered d cross join lateral generate_series(1, d.attempts) k;
insert into webhook_deliveries (brand_ref, subscription_ref, sequence, attempts, delivered_at, dead_at)
select current_brand(), d.subscription_ref, d.sequence, d.attempts, case when d.outcome in ('first', 'second') then t.at end,
       case when d.outcome in ('dead', 'gone') then t.at end
  from delivered d join tried t on t.subscription_ref = d.subscription_ref and t.sequence = d.sequence and t.number = d.attempts
 order by d.sequence, d.subscription_ref;
insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, status, milliseconds, answer, error,
                              next_attempt_at)
select current_brand(), t.subscription_ref, t.sequence, t.number, t.at, x.outcome, x.status, 35 + pg_temp.dice(t.sequence,
    'took', 400),
       case when x.status is not null then case x.outcome when 'delivered' then '{"ok":true}'
           else 'Temporarily unavailable' end end,
       case when x.status is null then 'no response within 10 s' end,
       lead(t.at) over (partition by t.subscription_ref, t.sequence order by t.number)
  from tried t cross join lateral (
      select case when t.outcome = 'gone' then 'gone' when t.number < t.attempts then 'retrying'
                  when t.outcome = 'dead' then 'dead' else 'delivered' end as outcome,
             case when t.outcome = 'gone' then 410 when t.number = t.attempts and t.outcome <> 'dead' then 200
                  when pg_temp.dice(t.sequence, 'status', 3) = 0 then null when pg_temp.dice(t.sequence, 'status', 3) = 1
                      then 500 else 503 end as status) x
 order by t.at, t.subscription_ref;

-- Mails: those that registrations, packages and visitors caused. Dead letters keep their sealed facts, for a retry.
insert into mails (brand_ref, user_ref, kind, facts, created_at, next_attempt_at, attempts, last_error, sent_at, failed_at)
select current_brand(), m.user_ref, m.kind, case when x.fails then f.facts end, m.at, m.at, case when x.fails then 12
    else 1 end, case when x.fails then x.error end,
       case when not x.fails then m.at + interval '2 seconds' end, case when x.fails then least(m.at + interval '2 days',
           pg_temp.history_at()) end
  from (select ref as user_ref, 'welcome' as kind, created_at as at from people
        union all
        select user_ref, case when is_add_on and kind = 'subscription' then 'domainOrdered' when is_add_on and kind = 'renewal'
            then 'domainRenewed'
                              when is_add_on then 'domainEnded' when reason = 'trialEnded' then 'trialEnded'
                              when kind = 'subscription' then 'subscribed' when kind = 'renewal' then 'renewed'
                                  when kind = 'upgrade' then 'upgraded'
                              when kind = 'downgrade' then 'downgraded' else 'cancelled' end, at
          from (select e.*, not p.is_subscription as is_add_on from happened e
              join packages_held p on p.ref = e.account_package_ref) e
         where kind in ('subscription', 'renewal', 'upgrade', 'downgrade', 'cancellation')) m
  join people p on p.ref = m.user_ref and p.deleted_at is null
  join history_facts f on f.kind = m.kind
 cross join lateral (select pg_temp.dice(p.n, 'mail fails' || m.kind, 100) < 3
     and m.at < pg_temp.history_at() - interval '3 hours' as fails,
                            pg_temp.pick(p.n, 'mail error',
                                '{550 5.1.1 mailbox does not exist,552 5.2.2 mailbox is full,554 5.7.1 rejected as spam}') as error) x
 where m.at > pg_temp.history_at() - interval '29 days'
 order by m.at, m.user_ref, m.kind;

-- Older failures are in the figures of the brand alone.
insert into daily_figures (brand_ref, day, figure, value)
select current_brand(), d.day, f.figure, f.value
  from (select d::date as day, n from generate_series((pg_temp.history_at() at time zone pg_temp.zone())::date - 520,
               (pg_temp.history_at() at time zone pg_temp.zone())::date - 31, '1 day') with ordinality s (d, n)) d
 cross join lateral (
     values ('deleted_failed_mails', pg_temp.dice(d.n, 'failed mails', 100) * (200 + d.n) / 40000),
            ('deleted_failed_deliveries', case when pg_temp.dice(d.n / 2, 'receiver is down', 23) = 0
                then 2 + pg_temp.dice(d.n, 'failed deliveries', 7) else pg_temp.dice(d.n, 'one failed', 12) / 11 end)) f (figure, value)
 where f.value > 0;
