-- Triggers that count: they append to figure_changes what rows of other packages add to figures (functions.sql). Applied again
-- whenever this file changes.

create or replace function count_registered_users() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, value)
    select u.brand_ref, (f.at at time zone b.time_zone)::date, f.figure, count(*)
      from added u join brands b on b.brand_ref = u.brand_ref
      cross join lateral (values ('registered', u.created_at), ('deleted', u.deleted_at)) f (figure, at)
     where f.at is not null
     group by 1, 2, 3;
    return null;
end $$;
create or replace trigger count_registered_users after insert on users referencing new table as added
    for each statement execute function count_registered_users();

-- The accounts and the revenue of a user who is deleted end; those of one who is restored go on.
create or replace function count_deleted_user() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, package_ref, currency_ref, months, value)
    select b.brand_ref, (f.at at time zone b.time_zone)::date, f.figure, f.package_ref, f.currency_ref, f.months,
           sum(f.value * e.sign)
      from brands b
      cross join (values (old.deleted_at, -1), (new.deleted_at, 1)) e (deleted_at, sign)
      cross join lateral (
          select e.deleted_at, 'deleted', 0::bigint, 0::bigint, 0, 1::numeric where e.deleted_at is not null
          union all
          select s.*
            from account_packages p
            cross join lateral subscription_figures(p.brand_ref, p.ref, p.package_ref, p.is_trial, p.price, p.started_at,
                                                    least(p.ended_at, e.deleted_at)) s
           where p.brand_ref = new.brand_ref and p.user_ref = new.ref and p.is_subscription
      ) f (at, figure, package_ref, currency_ref, months, value)
     where b.brand_ref = new.brand_ref
     group by 1, 2, 3, 4, 5, 6 having sum(f.value * e.sign) <> 0;
    return null;
end $$;
create or replace trigger count_deleted_user after update on users for each row
    when (old.deleted_at is distinct from new.deleted_at) execute function count_deleted_user();

-- A new subscription, and the first trial of a user: it counts for the day of the user's registration.
create or replace function count_started_packages() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, package_ref, value)
    select b.brand_ref, (f.at at time zone b.time_zone)::date, f.figure, f.package_ref, sum(f.value)
      from added p
      join brands b on b.brand_ref = p.brand_ref
      join users u on u.brand_ref = p.brand_ref and u.ref = p.user_ref
      cross join lateral (
          select s.at, account_figure(p.is_trial, p.price), p.package_ref, s.change
            from level_steps(p.started_at, least(p.ended_at, u.deleted_at)) s
          union all
          select u.created_at, 'tried', 0, 1
           where p.is_trial and not exists (
                 select from account_packages o where o.brand_ref = p.brand_ref and o.user_ref = p.user_ref
                    and o.is_subscription and o.is_trial and o.ref < p.ref)
      ) f (at, figure, package_ref, value)
     where p.is_subscription
     group by 1, 2, 3, 4;
    return null;
end $$;
create or replace trigger count_started_packages after insert on account_packages referencing new table as added
    for each statement execute function count_started_packages();

-- What the end of a subscription takes away, compared with one that does not end. Rows that do not end are left out, so that
-- renewals cost nothing; trials have no charges.
create or replace function count_ended_packages() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, package_ref, currency_ref, months, value)
    select b.brand_ref, (f.at at time zone b.time_zone)::date, f.figure, f.package_ref, f.currency_ref, f.months,
           sum(f.value * p.sign)
      from (select brand_ref, user_ref, ref, package_ref, is_trial, price, started_at, ended_at, 1 as sign from after
             where is_subscription and ended_at is not null
            union all
            select brand_ref, user_ref, ref, package_ref, is_trial, price, started_at, ended_at, -1 from before
             where is_subscription and ended_at is not null) p
      join brands b on b.brand_ref = p.brand_ref
      join users u on u.brand_ref = p.brand_ref and u.ref = p.user_ref
      cross join lateral (
          select p.ended_at, account_figure(p.is_trial, p.price), p.package_ref, 0::bigint, 0, -1::numeric
           where u.deleted_at is null and p.started_at < p.ended_at  -- most of them
          union all
          select s.at, account_figure(p.is_trial, p.price), p.package_ref, 0, 0, s.change * e.sign
            from (values (least(p.ended_at, u.deleted_at), 1), (u.deleted_at, -1)) e (ends_at, sign)
            cross join lateral level_steps(p.started_at, e.ends_at) s
           where u.deleted_at is not null or p.started_at >= p.ended_at
          union all
          select r.at, 'revenue', 0, r.currency_ref, r.months, r.value * e.sign
            from (values (least(p.ended_at, u.deleted_at), 1), (u.deleted_at, -1)) e (ends_at, sign)
            cross join lateral revenue_of_package(p.brand_ref, p.ref, e.ends_at) r
           where not p.is_trial
      ) f (at, figure, package_ref, currency_ref, months, value)
     group by 1, 2, 3, 4, 5, 6 having sum(f.value * p.sign) <> 0;
    return null;
end $$;
create or replace trigger count_ended_packages after update on account_packages
    referencing old table as before new table as after for each statement execute function count_ended_packages();

-- A subscription that costs something from its renewal on, or nothing any more.
create or replace function count_repriced_package() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, package_ref, value)
    select b.brand_ref, (s.at at time zone b.time_zone)::date, account_figure(new.is_trial, p.price), new.package_ref,
           sum(s.change * p.sign)
      from brands b
      join users u on u.brand_ref = b.brand_ref and u.ref = new.user_ref
      cross join (values (old.price, -1), (new.price, 1)) p (price, sign)
      cross join lateral level_steps(new.started_at, u.deleted_at) s
     where b.brand_ref = new.brand_ref
     group by 1, 2, 3, 4;
    return null;
end $$;
create or replace trigger count_repriced_package after update on account_packages for each row
    when (new.is_subscription and not new.is_trial and (old.price > 0) <> (new.price > 0))
    execute function count_repriced_package();

-- `last` is the charge that this one follows; `paid` counts a user's first charge of a subscription, for the day of registration.
create or replace function count_charges() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, currency_ref, months, value)
    select b.brand_ref, (f.at at time zone b.time_zone)::date, f.figure, f.currency_ref, f.months, sum(f.value)
      from added c
      join brands b on b.brand_ref = c.brand_ref
      left join account_packages p on p.brand_ref = c.brand_ref and p.user_ref = c.user_ref and p.ref = c.account_package_ref
           and p.is_subscription
      left join users u on u.brand_ref = p.brand_ref and u.ref = p.user_ref
      left join lateral (
          select o.currency_ref, o.billing_period_months, o.amount from charges o
           where o.brand_ref = c.brand_ref and o.account_package_ref = c.account_package_ref
             and o.period_starts_at < c.period_starts_at
           order by o.period_starts_at desc limit 1) last on true
      cross join lateral (
          values (c.at, 'charged', c.currency_ref, 0, c.amount), (c.at, 'charges', c.currency_ref, 0, 1)
          union all
          select s.at, 'revenue', k.currency_ref, k.months, k.amount * s.change
            from (values (c.currency_ref, c.billing_period_months, c.amount),
                         (last.currency_ref, last.billing_period_months, -last.amount)) k (currency_ref, months, amount)
            cross join lateral level_steps(c.period_starts_at, least(p.ended_at, u.deleted_at)) s
           where p.ref is not null and k.amount is not null
          union all
          select u.created_at, 'paid', 0, 0, 1
           where p.ref is not null and last.amount is null and not exists (
                 select from charges o
                   join account_packages q on q.brand_ref = o.brand_ref and q.user_ref = o.user_ref
                        and q.ref = o.account_package_ref and q.is_subscription
                  where o.brand_ref = c.brand_ref and o.user_ref = c.user_ref and o.ref < c.ref)
      ) f (at, figure, currency_ref, months, value)
     group by 1, 2, 3, 4, 5 having sum(f.value) <> 0;
    return null;
end $$;
create or replace trigger count_charges after insert on charges referencing new table as added
    for each statement execute function count_charges();

-- A published site is online as far as it depends on the site itself; its account holder may be suspended.
create or replace function count_published_site() returns trigger language plpgsql as $$
declare
    was_published boolean := tg_op <> 'INSERT' and old.live and old.enabled and old.version_ref is not null
                             and old.deleted_at is null;
    changed_at timestamptz := now();
begin
    if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.updated_at <> old.updated_at) then
        changed_at := new.updated_at;
    end if;
    insert into figure_changes (brand_ref, day, figure, value)
    select b.brand_ref, (changed_at at time zone b.time_zone)::date, 'published', case when was_published then -1 else 1 end
      from brands b where b.brand_ref = coalesce(new.brand_ref, old.brand_ref);
    return null;
end $$;
create or replace trigger count_new_published_site after insert on sites for each row
    when (new.live and new.enabled and new.version_ref is not null and new.deleted_at is null)
    execute function count_published_site();
create or replace trigger count_published_site after update on sites for each row
    when ((new.live and new.enabled and new.version_ref is not null and new.deleted_at is null)
          <> (old.live and old.enabled and old.version_ref is not null and old.deleted_at is null))
    execute function count_published_site();
create or replace trigger count_deleted_published_site after delete on sites for each row
    when (old.live and old.enabled and old.version_ref is not null and old.deleted_at is null)
    execute function count_published_site();

-- Deleted visits stay counted: old ones are pruned, and those of an erased user's sites say nothing about anybody here.
create or replace function count_new_visits() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, value)
    select v.brand_ref, v.day, f.figure, sum(f.value)
      from added v cross join lateral (values ('visits', v.visits), ('views', v.views)) f (figure, value)
     where v.kind = 'page' group by 1, 2, 3 having sum(f.value) <> 0;
    return null;
end $$;
create or replace trigger count_new_visits after insert on site_visits referencing new table as added
    for each statement execute function count_new_visits();

create or replace function count_more_visits() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, value)
    select v.brand_ref, v.day, f.figure, sum(f.value)
      from (select brand_ref, day, kind, visits, views from after
            union all
            select brand_ref, day, kind, -visits, -views from before) v
      cross join lateral (values ('visits', v.visits), ('views', v.views)) f (figure, value)
     where v.kind = 'page' group by 1, 2, 3 having sum(f.value) <> 0;
    return null;
end $$;
create or replace trigger count_more_visits after update on site_visits referencing old table as before new table as after
    for each statement execute function count_more_visits();

-- Days are those of the brand's time zone: with another one all figures are counted again.
create or replace function count_again_in_time_zone() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into figure_rebuilds (brand_ref, is_first) values (new.brand_ref, false) on conflict (brand_ref) do nothing;
    return null;
end $$;
create or replace trigger count_again_in_time_zone after update on brands for each row
    when (old.time_zone <> new.time_zone) execute function count_again_in_time_zone();
revoke execute on function count_again_in_time_zone from public;
