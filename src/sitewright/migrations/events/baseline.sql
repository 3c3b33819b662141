-- The events of each brand, in order.

-- What happened in a brand, in order, for webhooks: `sequence` rises by one per brand. `body` is json, not jsonb, because
-- it must be delivered byte for byte as it was written. There is no foreign key to `brands`, which would be checked for each row: the
-- sequencer reads the brand before it inserts a batch. `at` may be long before `numbered_at`, when what was due is done late, and years
-- after it, in a test brand; null: numbered by the previous release.
create table events (
    brand_ref bigint not null,
    sequence  bigint not null,
    id        uuid not null,
    kind      text not null,
    body      json not null,
    at        timestamptz not null,
    site_ref  bigint generated always as (
        case when json_typeof(body -> 'site' -> 'ref') = 'number' then (body -> 'site' ->> 'ref')::bigint end) stored,
    numbered_at timestamptz,
    primary key (brand_ref, sequence)
);
create index events_by_age on events using brin (coalesce(numbered_at, at));
create index events_of_site on events (brand_ref, site_ref) where site_ref is not null;
alter table events enable row level security;
create policy one_brand on events using (brand_ref = current_brand());
grant select, insert on events to sitewright_service;

-- The last number assigned, and the highest one that was deleted after its retention. The sequencer, and emitting transactions of
-- the previous release, lock the row until they commit, so that numbers become visible in their order.
create table event_sequences (
    brand_ref bigint primary key references brands,
    last      bigint not null,
    pruned    bigint not null default 0
);
alter table event_sequences enable row level security;
create policy one_brand on event_sequences using (brand_ref = current_brand());
grant select, insert, update on event_sequences to sitewright_service;

-- Events that the sequencer has not numbered yet. Transactions insert here without waiting for each other: for that reason there is
-- no foreign key to `brands` either. `body` is without its `sequence`.
create table event_inbox (
    brand_ref bigint not null,
    ref       bigint generated always as identity,
    id        uuid not null,
    kind      text not null,
    body      json not null,
    at        timestamptz not null,
    primary key (brand_ref, ref)
);
alter table event_inbox enable row level security;
create policy one_brand on event_inbox using (brand_ref = current_brand());
grant select, insert on event_inbox to sitewright_service;
