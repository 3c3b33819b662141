-- Who did what: the brand's billing system creates customers, operators support them, customers publish their sites.

create temp table staff on commit drop as
select row_number() over (order by ref) - 1 as number, ref, 'operator:' || ref as actor from operators
    where brand_ref = current_brand();
create temp table programs on commit drop as
select 'credential:' || min(ref) as actor from api_credentials where brand_ref = current_brand();
update operators o set created_at = pg_temp.history_at() - make_interval(days => 728 - 180 * s.number::integer)
  from staff s where o.ref = s.ref;

insert into audit_entries (brand_ref, at, actor, action, subject, subject_ref, request_id, details)
select current_brand(), a.at, a.actor, a.action, a.subject, a.subject_ref, substr(md5('request' || a.at || a.subject_ref
    || a.action), 1, 32), a.details
  from (
    select p.created_at as at, c.actor, 'create' as action, 'user' as subject, p.ref as subject_ref, '{}'::jsonb as details
      from people p cross join programs c
    union all
    select p.suspended_at, o.actor, 'suspend', 'user', p.ref, '{}' from people p join staff o on o.number = pg_temp.dice(p.n,
        'by', 2)
     where p.suspended_at is not null
    union all
    select p.deleted_at, o.actor, 'delete', 'user', p.ref, '{}' from people p join staff o on o.number = pg_temp.dice(p.n,
        'by', 2)
     where p.deleted_at is not null
    union all
    select p.anonymised_at, o.actor, 'anonymise', 'user', p.ref, '{}' from people p join staff o on o.number = 0
     where p.anonymised_at is not null
    union all
    select s.changed_at, case when pg_temp.dice(s.n, 'in person', 100) < 30 then o.actor else c.actor end, 'assign package',
        'user',
           s.user_ref, jsonb_build_object('kind', case s.second_plan when 'pro' then 'upgrade' else 'downgrade' end, 'months',
               s.months)
      from stories s join staff o on o.number = pg_temp.dice(s.n, 'by', 2) cross join programs c
     where s.changed_at is not null
    union all
    select s.paid_at, c.actor, 'assign package', 'user', s.user_ref, jsonb_build_object('kind', 'subscription', 'months',
        s.months)
      from stories s cross join programs c where s.paid_at is not null
    union all
    select d.at, c.actor, 'buy', 'account domain', d.ref, '{}' from names d cross join programs c
    union all
    select d.at + interval '2 days', o.actor, 'retry', 'account domain', d.ref, '{}' from names d
      join staff o on o.number = 1 where d.is_rejected and d.at + interval '2 days' < pg_temp.history_at()
    union all
    select v.published_at, 'user:' || v.user_ref, 'publish', 'site', v.site_ref, jsonb_build_object('versionRef',
        v.version_ref) from published v
    union all
    select s.updated_at, o.actor, 'edit', 'site', s.ref, '{"fields": ["enabled"]}' from sites s
      join staff o on o.number = pg_temp.dice(s.ref, 'by', 2) where s.brand_ref = current_brand() and not s.enabled
    union all
    select h.at, o.actor, 'create', 'webhook subscription', h.ref, '{}'
      from (select ref, pg_temp.history_at() - make_interval(days => age) as at from hooks) h join staff o on o.number = 0
    union all
    select pg_temp.history_at() - interval '11 days', 'worker', 'deactivate', 'webhook subscription', h.ref, '{"status": 410}'
        from hooks h where not h.active
  ) a
 where a.at >= pg_temp.history_at() - interval '729 days'
 order by a.at, a.subject, a.subject_ref, a.action;

insert into user_reports (brand_ref, job, link_key, show_deleted, created_at, give_up_at, starts, failed_at, failure, due_at)
select current_brand(), current_brand() || '-' || md5('report'), decode(md5('a') || md5('b'), 'hex'), false, t.at,
    t.at + interval '1 hour', 1,
       t.at + interval '1 hour', 'not finished in time', t.at
  from (select pg_temp.history_at() - interval '2 days' as at) t;
