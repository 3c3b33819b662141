-- The customers of the history brand. Nothing is random: choices follow from digests of row numbers, so that two databases get
-- the same rows at the same time. Names are invented, and addresses use names that are reserved for examples (RFC 2606).
-- Parameters: history.at (now), history.zone (the time zone of days) and sitewright.brand_ref.

create function pg_temp.history_at() returns timestamptz language sql stable
    return current_setting('history.at')::timestamptz;
create function pg_temp.zone() returns text language sql stable return current_setting('history.zone');
-- A number from 0 to sides - 1 that depends on `n` and `what` alone.
create function pg_temp.dice(n bigint, what text, sides integer) returns integer language sql immutable parallel safe
    return ('x' || substr(md5(what || n), 1, 7))::bit(28)::integer % sides;
create function pg_temp.pick(n bigint, what text, choices text[]) returns text language sql immutable parallel safe
    return choices[1 + pg_temp.dice(n, what, cardinality(choices))];
-- The part of a host name or address that stands for a name.
create function pg_temp.slug(name text) returns text language sql immutable parallel safe
    return trim('-' from regexp_replace(lower(translate(name,
        'ÄÖÜäöüßÉÈÊÁÀÂÃÍÓÔÕÚÇÑéèêëáàâãíïóôõúçñœ''', 'AOUaousEEEAAAAIOOOUCNeeeeaaaaiioooucno')), '[^a-z0-9]+', '-', 'g'));

create temp table lexicon (language text, share int4range, country text, firsts text[], lasts text[], cities text[],
    trades text[])
    on commit drop;
insert into lexicon values
    ('de', '[0,42)', 'DE',
     '{Anna,Jürgen,Lena,Matthias,Sabine,Felix,Katharina,Björn,Heike,Tobias,Ursula,Moritz,Greta,Stefan,Jule,Günther,Miriam,Lukas}',
     '{Müller,Schäfer,Weiß,Huber,Krüger,Vogel,Böhm,Lindner,Hoffmann,Groß,Wagner,Zimmermann,König,Brandt,Seidel,Jäger,Förster,Ott}',
     '{Hamburg,München,Köln,Leipzig,Nürnberg,Bremen,Freiburg,Lübeck,Görlitz,Münster}',
     '{Bäckerei %s,%s Fotografie,Tischlerei %s,Praxis %s,Café %s,Gärtnerei %s,%s & Söhne,Malerbetrieb %s,Yoga mit %s,Buchladen %s}'),
    ('en', '[42,66)', 'GB',
     '{Alice,James,Chloe,Oliver,Priya,Thomas,Grace,Daniel,Hannah,Noah,Amelia,Callum,Ruby,Samir,Eleanor,Jack}',
     '{Smith,O''Brien,Patel,Walker,Bennett,Hughes,Clarke,Murphy,Turner,Campbell,Fletcher,Doyle,Hassan,Cooper,Whitfield,Price}',
     '{London,Leeds,Bristol,Dublin,Glasgow,York,Cardiff,Norwich}',
     '{%s & Sons Joinery,The %s Bakery,%s Photography,%s Plumbing,%s Consulting,%s Garden Design,Studio %s,%s Cycles}'),
    ('fr', '[66,81)', 'FR',
     '{Élodie,Hugo,Camille,François,Manon,Théo,Hélène,Julien,Léa,Benoît,Chloé,Mathieu}',
     '{Moreau,Lefèvre,Dubois,Girard,Rousseau,Bernard,Fournier,Mercier,Lambert,Chevalier,Gauthier,Perrin}',
     '{Lyon,Nantes,Bordeaux,Lille,Rennes,Orléans,Besançon}',
     '{Boulangerie %s,Atelier %s,Cabinet %s,%s Photographie,Fleurs de %s,Menuiserie %s,Librairie %s}'),
    ('es', '[81,92)', 'ES',
     '{Lucía,Javier,Carmen,Íñigo,Sofía,Andrés,Elena,Raúl,Marta,Óscar,Inés,Diego}',
     '{García,Muñoz,Fernández,Ibáñez,Romero,Castaño,Ortega,Vázquez,Navarro,Peña,Serrano,Núñez}',
     '{Madrid,Sevilla,Valencia,Bilbao,Málaga,Zaragoza}',
     '{Taller %s,Panadería %s,Clínica %s,%s Reformas,Estudio %s,Floristería %s}'),
    ('pt', '[92,100)', 'PT',
     '{João,Inês,Tiago,Beatriz,Gonçalo,Catarina,Rui,Mariana,Luís,Conceição}',
     '{Silva,Gonçalves,Araújo,Magalhães,Simões,Brandão,Teixeira,Assunção,Lourenço,Faria}',
     '{Lisboa,Porto,Braga,Évora,Setúbal}',
     '{Padaria %s,%s Fotografia,Oficina %s,Clínica %s,Quinta %s}');

insert into resellers (brand_ref, reseller_name, display_name, account_create_limit, default_currency_ref, enabled, created_at,
                       reseller_support_email)
select current_brand(), name, name, most, (select ref from currencies where alpha_code = 'EUR'), enabled,
       pg_temp.history_at() - make_interval(days => age), 'hello@' || pg_temp.slug(name) || '.example'
  from (values (1, 'Elbe Webdesign', 1000, true, 728), (2, 'Chamber of Crafts North', 2000, true, 700),
               (3, 'Atelier du Web', 500, true, 540), (4, 'Peninsula Digital', 300, true, 410),
               (5, 'Bright Pixel Studio', 200, false, 600)) r (n, name, most, enabled, age)
 order by n;
insert into reseller_prices (brand_ref, reseller_ref, package_ref, currency_ref, billing_period_months, price)
select current_brand(), r.ref, p.ref, c.ref, l.months, l.price
  from (values ('Elbe Webdesign', 'starter', 1, 5.90), ('Elbe Webdesign', 'starter', 12, 59.00),
               ('Chamber of Crafts North', 'pro', 1, 14.90), ('Chamber of Crafts North', 'pro', 12, 149.00))
       l (reseller, key, months, price)
  join resellers r on r.brand_ref = current_brand() and r.reseller_name = l.reseller
  join packages p on p.brand_ref = current_brand() and p.key = l.key
  join currencies c on c.alpha_code = 'EUR'
 order by r.ref, p.ref, l.months;

-- 3,000 registrations over 730 days: more each month, fewer at weekends, in summer and over Christmas.
create temp table people on commit drop as
with days as materialized (
    select d::date as day,
           (0.25 + 0.75 * number / 730) * (array[0.5, 1.2, 1.25, 1.15, 1.1, 0.9, 0.55])[1 + extract(dow from d)::integer]
           * (array[1.25, 1.15, 1.1, 1, 0.95, 0.85, 0.7, 0.75, 1.1, 1.15, 1.1, 0.7])[extract(month from d)::integer]
           * (0.75 + pg_temp.dice(number, 'day', 51) / 100.0) as weight
      from generate_series(pg_temp.history_at() at time zone pg_temp.zone() - interval '729 days',
                           pg_temp.history_at() at time zone pg_temp.zone(), '1 day') with ordinality s (d, number)
), summed as materialized (
    select day, round(3000 * sum(weight) over (order by day) / sum(weight) over ())::integer as until from days
), registered as materialized (
    select n, day::timestamp at time zone pg_temp.zone() as starts_at,
           (day + 1)::timestamp at time zone pg_temp.zone() as ends_at
      from (select day, coalesce(lag(until) over (order by day), 0) as before, until from summed) s
     cross join lateral generate_series(before + 1, until) n
), placed as materialized (
    select n, starts_at + least(ends_at - starts_at, pg_temp.history_at() - starts_at)
              * (0.3 + 0.62 * (pg_temp.dice(n, 'morning', 1000) + pg_temp.dice(n, 'evening', 1000)) / 2000.0) as created_at
      from registered
), named as materialized (
    select p.n, date_trunc('second', p.created_at) as created_at, l.language, l.country,
           pg_temp.pick(p.n, 'first', l.firsts) as first_name, pg_temp.pick(p.n, 'last', l.lasts) as last_name,
           pg_temp.pick(p.n, 'city', l.cities) as city, pg_temp.pick(p.n, 'trade', l.trades) as trade
      from placed p join lexicon l on pg_temp.dice(p.n, 'language', 100) <@ l.share
), ended as materialized (
    select p.*, created_at + make_interval(days => 12 + pg_temp.dice(n, 'stays', 420), mins => 37) as left_at,
           pg_temp.dice(n, 'leaves', 100) < 11 as leaves
      from named p
), deleted as materialized (
    select p.*, case when leaves and left_at < pg_temp.history_at() - interval '1 day' then left_at end as deleted_at
        from ended p
)
select nextval(pg_get_serial_sequence('users', 'ref')) as ref, p.*,
       case when deleted_at + interval '30 days' < pg_temp.history_at() and pg_temp.dice(n, 'erased', 100) < 55
            then deleted_at + interval '30 days' end as anonymised_at,
       case when deleted_at is null and created_at < pg_temp.history_at() - interval '20 days' and pg_temp.dice(n, 'suspended',
           100) < 3
            then pg_temp.history_at() - (pg_temp.history_at() - created_at) * (0.05 + pg_temp.dice(n, 'since', 40) / 100.0) end
       as suspended_at,
       case when pg_temp.dice(n, 'company', 100) < 58 then format(trade, last_name) else '' end as company,
       case when pg_temp.dice(n, 'sold by', 100) < 34 then pg_temp.dice(n, 'reseller', 10) end as reseller
  from (select * from deleted order by n) p;
alter table people add primary key (n);
analyze people;

insert into users (brand_ref, ref, reseller_ref, first_name, last_name, username, username_key, email, email_key, language_code,
                   phone_number, address1, city, postcode, country, company, newsletter, currency_ref, created_at, updated_at,
                   last_login_at, email_verified_at, suspended_at, suspended_reason, deleted_at, anonymised_at,
                   deletion_requested_at)
select current_brand(), p.ref, r.ref, x.first_name, x.last_name, x.username, x.username, x.email, x.email, p.language, x.phone,
    x.street,
       x.city, x.postcode, x.country, x.company, (pg_temp.dice(p.n, 'news', 100) < 31)::integer, c.ref, p.created_at,
       coalesce(p.anonymised_at, p.deleted_at, p.suspended_at, p.created_at),
       case when p.anonymised_at is null and pg_temp.dice(p.n, 'came back', 100) < 72
            then p.created_at + (coalesce(p.deleted_at, pg_temp.history_at()) - p.created_at) * (0.4 + pg_temp.dice(p.n,
                'seen', 60) / 100.0) end,
       case when p.anonymised_at is null and pg_temp.dice(p.n, 'verified', 100) < 86
            then p.created_at + make_interval(secs => 90 + pg_temp.dice(p.n, 'verifies', 40000)) end,
       p.suspended_at,
       case when p.suspended_at is not null then pg_temp.pick(p.n, 'why',
            '{Unpaid invoices,Phishing page reported by a visitor,Spam sent through the contact form,At the customer''s request}') end,
       p.deleted_at, p.anonymised_at,
       case when p.deleted_at is null and pg_temp.dice(p.n, 'asks', 400) = 0
           then pg_temp.history_at() - make_interval(days => 1 + pg_temp.dice(p.n, 'asked', 9)) end
  from people p
  join currencies c on c.alpha_code = 'EUR'
  left join lateral (
      select o.ref from resellers o where o.brand_ref = current_brand() and o.enabled
       order by o.ref offset (array[0, 0, 0, 0, 1, 1, 1, 2, 2, 3])[1 + p.reseller] limit 1) r on p.reseller is not null
  cross join lateral (
      select p.first_name, p.last_name, pg_temp.slug(p.first_name || ' ' || p.last_name) || p.n as username,
             pg_temp.slug(p.first_name) || '.' || pg_temp.slug(p.last_name) || p.n || '@'
             || pg_temp.pick(p.n, 'mail', '{example.com,example.org,example.net,mail.example}') as email,
             case when p.country = 'GB' then '+44 20 7946 0' || lpad(pg_temp.dice(p.n, 'phone', 1000)::text, 3,
                 '0') end as phone,
             pg_temp.pick(p.n, 'street',
                 '{Hafenstraße,Main Street,Rue de la Gare,Calle Mayor,Rua Nova,Bahnhofstraße,Church Lane}')
             || ' ' || 1 + pg_temp.dice(p.n, 'house', 180) as street,
             p.city, lpad((10000 + pg_temp.dice(p.n, 'postcode', 80000))::text, 5, '0') as postcode, p.country, p.company
       where p.anonymised_at is null
      union all
      select 'anonymised', 'anonymised', 'anonymised', 'anonymised', 'anonymised', 'anonymised', 'anonymised', 'anonymised',
             'anonymised', 'anonymised' where p.anonymised_at is not null) x
 order by p.n;

insert into sessions (brand_ref, digest, user_ref, created_at, expires_at, user_agent)
select current_brand(), decode(md5('session a' || p.n) || md5('session b' || p.n), 'hex'), p.ref,
       pg_temp.history_at() - make_interval(mins => 20 + pg_temp.dice(p.n, 'session', 600)),
       pg_temp.history_at() + make_interval(mins => 30 + pg_temp.dice(p.n, 'session', 600)),
       pg_temp.pick(p.n, 'browser',
           '{Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0,Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1}')
  from people p where p.deleted_at is null and p.suspended_at is null and pg_temp.dice(p.n, 'logged in', 100) < 4
       and p.created_at < pg_temp.history_at() - interval '1 day'
 order by p.n;
