-- The last health check of every address of a site, as domains/health writes it; nothing of them is due. Addresses below the
-- brand's own domain work; of the customers' own domains some do not.

create temp table addresses on commit drop as
select d.ref, d.domain, s.n, d.created_at, x.roll,
       greatest(d.created_at, pg_temp.history_at() - pg_temp.dice(s.n, 'checked', 1440) * interval '1 minute') as checked_at,
       greatest(d.created_at, pg_temp.history_at() - pg_temp.dice(s.n, 'fails since', 60) * interval '1 day') as failed_at,
       pg_temp.pick(s.n, 'failing check', '{leadsHereIpv4,certificate,leadsHereIpv4,leadsHereIpv6}') as failing_check
  from site_domains d join places s on s.ref = d.site_ref
 cross join lateral (select case when s.own_domain is null or right(d.domain, length(s.own_domain)) <> s.own_domain then 100
                                 else pg_temp.dice(s.n, 'health', 100) end as roll) x
 where d.brand_ref = current_brand();

insert into domain_checks (brand_ref, domain_ref, since, status, state, failing_check, findings, started_at, checked_at)
select current_brand(), a.ref, a.created_at,
       case when f.code is not null then 'failing' when a.roll < 12 then 'attention' else 'ok' end,
       case when f.code is not null then 'failing' else 'healthy' end, f.code,
       jsonb_build_array(case when f.finding is not null then f.finding when a.roll < 12 then
           '{"code": "ttl", "status": "attention", "reason": "ttlLong", "facts": {"hours": "72"}}'
           else '{"code": "nameExists", "status": "ok", "reason": "exists"}' end),
       case when f.code is not null then a.failed_at else a.checked_at end,
       case when f.code is not null then a.failed_at else a.checked_at end
  from addresses a
  left join lateral (values
      ('leadsHereIpv4', jsonb_build_object('code', 'leadsHereIpv4', 'status', 'failing', 'reason', 'leadsElsewhere',
          'expected', '192.0.2.80', 'found', '203.0.113.9', 'facts', '{"family": "IPv4"}'::jsonb,
          'records', jsonb_build_array(a.domain || '. 3600 IN A 192.0.2.80'))),
      ('leadsHereIpv6', jsonb_build_object('code', 'leadsHereIpv6', 'status', 'failing', 'reason', 'leadsElsewhere',
          'expected', '2001:db8::80', 'found', '2001:db8:ffff::9', 'facts', '{"family": "IPv6"}'::jsonb,
          'records', jsonb_build_array(a.domain || '. 3600 IN AAAA 2001:db8::80'))),
      ('certificate', '{"code": "certificate", "status": "failing", "reason": "certificateUntrusted"}'::jsonb)
  ) f (code, finding) on a.roll < 6 and f.code = a.failing_check
 order by a.ref;
-- They began to fail earlier than they were checked last.
update domain_checks c set started_at = a.checked_at, checked_at = a.checked_at
  from addresses a where c.brand_ref = current_brand() and c.domain_ref = a.ref and a.roll < 6;
-- Others failed for some days after they were mapped.
insert into figure_changes (brand_ref, day, figure, value)
select current_brand(), (x.at at time zone pg_temp.zone())::date, 'failing_addresses', x.value
  from addresses a
 cross join lateral (select a.created_at + make_interval(days => 1 + pg_temp.dice(a.n, 'works after', 6)) as works_at) w
 cross join lateral (values (a.created_at, 1), (w.works_at, -1)) x (at, value)
 where a.roll between 12 and 60 and w.works_at < pg_temp.history_at();
