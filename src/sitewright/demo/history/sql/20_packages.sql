-- Packages, what happened to them, and charges, as accounts/account_packages writes them.

create function pg_temp.months_after(start timestamptz, months integer) returns timestamptz language sql stable
    return (start at time zone pg_temp.zone() + make_interval(months => months)) at time zone pg_temp.zone();

-- How many periods begin before `until`, at least one.
create function pg_temp.periods_until(start timestamptz, months integer,
    until timestamptz) returns integer language sql stable as $$
    select min(k)::integer
      from (select greatest(1, (12 * (extract(year from until) - extract(year from start)) + extract(month from until)
                                - extract(month from start))::integer / months - 1) as least) x
     cross join lateral generate_series(x.least, x.least + 4) k
     where pg_temp.months_after(start, k * months) >= until
$$;

create temp table prices on commit drop as
select p.key, p.ref as package_ref, r.ref as reseller_ref, l.billing_period_months as months, l.currency_ref,
       coalesce(o.price, l.price) as price
  from packages p
  join package_prices l on l.brand_ref = p.brand_ref and l.package_ref = p.ref and l.billing_period_months > 0
  cross join (select ref from resellers where brand_ref = current_brand() union all select 0) r (ref)
  left join reseller_prices o on o.brand_ref = p.brand_ref and o.reseller_ref = r.ref and o.package_ref = p.ref
       and o.billing_period_months = l.billing_period_months
 where p.brand_ref = current_brand();

-- When each customer tries, buys, changes and ends a subscription; null where it did not happen (yet).
create temp table stories on commit drop as
with chosen as materialized (
    select p.n, p.ref as user_ref, coalesce(u.reseller_ref, 0) as reseller_ref, p.created_at, p.deleted_at,
           coalesce(p.deleted_at, pg_temp.history_at()) as until,
           case when pg_temp.dice(p.n, 'tries', 100) < 44
                then p.created_at + make_interval(mins => 2 + pg_temp.dice(p.n, 'tries after', 4000)) end as trial_at,
           case when pg_temp.dice(p.n, 'plan', 100) < 64 then 'starter' else 'pro' end as first_plan,
           case when pg_temp.dice(p.n, 'yearly', 100) < 36 then 12 else 1 end as months
      from people p join users u on u.brand_ref = current_brand() and u.ref = p.ref
), tried as materialized (
    select c.*, case when trial_at < until then trial_at end as tried_at,
           case when trial_at < until then trial_at + interval '14 days' end as trial_ends_at,
           case when trial_at is null and pg_temp.dice(n, 'direct', 100) < 13
                then created_at + make_interval(mins => 4 + pg_temp.dice(n, 'direct after', 30000))
                when pg_temp.dice(n, 'converts', 100) < 43
                then trial_at + make_interval(mins => 900 + pg_temp.dice(n, 'converts after', 19000)) end as buys_at
      from chosen c
), bought as materialized (
    select t.*, case when buys_at < until then buys_at end as paid_at from tried t
), changed as materialized (
    select b.*, x.changed_at, case when x.changed_at is null then null when first_plan = 'starter' then 'pro'
        else 'starter' end as second_plan
      from bought b cross join lateral (
          select case when pg_temp.dice(n, 'changes', 100) < case first_plan when 'starter' then 22 else 15 end
                       and paid_at + make_interval(days => 9 + pg_temp.dice(n, 'changes after', 260)) < until
                      then paid_at + make_interval(days => 9 + pg_temp.dice(n, 'changes after', 260)) end as changed_at) x
), lasting as materialized (
    select c.*, coalesce(changed_at, paid_at) as last_at,
           case when months = 1 then 1 + floor(ln((pg_temp.dice(n, 'loyal', 1000) + 1) / 1001.0) / ln(0.952))::integer
                when pg_temp.dice(n, 'loyal', 100) < 30 then 1 else 50 end as stays_for
      from changed c
)
select l.*, x.periods as last_periods,
       case when last_at is not null and pg_temp.months_after(last_at, x.periods * months) <= pg_temp.history_at()
            then pg_temp.months_after(last_at, x.periods * months) end as cancelled_at
  from lasting l cross join lateral (
      select least(l.stays_for, case when l.deleted_at is not null and l.last_at is not null
                                     then pg_temp.periods_until(l.last_at, l.months, l.deleted_at) end) as periods) x;
analyze stories;

-- One row for each account package, in the order in which they started.
create temp table packages_held on commit drop as
with started as materialized (
    select n, user_ref, reseller_ref, deleted_at, 'free' as key, created_at as at, 'registration' as kind, null as reason,
        1 as months,
           null::integer as periods_at_most from stories
    union all
    select n, user_ref, reseller_ref, deleted_at, 'trial', tried_at, 'trialRegistration', null, 1, null from stories
        where tried_at is not null
    union all
    select n, user_ref, reseller_ref, deleted_at, 'free', trial_ends_at, 'cancellation', 'trialEnded', 1, null from stories
     where paid_at is null and trial_ends_at <= pg_temp.history_at()
    union all
    select n, user_ref, reseller_ref, deleted_at, first_plan, paid_at, 'subscription', null, months,
           case when changed_at is null then last_periods end from stories where paid_at is not null
    union all
    select n, user_ref, reseller_ref, deleted_at, second_plan, changed_at, case second_plan when 'pro' then 'upgrade'
        else 'downgrade' end,
           null, months, last_periods from stories where changed_at is not null
    union all
    select n, user_ref, reseller_ref, deleted_at, 'free', cancelled_at, 'cancellation',
           case when cancelled_at > deleted_at then 'userDeleted' else 'expired' end, 1, null from stories
               where cancelled_at is not null
), subscriptions as materialized (
    select s.*, true as is_subscription, lead(at) over w as ended_at, lag(key) over w as former_key
      from started s window w as (partition by n order by at)
), domains as materialized (
    select s.n, user_ref, reseller_ref, deleted_at, 'domain' as key,
           paid_at + make_interval(mins => 30 + pg_temp.dice(n, 'domain after', 20000)) as at, 'subscription' as kind,
               null as reason,
           12 as months, case when pg_temp.dice(n, 'domain ends', 100) < 22 then 1 else 50 end as periods_at_most,
               false as is_subscription
      from stories s where paid_at is not null and deleted_at is null and pg_temp.dice(n, 'domain', 100) < 66
), everything as materialized (
    select n, user_ref, reseller_ref, key, at, kind, reason, months, periods_at_most, is_subscription, ended_at, former_key
        from subscriptions
    union all
    select n, user_ref, reseller_ref, key, at, kind, reason, months, periods_at_most, is_subscription,
           case when pg_temp.months_after(at, periods_at_most * months) <= pg_temp.history_at()
                then pg_temp.months_after(at, periods_at_most * months) end, null
      from domains where at < pg_temp.history_at()
)
select nextval(pg_get_serial_sequence('account_packages', 'ref')) as ref, e.*, p.ref as package_ref,
    f.ref as former_package_ref,
       l.price, l.currency_ref,
       case when l.price is not null
            then pg_temp.periods_until(e.at, e.months, coalesce(e.ended_at,
                pg_temp.history_at() + interval '1 microsecond')) end as periods
  from (select * from everything order by at, n, key) e
  join packages p on p.brand_ref = current_brand() and p.key = e.key
  left join packages f on f.brand_ref = current_brand() and f.key = e.former_key
  left join prices l on l.key = e.key and l.months = e.months and l.reseller_ref = e.reseller_ref;
alter table packages_held add primary key (ref);
analyze packages_held;

insert into account_packages (brand_ref, ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months,
    currency_ref,
                              price, delete_on_expiry, started_at, periods, due_at, remind_at, ended_at, updated_at)
select current_brand(), h.ref, h.user_ref, h.package_ref, h.is_subscription, h.key = 'trial', h.months, h.currency_ref,
       coalesce(h.price, 0), h.key = 'trial' or coalesce(h.periods >= h.periods_at_most, false), h.at, coalesce(h.periods, 1),
           x.due_at,
       case when h.key = 'trial' and h.ended_at is null and x.due_at - interval '3 days' > pg_temp.history_at()
            then x.due_at - interval '3 days' end,
       h.ended_at, coalesce(h.ended_at, pg_temp.months_after(h.at, (coalesce(h.periods, 1) - 1) * h.months))
  from packages_held h cross join lateral (
      select case when h.key = 'trial' then h.at + interval '14 days'
                  when h.price is not null then pg_temp.months_after(h.at, h.periods * h.months) end as due_at) x
 order by h.ref;

-- One lifecycle event for each start, renewal and end of an add-on; the first two of a paid package are charged.
create temp table happened on commit drop as
with every as materialized (
    select user_ref, at, kind, reason, former_package_ref, package_ref, ref as account_package_ref, months, price, currency_ref,
           at as starts_at, case when price is not null then pg_temp.months_after(at, months) end as ends_at
      from packages_held
    union all
    select user_ref, s.starts_at, 'renewal', null, package_ref, package_ref, ref, months, price, currency_ref,
           s.starts_at, pg_temp.months_after(at, k * months)
      from packages_held
     cross join lateral generate_series(2, periods) k
     cross join lateral (select pg_temp.months_after(at, (k - 1) * months) as starts_at) s
    union all
    select user_ref, ended_at, 'cancellation', 'expired', package_ref, null, ref, null, null, null, null, null
      from packages_held where not is_subscription and ended_at is not null
)
select nextval(pg_get_serial_sequence('lifecycle_events', 'ref')) as ref, e.*
  from (select * from every order by at, account_package_ref, kind) e;

insert into lifecycle_events (brand_ref, ref, user_ref, kind, reason, from_package_ref, package_ref, account_package_ref,
                              billing_period_months, at)
select current_brand(), ref, user_ref, kind, reason, former_package_ref, package_ref, account_package_ref, months, at
  from happened order by ref;
insert into charges (brand_ref, user_ref, event_ref, account_package_ref, package_ref, currency_ref, amount,
    billing_period_months,
                     period_starts_at, period_ends_at, at)
select current_brand(), user_ref, ref, account_package_ref, package_ref, currency_ref, price, months, starts_at, ends_at, at
  from happened where price is not null order by ref;
