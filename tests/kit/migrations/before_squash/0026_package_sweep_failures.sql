-- Users whose due packages the sweep could not change. It goes on without them: one user never stops a brand's billing.

-- `retry_at` is null for a dead letter, which waits for the operator. Where the failure was one that passes by itself (a
-- lock, a deadlock, a time limit), the sweep tries the user again at `retry_at`. `reason` never holds a value of a row.
create table package_sweep_failures (
    brand_ref           bigint not null,
    user_ref            bigint not null,
    account_package_ref bigint not null,
    failed_at           timestamptz not null,
    attempts            integer not null default 1,
    reason              text not null check (length(reason) <= 300),
    retry_at            timestamptz,
    primary key (brand_ref, user_ref),
    foreign key (brand_ref, user_ref) references users (brand_ref, ref) on delete cascade
);
alter table package_sweep_failures enable row level security;
create policy one_brand on package_sweep_failures using (brand_ref = current_brand());
grant select, insert, update, delete on package_sweep_failures to sitewright_service;

-- Across brands, for the operator and the metrics: who failed and why, once more from now on, and how many dead letters.
create function all_package_sweep_failures(asked_brand_ref bigint, most integer)
    returns table (brand_ref bigint, user_ref bigint, account_package_ref bigint, failed_at timestamptz, attempts integer,
                   reason text, retry_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select f.brand_ref, f.user_ref, f.account_package_ref, f.failed_at, f.attempts, f.reason, f.retry_at
      from package_sweep_failures f where asked_brand_ref is null or f.brand_ref = asked_brand_ref
     order by f.failed_at, f.brand_ref, f.user_ref limit most
$$;
create function retry_package_sweep_failures(asked_brand_ref bigint, asked_user_ref bigint, at timestamptz)
    returns table (brand_ref bigint, user_ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update package_sweep_failures f set retry_at = at
     where (asked_brand_ref is null or f.brand_ref = asked_brand_ref)
       and (asked_user_ref is null or f.user_ref = asked_user_ref)
    returning f.brand_ref, f.user_ref
$$;
create function count_package_sweep_dead_letters() returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
    return (select count(*) from package_sweep_failures f where f.retry_at is null);
revoke execute on function all_package_sweep_failures, retry_package_sweep_failures, count_package_sweep_dead_letters
    from public;
grant execute on function all_package_sweep_failures, retry_package_sweep_failures, count_package_sweep_dead_letters
    to sitewright_service;
