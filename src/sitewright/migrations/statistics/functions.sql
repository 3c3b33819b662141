-- How figures follow from rows, for the triggers and for rebuilding; and what is counted when it is read. Applied again whenever
-- this file changes.

-- A level that is higher from one time to another; no end: until now. It changes nothing where the end is not after the start.
create or replace function level_steps(starts_at timestamptz, ends_at timestamptz)
    returns table (at timestamptz, change integer) language sql immutable parallel safe as $$
    select s.at, s.change from (values (starts_at, 1), (ends_at, -1)) s (at, change)
     where s.at is not null and (ends_at is null or starts_at < ends_at)
$$;

create or replace function account_figure(is_trial boolean, price numeric) returns text language sql immutable parallel safe
    return case when is_trial then 'trial_accounts' when price > 0 then 'paid_accounts' else 'free_accounts' end;

-- What the charges of a subscription are worth a month. A charge counts from the beginning of its period until that of the next
-- charge, so that a late renewal makes no gap.
create or replace function revenue_of_package(of_brand bigint, of_account_package bigint, ends_at timestamptz)
    returns table (at timestamptz, currency_ref bigint, months integer, value numeric) language sql stable as $$
    select s.at, k.currency_ref, k.months, k.amount * s.change
      from (select c.*, lag(c.currency_ref) over w as last_currency_ref, lag(c.billing_period_months) over w as last_months,
                   lag(c.amount) over w as last_amount
              from charges c where c.brand_ref = of_brand and c.account_package_ref = of_account_package
            window w as (order by c.period_starts_at)) c
      cross join lateral (values (c.currency_ref, c.billing_period_months, c.amount),
                                 (c.last_currency_ref, c.last_months, -c.last_amount)) k (currency_ref, months, amount)
      cross join lateral level_steps(c.period_starts_at, ends_at) s
     where k.amount is not null
$$;

-- What a subscription adds to figures: an account of its package, and its revenue.
create or replace function subscription_figures(
    of_brand bigint, of_account_package bigint, of_package bigint, is_trial boolean, price numeric,
    starts_at timestamptz, ends_at timestamptz
) returns table (at timestamptz, figure text, package_ref bigint, currency_ref bigint, months integer, value numeric)
    language sql stable as $$
    select s.at, account_figure(is_trial, price), of_package, 0::bigint, 0, s.change::numeric
      from level_steps(starts_at, ends_at) s
    union all
    select r.at, 'revenue', 0, r.currency_ref, r.months, r.value
      from revenue_of_package(of_brand, of_account_package, ends_at) r where not is_trial
$$;

-- The figures of the transaction's brand, computed from its rows. `states_at` is when published sites and what fails count
-- from, null: since they were last published, or failed. Rows do not know earlier states, and visits of erased users and old
-- ones are deleted.
create or replace function figures_of_rows(states_at timestamptz)
    returns table (at timestamptz, figure text, package_ref bigint, currency_ref bigint, months integer, value numeric)
    language sql stable as $$
    select f.at, f.figure, 0::bigint, 0::bigint, 0, 1::numeric
      from users u cross join lateral (values ('registered', u.created_at), ('deleted', u.deleted_at)) f (figure, at)
     where u.brand_ref = current_brand() and f.at is not null
    union all
    select u.created_at, f.figure, 0, 0, 0, 1
      from users u
      cross join lateral (
          select bool_or(p.is_trial) as tried,
                 bool_or(exists (select from charges c where c.brand_ref = p.brand_ref and c.account_package_ref = p.ref)) as paid
            from account_packages p
           where p.brand_ref = u.brand_ref and p.user_ref = u.ref and p.is_subscription) did
      cross join lateral (values ('tried', did.tried), ('paid', did.paid)) f (figure, done)
     where u.brand_ref = current_brand() and f.done
    union all
    select f.*
      from account_packages p join users u on u.brand_ref = p.brand_ref and u.ref = p.user_ref
      cross join lateral subscription_figures(p.brand_ref, p.ref, p.package_ref, p.is_trial, p.price, p.started_at,
                                              least(p.ended_at, u.deleted_at)) f
     where p.brand_ref = current_brand() and p.is_subscription
    union all
    select c.at, f.figure, 0, c.currency_ref, 0, f.value
      from charges c cross join lateral (values ('charges', 1), ('charged', c.amount)) f (figure, value)
     where c.brand_ref = current_brand() and c.voided_at is null
    union all
    select coalesce(states_at, s.last_publish_at, s.created_at), 'published', 0, 0, 0, 1
      from sites s
     where s.brand_ref = current_brand() and s.deleted_at is null and s.live and s.enabled and s.version_ref is not null
    union all
    select coalesce(states_at, d.failed_at, d.updated_at), 'failing_domains', 0, 0, 0, 1
      from account_domains d where d.brand_ref = current_brand() and d.failure is not null and d.released_at is null
    union all
    select coalesce(states_at, c.checked_at, c.since), 'failing_addresses', 0, 0, 0, 1
      from domain_checks c
     where c.brand_ref = current_brand() and c.domain_ref is not null and c.failing_check is not null
    union all
    select d.dead_at, 'failed_deliveries', 0, 0, 0, 1
      from webhook_deliveries d where d.brand_ref = current_brand() and d.dead_at is not null
    union all
    select m.failed_at, 'failed_mails', 0, 0, 0, 1
      from mails m where m.brand_ref = current_brand() and m.failed_at is not null
$$;

-- Figures that no row knows: those of deleted rows, and those that are counted once an hour.
create or replace function is_kept_by_rebuilding(figure text) returns boolean language sql immutable parallel safe
    return figure like 'deleted\_failed\_%' or figure like 'certificates\_%';

-- Levels of which no row says since when they last.
create or replace function is_level_of_rows(figure text) returns boolean language sql immutable parallel safe
    return figure in ('published', 'failing_domains', 'failing_addresses');

-- Adds the differences between rows and figures of the transaction's brand, and returns how many figures were wrong. One
-- statement, and so one snapshot: a transaction that commits meanwhile changes rows and figures alike, after it.
create or replace function rebuild_figures(now_at timestamptz, is_first boolean) returns bigint language sql as $$
    with brand as (select time_zone, (now_at at time zone time_zone)::date as today from brands where brand_ref = current_brand()),
    counted as (
        select day, figure, package_ref, currency_ref, months, value from daily_figures where brand_ref = current_brand()
        union all
        select day, figure, package_ref, currency_ref, months, value from figure_changes where brand_ref = current_brand()
    ), difference as (
        select (f.at at time zone b.time_zone)::date as day, f.figure, f.package_ref, f.currency_ref, f.months, f.value
          from brand b cross join figures_of_rows(case when is_first then null else now_at end) f
        union all
        select v.day, f.figure, 0, 0, 0, f.value
          from (select day, sum(visits) as visits, sum(views) as views from site_visits
                 where brand_ref = current_brand() and kind = 'page' group by day) v
          cross join lateral (values ('visits', v.visits), ('views', v.views)) f (figure, value)
        union all
        select case when is_level_of_rows(c.figure) and not is_first then b.today else c.day end,
               c.figure, c.package_ref, c.currency_ref, c.months, -c.value
          from brand b cross join counted c where not is_kept_by_rebuilding(c.figure)
    ), corrected as (
        insert into figure_changes (brand_ref, day, figure, package_ref, currency_ref, months, value)
        select current_brand(), day, figure, package_ref, currency_ref, months, sum(value) from difference
         group by day, figure, package_ref, currency_ref, months
        having sum(value) <> 0 and (figure not in ('visits', 'views') or sum(value) > 0)
        returning 1)
    select count(*) from corrected
$$;

-- Across brands, for the worker: adds at most `most` changes to daily_figures, and returns how many. One worker at a time.
create or replace function fold_figure_changes(most integer) returns bigint
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    folded bigint;
begin
    if not pg_try_advisory_xact_lock(hashtext('fold_figure_changes')) then
        return 0;
    end if;
    with taken as (
        delete from figure_changes where ctid = any(array(
            select c.ctid from figure_changes c order by c.brand_ref, c.ref limit most))
        returning brand_ref, day, figure, package_ref, currency_ref, months, value
    ), added as (
        insert into daily_figures as d (brand_ref, day, figure, package_ref, currency_ref, months, value)
        select t.brand_ref, t.day, t.figure, t.package_ref, t.currency_ref, t.months, sum(t.value) from taken t
         group by t.brand_ref, t.day, t.figure, t.package_ref, t.currency_ref, t.months
        on conflict (brand_ref, day, figure, package_ref, currency_ref, months)
           do update set value = d.value + excluded.value)
    select count(*) into folded from taken;
    return folded;
end $$;

-- Across brands, for the worker: refs of brands whose figures are to be rebuilt.
create or replace function brands_to_rebuild() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select r.brand_ref from figure_rebuilds r order by r.brand_ref
$$;

-- Across brands, for the operator's command.
create or replace function all_brand_refs() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b order by b.brand_ref
$$;

revoke execute on function fold_figure_changes, brands_to_rebuild, all_brand_refs from public;
grant execute on function fold_figure_changes, brands_to_rebuild, all_brand_refs to sitewright_service;

-- What is counted when it is read, at most `most` of each, by an index of the transaction's brand. The 100 most frequent reasons.
-- `registration`: what registrars said of registered domains; `health`: the first failing check of mapped host names.
drop function if exists failing_domain_reasons(integer);
create function failing_domain_reasons(most integer) returns table (kind text, reason text, domains bigint)
    language sql stable as $$
    select f.kind, f.reason, count(*)
      from ((select 'registration' as kind, d.failure as reason from account_domains d
              where d.brand_ref = current_brand() and d.failure is not null and d.released_at is null
              order by d.ref limit most)
            union all
            (select 'health', c.failing_check from domain_checks c
              where c.brand_ref = current_brand() and c.domain_ref is not null
                and case when c.state = 'failing' then c.state else c.status end = 'failing'
              order by c.domain_ref limit most)) f
     group by 1, 2 order by 3 desc, 1, 2 limit 100
$$;

-- Certificates by the end of their time: those for which another one lasts longer are left out, and automatic ones that are renewed
-- in time. `ends_before` is 30 days from now.
create or replace function certificate_ends(ends_before timestamptz, most integer) returns setof timestamptz
    language sql stable as $$
    select c.not_after
      from (select brand_ref, ref, not_after from certificates
             where brand_ref = current_brand() and not_after < ends_before
               and (source = 'uploaded' or expires_soon(not_before, not_after, source, ends_before - interval '30 days'))
             order by not_after limit most) c
     where exists (select from certificate_bindings b
                    where b.brand_ref = c.brand_ref and b.certificate_ref = c.ref
                      and not exists (select from certificate_bindings o
                                        join certificates l on l.brand_ref = o.brand_ref and l.ref = o.certificate_ref
                                       where o.brand_ref = b.brand_ref and o.domain = b.domain
                                         and l.not_after > c.not_after))
$$;

create or replace function count_later_certificates(ends_from timestamptz, most integer) returns bigint
    language sql stable as $$
    select count(*) from (
        select from certificates
         where brand_ref = current_brand()
           and (not_after >= ends_from
                or source = 'automatic' and not expires_soon(not_before, not_after, source, ends_from - interval '30 days'))
         limit most) c
$$;

-- All certificates of the transaction's brand, by the days left at `ends_at`, as figures.
create or replace function certificate_figures_of_brand(ends_at timestamptz) returns table (figure text, value bigint)
    language sql stable as $$
    select f.figure, f.value
      from (select count(*) filter (where e <= ends_at) as expired,
                   count(*) filter (where e > ends_at and e <= ends_at + interval '7 days') as within_7_days,
                   count(*) filter (where e > ends_at + interval '7 days') as within_30_days
              from certificate_ends(ends_at + interval '30 days', null) e) soon
      cross join lateral (values ('certificates_expired', soon.expired),
                                 ('certificates_within_7_days', soon.within_7_days),
                                 ('certificates_within_30_days', soon.within_30_days),
                                 ('certificates_later', count_later_certificates(ends_at + interval '30 days', null))
                         ) f (figure, value)
$$;

-- Time alone changes how many days certificates have left, so they are counted once an hour: the difference from what was
-- counted last is a step of the day of `now_at`. `ends_at` is the real time.
create or replace function count_certificates(now_at timestamptz, ends_at timestamptz) returns void language sql as $$
    insert into figure_changes (brand_ref, day, figure, value)
    select current_brand(), (now_at at time zone b.time_zone)::date, n.figure, n.value - coalesce(c.value, 0)
      from brands b
      cross join certificate_figures_of_brand(ends_at) n
      left join (select figure, sum(value) as value
                   from (select figure, value from daily_figures where brand_ref = current_brand()
                         union all
                         select figure, value from figure_changes where brand_ref = current_brand()) f
                  where figure like 'certificates\_%' group by figure) c on c.figure = n.figure
     where b.brand_ref = current_brand() and n.value <> coalesce(c.value, 0)
$$;
