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

-- A new subscription, and the first trial of a user: it counts for the day of the user's registration. A sweep starts and ends a
-- thousand subscriptions at once, so they are grouped first, and the few users who are deleted are found with one index scan.
create or replace function count_started_packages() returns trigger language plpgsql as $$
declare
    brand record;
begin
    for brand in select brand_ref, time_zone from brands where brand_ref = any(array(select distinct brand_ref from added)) loop
        insert into figure_changes (brand_ref, day, figure, package_ref, value)
        with deleted as materialized (
            select ref, deleted_at from users
             where brand_ref = brand.brand_ref and ref = any(array(select user_ref from added)) and deleted_at is not null
        ), started as (
            select account_figure(p.is_trial, p.price) as figure, p.package_ref,
                   (p.started_at at time zone brand.time_zone)::date as started_on,
                   (least(p.ended_at, d.deleted_at) at time zone brand.time_zone)::date as ended_on, count(*) as accounts
              from added p left join deleted d on d.ref = p.user_ref
             where p.brand_ref = brand.brand_ref and p.is_subscription
               and (p.started_at < least(p.ended_at, d.deleted_at)) is not false
             group by 1, 2, 3, 4
        )
        select brand.brand_ref, f.day, s.figure, s.package_ref, f.value
          from started s cross join lateral (values (s.started_on, s.accounts), (s.ended_on, -s.accounts)) f (day, value)
         where f.day is not null;
        if exists (select from added where is_subscription and is_trial) then
            insert into figure_changes (brand_ref, day, figure, value)
            select brand.brand_ref, (u.created_at at time zone brand.time_zone)::date, 'tried', count(*)
              from added p join users u on u.brand_ref = p.brand_ref and u.ref = p.user_ref
             where p.brand_ref = brand.brand_ref and p.is_subscription and p.is_trial and not exists (
                   select from account_packages o where o.brand_ref = p.brand_ref and o.user_ref = p.user_ref
                      and o.is_subscription and o.is_trial and o.ref < p.ref)
             group by 2;
        end if;
    end loop;
    return null;
end $$;
create or replace trigger count_started_packages after insert on account_packages referencing new table as added
    for each statement execute function count_started_packages();

-- What the end of a subscription takes away, compared with one that does not end before its user is deleted. Rows that do not
-- end are left out, so that renewals cost nothing; trials have no charges.
create or replace function count_ended_packages() returns trigger language plpgsql as $$
declare
    brand record;
begin
    for brand in
        select brand_ref, time_zone from brands
         where brand_ref = any(array(select brand_ref from after where is_subscription and ended_at is not null
                                     union select brand_ref from before where is_subscription and ended_at is not null))
    loop
        insert into figure_changes (brand_ref, day, figure, package_ref, currency_ref, months, value)
        with changed as materialized (
            select user_ref, ref, package_ref, is_trial, price, started_at, ended_at, 1 as sign from after
             where brand_ref = brand.brand_ref and is_subscription and ended_at is not null
            union all
            select user_ref, ref, package_ref, is_trial, price, started_at, ended_at, -1 from before
             where brand_ref = brand.brand_ref and is_subscription and ended_at is not null
        ), deleted as materialized (
            select ref, deleted_at from users
             where brand_ref = brand.brand_ref and ref = any(array(select user_ref from changed)) and deleted_at is not null
        ), ended as (
            select account_figure(p.is_trial, p.price) as figure, p.package_ref,
                   (greatest(p.started_at, least(p.ended_at, d.deleted_at)) at time zone brand.time_zone)::date as ended_on,
                   (d.deleted_at at time zone brand.time_zone)::date as deleted_on, sum(p.sign) as accounts
              from changed p left join deleted d on d.ref = p.user_ref
             where (p.started_at < d.deleted_at) is not false
             group by 1, 2, 3, 4
        )
        select brand.brand_ref, f.day, f.figure, f.package_ref, f.currency_ref, f.months, sum(f.value)
          from (select ended_on, figure, package_ref, 0::bigint, 0, -accounts::numeric from ended
                union all
                select deleted_on, figure, package_ref, 0, 0, accounts from ended where deleted_on is not null
                union all
                select (r.at at time zone brand.time_zone)::date, 'revenue', 0, r.currency_ref, r.months, r.value * e.sign * p.sign
                  from changed p left join deleted d on d.ref = p.user_ref
                  cross join lateral (values (least(p.ended_at, d.deleted_at), 1), (d.deleted_at, -1)) e (ends_at, sign)
                  cross join lateral revenue_of_package(brand.brand_ref, p.ref, e.ends_at) r
                 where not p.is_trial
               ) f (day, figure, package_ref, currency_ref, months, value)
         group by f.day, f.figure, f.package_ref, f.currency_ref, f.months having sum(f.value) <> 0;
    end loop;
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

-- A voided charge was counted on its day. Only charges of add-ons are voided, which have no part in the other figures.
create or replace function count_voided_charge() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, currency_ref, value)
    select b.brand_ref, (new.at at time zone b.time_zone)::date, f.figure, new.currency_ref, f.value
      from brands b cross join (values ('charged', -new.amount), ('charges', -1)) f (figure, value)
     where b.brand_ref = new.brand_ref;
    return null;
end $$;
create or replace trigger count_voided_charge after update of voided_at on charges for each row
    when (old.voided_at is null and new.voided_at is not null) execute function count_voided_charge();

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

create or replace function add_to_figure(of_brand bigint, of_figure text, at timestamptz, change integer)
    returns void language sql as $$
    insert into figure_changes (brand_ref, day, figure, value)
    select b.brand_ref, (at at time zone b.time_zone)::date, of_figure, change
      from brands b where b.brand_ref = of_brand and at is not null
$$;

-- A domain fails from its first failure until it is registered, renewed or released. A refused registration is released at once.
create or replace function count_failing_domain() returns trigger language plpgsql as $$
declare
    changed_at timestamptz := now();
begin
    if tg_op = 'INSERT' or new.updated_at <> old.updated_at then
        changed_at := new.updated_at;
    end if;
    perform add_to_figure(new.brand_ref, 'failing_domains', changed_at,
                          case when new.failure is null or new.released_at is not null then -1 else 1 end);
    return null;
end $$;
create or replace trigger count_new_failing_domain after insert on account_domains for each row
    when (new.failure is not null and new.released_at is null) execute function count_failing_domain();
create or replace trigger count_failing_domain after update on account_domains for each row
    when ((new.failure is not null and new.released_at is null) <> (old.failure is not null and old.released_at is null))
    execute function count_failing_domain();

-- A mapped host name fails from a health check that says so until one that says otherwise, or until it is unmapped.
create or replace function count_failing_address() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        perform add_to_figure(old.brand_ref, 'failing_addresses', now(), -1);
    else
        perform add_to_figure(new.brand_ref, 'failing_addresses', coalesce(new.checked_at, now()),
                              case when new.failing_check is null then -1 else 1 end);
    end if;
    return null;
end $$;
create or replace trigger count_new_failing_address after insert on domain_checks for each row
    when (new.failing_check is not null and new.domain_ref is not null) execute function count_failing_address();
create or replace trigger count_failing_address after update on domain_checks for each row
    when ((new.failing_check is null) <> (old.failing_check is null) and new.domain_ref is not null)
    execute function count_failing_address();
create or replace trigger count_deleted_failing_address after delete on domain_checks for each row
    when (old.failing_check is not null and old.domain_ref is not null) execute function count_failing_address();

-- Mails and deliveries that were given up. One that is retried no longer counts; one that is deleted stays counted, by a figure
-- that rebuilding keeps.
create or replace function count_failed_mail() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform add_to_figure(old.brand_ref, 'failed_mails', old.failed_at, -1);
    end if;
    perform add_to_figure(new.brand_ref, 'failed_mails', new.failed_at, 1);
    return null;
end $$;
create or replace trigger count_new_failed_mail after insert on mails for each row
    when (new.failed_at is not null) execute function count_failed_mail();
create or replace trigger count_failed_mail after update on mails for each row
    when (new.failed_at is distinct from old.failed_at) execute function count_failed_mail();

create or replace function count_failed_delivery() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        perform add_to_figure(old.brand_ref, 'failed_deliveries', old.dead_at, -1);
    end if;
    perform add_to_figure(new.brand_ref, 'failed_deliveries', new.dead_at, 1);
    return null;
end $$;
create or replace trigger count_new_failed_delivery after insert on webhook_deliveries for each row
    when (new.dead_at is not null) execute function count_failed_delivery();
create or replace trigger count_failed_delivery after update on webhook_deliveries for each row
    when (new.dead_at is distinct from old.dead_at) execute function count_failed_delivery();

create or replace function keep_deleted_failed_mails() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, value)
    select m.brand_ref, (m.failed_at at time zone b.time_zone)::date, f.figure, sum(f.value)
      from removed m join brands b on b.brand_ref = m.brand_ref
      cross join (values ('failed_mails', -1), ('deleted_failed_mails', 1)) f (figure, value)
     where m.failed_at is not null group by 1, 2, 3;
    return null;
end $$;
create or replace trigger keep_deleted_failed_mails after delete on mails referencing old table as removed
    for each statement execute function keep_deleted_failed_mails();

create or replace function keep_deleted_failed_deliveries() returns trigger language plpgsql as $$
begin
    insert into figure_changes (brand_ref, day, figure, value)
    select d.brand_ref, (d.dead_at at time zone b.time_zone)::date, f.figure, sum(f.value)
      from removed d join brands b on b.brand_ref = d.brand_ref
      cross join (values ('failed_deliveries', -1), ('deleted_failed_deliveries', 1)) f (figure, value)
     where d.dead_at is not null group by 1, 2, 3;
    return null;
end $$;
create or replace trigger keep_deleted_failed_deliveries after delete on webhook_deliveries referencing old table as removed
    for each statement execute function keep_deleted_failed_deliveries();

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
