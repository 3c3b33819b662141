-- How many bytes were written on a site since they were last measured, on top of what was measured then: never less than
-- there are, so that nothing has to be added up while a site is far from its limit. Without a row nothing was measured yet.
create table site_usage (
    brand_ref bigint not null,
    site_ref  bigint not null,
    bytes     bigint not null,
    primary key (brand_ref, site_ref),
    foreign key (brand_ref, site_ref) references sites (brand_ref, ref) on delete cascade
);
alter table site_usage enable row level security;
create policy one_brand on site_usage using (brand_ref = current_brand());
grant select, insert, update, delete on site_usage to sitewright_service;
