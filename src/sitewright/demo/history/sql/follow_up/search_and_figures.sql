-- What only figures know: how many days the certificates of earlier days had left. Renewal was automated in the first year.
insert into figure_changes (brand_ref, day, figure, value)
select current_brand(), s.day, s.figure, s.value - lag(s.value, 1, 0) over (partition by s.figure order by s.day)
  from (select d.day, f.figure, f.value
          from (select d::date as day, n from generate_series((pg_temp.history_at() at time zone pg_temp.zone())::date - 700,
                       (pg_temp.history_at() at time zone pg_temp.zone())::date - 1, '1 day') with ordinality s (d, n)) d
         cross join lateral (
             values ('certificates_expired', case when pg_temp.dice(d.n / 5, 'expired', 9) < 3 then 1 + d.n / 5 % 2 else 0 end),
                    ('certificates_within_7_days', pg_temp.dice(d.n / 3, 'a week left', 3 + (700 - d.n)::integer / 200)),
                    ('certificates_within_30_days', 1 + pg_temp.dice(d.n / 4, 'a month left', 5)),
                    ('certificates_later', d.n / 47)) f (figure, value)) s;
select count_certificates(pg_temp.history_at(), now());
-- Triggers have counted the rows; the search terms are built by the service, and by the worker where that is interrupted.
select fold_figure_changes(1000000);
insert into search_rebuilds (brand_ref) values (current_brand());
