-- The brand knows of the certificates that end soon: it is not warned of them again.
insert into certificate_warnings (brand_ref, certificate_ref, days, at)
select current_brand(), c.ref, w.days, c.not_after - make_interval(days => w.days)
  from certificates c cross join (values (30), (14), (7), (1)) w (days)
 where c.brand_ref = current_brand() and c.not_after - make_interval(days => w.days) <= now();
