-- The events of each brand, in order.

-- What happened in a brand, in order, for webhooks: `sequence` rises by one per brand. `body` is json, not jsonb, because
-- it must be delivered byte for byte as it was written.
create table events (
    brand_ref bigint not null references brands,
    sequence  bigint not null,
    id        uuid not null,
    kind      text not null,
    body      json not null,
    at        timestamptz not null,
    site_ref  bigint generated always as (
        case when json_typeof(body -> 'site' -> 'ref') = 'number' then (body -> 'site' ->> 'ref')::bigint end) stored,
    primary key (brand_ref, sequence)
);
create index events_by_age on events using brin (at);
create index events_of_site on events (brand_ref, site_ref) where site_ref is not null;
alter table events enable row level security;
create policy one_brand on events using (brand_ref = current_brand());
grant select, insert on events to sitewright_service;

-- The last number assigned. The row stays locked until commit, so that numbers are in commit order.
create table event_sequences (
    brand_ref bigint primary key references brands,
    last      bigint not null
);
alter table event_sequences enable row level security;
alter table event_sequences force row level security;
create policy one_brand on event_sequences using (brand_ref = current_brand());
create policy backup on event_sequences for select to sitewright_backup using (owner_may_read_all());
grant select, insert, update on event_sequences to sitewright_service;
