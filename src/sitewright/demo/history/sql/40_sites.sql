-- Sites with their host names, published versions and visitors. The published files are one small page for all sites.

create temp table places on commit drop as
with wanted as materialized (
    select p.n * 10 + s.number as n, p.ref as user_ref, u.reseller_ref, p.language, p.company, p.first_name, p.last_name,
        u.email,
           p.created_at + make_interval(mins => 6 + pg_temp.dice(p.n, 'site' || s.number, case s.number when 1 then 4000
               else 90000 end))
           as created_at,
           coalesce(p.deleted_at, pg_temp.history_at()) as until, p.deleted_at, t.paid_at, coalesce(t.cancelled_at,
           case when t.paid_at is null and t.trial_ends_at <= pg_temp.history_at() then t.trial_ends_at end) as ended_at,
               s.number
      from people p
      join users u on u.brand_ref = current_brand() and u.ref = p.ref
      join stories t on t.n = p.n
     cross join (values (1, 76), (2, 30)) s (number, share)
     where p.anonymised_at is null and pg_temp.dice(p.n, 'has site' || s.number, 100) < s.share
           and (s.number = 1 or coalesce(t.second_plan, t.first_plan) = 'pro' and t.paid_at is not null
               and t.cancelled_at is null)
), created as materialized (
    select w.*, case when pg_temp.dice(n, 'publishes', 100) < case when paid_at is null then 58 else 92 end
                then created_at + make_interval(mins => 15 + pg_temp.dice(n, 'publishes after', 15000)) end as published_at
      from wanted w where created_at < until
), numbered as materialized (
    select c.*, row_number() over (order by created_at, n) as place,
           pg_temp.slug(coalesce(nullif(company, ''), first_name || ' ' || last_name)) as slug from created c
), published as materialized (
    select c.*, slug || case when row_number() over (partition by slug order by place) > 1 then '-' || n else '' end as label,
           case when published_at < until then published_at end as first_at from numbered c
), offline as materialized (
    select c.*, case when first_at is null then null
                     when deleted_at is not null then deleted_at
                     when ended_at > first_at and pg_temp.dice(n, 'comes back', 100) >= 40 then ended_at end as offline_at,
           case when first_at is not null and deleted_at is null and pg_temp.dice(n, 'removed', 100) < 3
                then first_at + (pg_temp.history_at() - first_at) * 0.7 end as removed_at
      from published c
)
select nextval('sites_ref_seq') as ref, nextval(pg_get_serial_sequence('profiles', 'ref')) as profile_ref,
       nextval('site_domains_ref_seq') as domain_ref, o.*,
       case when first_at is null then 0 else 1 + pg_temp.dice(o.n, 'versions', 6) end as versions,
       d.ref as account_domain_ref, d.domain as own_domain
  from (select * from offline order by place) o
  left join names d on d.user_ref = o.user_ref and d.ended_at is null and not d.is_rejected and o.number = 1
      and o.removed_at is null
       and o.first_at is not null;
alter table places add primary key (ref);
analyze places;

insert into profiles (brand_ref, ref, user_ref, fields, updated_at)
select current_brand(), profile_ref, user_ref, jsonb_build_object('companyName', coalesce(nullif(company, ''), first_name
    || ' ' || last_name),
       'firstName', first_name, 'lastName', last_name), created_at
  from places order by ref;

-- Sites begin as they were first published; what happened later follows, so that the figures count each day.
insert into sites (brand_ref, ref, user_ref, reseller_ref, profile_ref, template_ref, primary_domain_ref, site_type, live,
    version_ref,
                   last_version_ref, last_publish_at, created_at, updated_at)
select current_brand(), s.ref, s.user_ref, s.reseller_ref, s.profile_ref, t.ref, s.domain_ref, 'responsive',
    s.first_at is not null,
       nullif(s.versions, 0), s.versions, s.first_at, s.created_at, coalesce(s.first_at, s.created_at)
  from places s
  join templates t on t.account_holder_ref is null
       and t.directory = pg_temp.pick(s.n, 'template', '{consult,coffee-house,consult}')
 order by s.ref;
insert into site_domains (brand_ref, ref, site_ref, domain, created_at)
select current_brand(), domain_ref, ref, label || '.' || (select domain from brands where brand_ref = current_brand()),
    created_at
  from places where removed_at is null order by ref;
insert into site_domains (brand_ref, site_ref, domain, created_at)
select current_brand(), s.ref, x.domain, s.first_at
  from places s cross join lateral (values ('www.' || s.own_domain), (s.own_domain)) x (domain)
 where s.own_domain is not null and pg_temp.dice(s.n, 'connected', 100) < 80
 order by s.ref, x.domain desc;
insert into former_site_domains (brand_ref, site_ref, ref, domain)
select current_brand(), ref, domain_ref, label || '.' || (select domain from brands where brand_ref = current_brand())
  from places where removed_at is not null order by ref;

create temp table published on commit drop as
select s.ref as site_ref, k as version_ref, t.directory as template, s.user_ref,
       s.first_at + (x.until - s.first_at) * ((k - 1) / s.versions::double precision) * (0.75 + pg_temp.dice(s.n, 'version'
           || k, 25) / 100.0)
       as published_at
  from places s
  join sites o on o.brand_ref = current_brand() and o.ref = s.ref
  join templates t on t.ref = o.template_ref
 cross join lateral (select coalesce(s.offline_at, s.removed_at, pg_temp.history_at()) as until) x
 cross join lateral generate_series(1, s.versions) k;
analyze published;
insert into site_versions (brand_ref, site_ref, version_ref, published_at, template, author, pages)
select current_brand(), site_ref, version_ref, published_at, template, 'user:' || user_ref, 1 from published order by site_ref,
    version_ref;
insert into site_files (brand_ref, site_ref, version_ref, path, content_type, etag, body)
select current_brand(), p.site_ref, p.version_ref, f.path, f.content_type, f.etag, f.body from published p cross
    join history_page f;

update sites s set live = false, updated_at = p.offline_at
  from places p where s.brand_ref = current_brand() and s.ref = p.ref and p.offline_at is not null;
update sites s set deleted_at = p.removed_at, live = false, updated_at = p.removed_at
  from places p where s.brand_ref = current_brand() and s.ref = p.ref and p.removed_at is not null and p.offline_at is null;
update sites s set enabled = false, updated_at = pg_temp.history_at() - make_interval(days => 3 + pg_temp.dice(p.n, 'disabled',
    90))
  from places p where s.brand_ref = current_brand() and s.ref = p.ref and p.removed_at is null and p.offline_at is null
   and p.first_at < pg_temp.history_at() - interval '100 days' and pg_temp.dice(p.n, 'is disabled', 100) = 0;
update sites s set last_publish_at = l.at, updated_at = greatest(s.updated_at, l.at),
       primary_domain_ref = coalesce(l.own_domain_ref, s.primary_domain_ref)
  from (select p.site_ref, max(p.published_at) as at, min(d.ref) as own_domain_ref from published p
          left join site_domains d on d.brand_ref = current_brand() and d.site_ref = p.site_ref and d.domain like 'www.%'
         group by p.site_ref) l
 where s.brand_ref = current_brand() and s.ref = l.site_ref;

-- `offset 0` keeps the planner from computing expressions once for each use.
-- Visits of the last 400 days, which is how long they are kept; popular sites have some every day, others every three weeks.
create temp table seen on commit drop as
select s.ref as site_ref, x.day, x.visits, x.visits + pg_temp.dice(s.n, 'views' || x.day, 1 + x.visits * 2) as views, s.n,
    p.is_popular
  from places s
 cross join lateral (select greatest(s.first_at, pg_temp.history_at() - interval '399 days') as since,
                            coalesce(s.offline_at, s.removed_at, pg_temp.history_at()) as until,
                            pg_temp.dice(s.n, 'popular', 100) < 3 as is_popular offset 0) p
 cross join lateral (
     select d::date as day, greatest(1, (case when p.is_popular then 30 + pg_temp.dice(s.n, 'size', 250)
         else 6 + pg_temp.dice(s.n, 'size', 24) end
            * (array[1.1, 0.9, 0.95, 1, 1.05, 1.1, 1.2])[1 + extract(dow from d)::integer]
            * (0.6 + pg_temp.dice(s.n, 'day' || d::date, 80) / 100.0))::integer) as visits
       from generate_series(date_trunc('day', p.since at time zone pg_temp.zone())
                            + make_interval(days => case when p.is_popular then 0 else pg_temp.dice(s.n, 'first visit',
                                21) end),
                            p.until at time zone pg_temp.zone(), case when p.is_popular then interval '1 day'
                                else interval '21 days' end) d
     offset 0) x
 where s.first_at is not null;
insert into site_visits (brand_ref, site_ref, day, kind, name, views, visits)
select current_brand(), site_ref, day, 'page', '', views, visits from seen
union all
select current_brand(), site_ref, day, 'referrer', pg_temp.pick(n, 'referrer' || day,
    '{search.example,social.example,maps.example,news.example}'),
       visits / 3, visits / 3 from seen where is_popular;
-- Older visits are in the figures of the brand alone.
insert into daily_figures (brand_ref, day, figure, value)
select current_brand(), d.day, f.figure, f.value
  from (select d::date as day, number from generate_series((pg_temp.history_at() at time zone pg_temp.zone())::date - 729,
               (pg_temp.history_at() at time zone pg_temp.zone())::date - 400, '1 day') with ordinality s (d, number)) d
 cross join lateral (select (number * 5 * (0.8 + pg_temp.dice(number, 'old visits', 40) / 100.0))::integer as visits) v
 cross join lateral (values ('visits', v.visits), ('views', v.visits * 2)) f (figure, value);

-- What visitors wrote, in the last year.
create temp table messages on commit drop as
select nextval(pg_get_serial_sequence('contact_messages', 'ref')) as ref, m.* from (
    select s.ref as site_ref, s.n, s.language, v.day, row_number() over (order by v.day, s.ref) as number,
           (v.day + make_interval(mins => 480 + pg_temp.dice(s.n, 'message' || v.day, 700))) at time zone pg_temp.zone() as at
      from seen v join places s on s.ref = v.site_ref
     where pg_temp.dice(s.n, 'writes' || v.day, 100) < 2 and v.day > (pg_temp.history_at() - interval '360 days')::date
       and v.day < (pg_temp.history_at() at time zone pg_temp.zone())::date
     order by v.day, s.ref) m;
insert into contact_messages (brand_ref, ref, site_ref, page, name, email, message, visitor, at, read_at)
select current_brand(), m.ref, m.site_ref, '', x.name, pg_temp.slug(x.name) || '@example.net',
       case m.language
            when 'de' then pg_temp.pick(m.number, 'text',
                '{Haben Sie am Samstag geöffnet?,Können Sie mir ein Angebot machen?,Vielen Dank für die schnelle Hilfe!}')
            when 'fr' then pg_temp.pick(m.number, 'text',
                '{Êtes-vous ouverts le samedi ?,Pouvez-vous me faire un devis ?,Merci pour votre aide !}')
            when 'es' then pg_temp.pick(m.number, 'text',
                '{¿Abren los sábados?,¿Me pueden enviar un presupuesto?,¡Gracias por todo!}')
            when 'pt' then pg_temp.pick(m.number, 'text',
                '{Estão abertos ao sábado?,Podem enviar-me um orçamento?,Obrigado pela ajuda!}')
            else pg_temp.pick(m.number, 'text',
                '{Are you open on Saturdays?,Could you send me a quote?,Thank you for your quick help!}') end,
       decode(md5('visitor' || m.number), 'hex'), m.at,
       case when pg_temp.dice(m.number, 'read', 100) < 80 then least(m.at + interval '5 hours', pg_temp.history_at()) end
  from messages m join lexicon l on l.language = m.language
 cross join lateral (select pg_temp.pick(m.number, 'who', l.firsts) || ' ' || pg_temp.pick(m.number, 'whose',
     l.lasts) as name) x
 order by m.ref;
insert into contact_replies (brand_ref, message_ref, text, at)
select current_brand(), ref, 'Thank you for your message. We will call you tomorrow.', least(at + interval '6 hours',
    pg_temp.history_at())
  from messages where pg_temp.dice(number, 'read', 100) < 80 and pg_temp.dice(number, 'replies', 100) < 50 order by ref;
