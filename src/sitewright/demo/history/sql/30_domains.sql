-- Registered domains and mailboxes, as domains/account_domains and domains/mailboxes write them. The domains that the registrar
-- rejected are dead letters: nothing of them is due.

create temp table names on commit drop as
select nextval(pg_get_serial_sequence('account_domains', 'ref')) as ref, h.n, h.user_ref, h.ref as account_package_ref,
    h.package_ref,
       h.at, h.ended_at, pg_temp.months_after(h.at, h.periods * h.months) as expires_at,
       h.ended_at is null and pg_temp.dice(h.n, 'rejected', 100) < 7 as is_rejected,
       x.slug || case when row_number() over (partition by x.slug order by h.ref) > 1 then '-' || h.n else '' end
           || '.example' as domain
  from packages_held h join people p on p.n = h.n
 cross join lateral (select pg_temp.slug(coalesce(nullif(p.company, ''), p.first_name || ' ' || p.last_name)) as slug) x
 where h.key = 'domain' order by h.ref;

insert into account_domains (brand_ref, ref, user_ref, domain, package_ref, account_package_ref, dns_provider_ref, status,
    failure,
                             failed_at, registered_at, expires_at, registered_until, ended_at, released_at, updated_at)
select current_brand(), d.ref, d.user_ref, d.domain, d.package_ref, d.account_package_ref, s.supplier_ref,
       case when d.ended_at is not null then 'expired' when d.is_rejected then 'failed' else 'active' end,
       case when d.is_rejected then pg_temp.pick(d.n, 'reason',
            '{The name is registered for another holder.,The registry reserves this name.,The registry rejected the holder''s postcode.,The balance at the registry is too low.}') end,
       case when d.is_rejected then d.at + interval '6 minutes' end,
       d.at, d.expires_at, case when d.ended_at is null and not d.is_rejected then d.expires_at end, d.ended_at,
       d.ended_at + interval '1 minute', coalesce(d.ended_at + interval '1 minute', d.at + interval '6 minutes')
  from names d join domain_products s on s.brand_ref = current_brand() and s.package_ref = d.package_ref
 order by d.ref;
-- Some were rejected at first: holders or staff put it right within days.
insert into figure_changes (brand_ref, day, figure, value)
select current_brand(), (x.at at time zone pg_temp.zone())::date, 'failing_domains', x.value
  from names d
 cross join lateral (select d.at + interval '6 minutes' as failed_at,
                            d.at + make_interval(days => 1 + pg_temp.dice(d.n, 'put right', 9)) as right_at) f
 cross join lateral (values (f.failed_at, 1), (f.right_at, -1)) x (at, value)
 where not d.is_rejected and pg_temp.dice(d.n, 'rejected at first', 100) < 16 and f.right_at < pg_temp.history_at();
insert into registered_domains (brand_ref, account_domain_ref, domain, registered_at, expires_at)
select current_brand(), ref, domain, at, expires_at from names where ended_at is null and not is_rejected;

-- Nobody knows a password of these mailboxes: "*" is the hash of none.
insert into mailboxes (brand_ref, account_domain_ref, name, password_hash, status, attempts, reason, created_at, updated_at)
select current_brand(), d.ref, b.name, '*', case when x.is_rejected then 'failed' else 'active' end,
       case when x.is_rejected then 5 else 0 end, case when x.is_rejected
           then 'The mail server reports: no space left for this domain.' end,
       d.at + interval '1 day', d.at + interval '1 day'
  from names d
 cross join (values (1, 'info', 90), (2, 'hello', 45), (3, 'office', 30), (4, 'shop', 15)) b (number, name, share)
 cross join lateral (select pg_temp.dice(d.n, 'mailbox' || b.number, 100) as roll,
                            pg_temp.dice(d.n, 'mail server' || b.number, 100) < 2 as is_rejected) x
 where d.ended_at is null and not d.is_rejected and d.at < pg_temp.history_at() - interval '2 days' and x.roll < b.share
 order by d.ref, b.number;
