-- Answers of POSTs with an Idempotency-Key, sealed, for 24 hours.
create table idempotent_answers (
    brand_ref bigint,
    caller    text not null,
    key       text not null,
    digest    bytea not null,
    answer    bytea not null,
    kept_at   timestamptz not null,
    unique nulls not distinct (caller, key, brand_ref)
);
create index idempotent_answers_by_age on idempotent_answers (kept_at);
alter table idempotent_answers enable row level security;
create policy one_brand on idempotent_answers using (brand_ref is not distinct from current_brand());
grant select, insert, update on idempotent_answers to sitewright_service;

create function prune_idempotent_answers(older_than timestamptz) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from idempotent_answers where kept_at < older_than
$$;
revoke execute on function prune_idempotent_answers from public;
grant execute on function prune_idempotent_answers to sitewright_service;
