-- Who calls, and whose host this is. Applied again whenever this file changes.

-- Who signs with this key, whether the nonce is fresh (the check uses it up), and the rate limits: one call, so that a signed
-- request authenticates in one round trip. The commit does not wait for the disk: the write-ahead log is written in order,
-- so whatever the request itself commits makes its nonce durable.
-- The rate limit comes before the nonce. Over the budget of the pair nothing is written, and `refused` is true. Over the
-- budget of the address `nonce_is_fresh` is null: only a right signature then uses the nonce, with use_oauth_nonce.
-- `retry_after` is null within both budgets. A credential of a reseller that is disabled or deleted is not `is_enabled`:
-- its requests are refused, but its right signatures are not counted as failures.
create or replace function authenticate_signature(
    asked_key text, asked_nonce text, asked_address text, asked_pair text, failure_window integer,
    pair_limit integer, address_limit integer,
    out credential_ref bigint, out brand_ref bigint, out role text, out reseller_ref bigint,
    out access_token text, out consumer_secret bytea, out access_secret bytea,
    out nonce_is_fresh boolean, out failures integer, out refused boolean, out retry_after integer,
    out is_enabled boolean
) language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
    pair_full_since timestamptz;
    address_full_since timestamptz;
begin
    perform set_config('synchronous_commit', 'off', true);
    select count(*) filter (where f.key = asked_pair)::integer,
           (array_agg(f.failed_at order by f.failed_at desc) filter (where f.key = asked_pair))[pair_limit],
           (array_agg(f.failed_at order by f.failed_at desc))[address_limit]
      into failures, pair_full_since, address_full_since
      from authentication_failures f
     where f.address = asked_address::inet and f.realm = 'api' and f.failed_at > since and not f.pending;
    refused := pair_full_since is not null;
    retry_after := ceil(extract(epoch from coalesce(pair_full_since, address_full_since) - since));
    if refused then
        return;
    end if;
    select c.ref, c.brand_ref, c.role, c.reseller_ref, c.access_token, c.consumer_secret, c.access_secret
      into credential_ref, brand_ref, role, reseller_ref, access_token, consumer_secret, access_secret
      from api_credentials c where c.consumer_key = asked_key and c.revoked_at is null;
    is_enabled := reseller_ref is null or exists (select from resellers r
        where (r.brand_ref, r.ref) = (authenticate_signature.brand_ref, authenticate_signature.reseller_ref)
          and r.enabled and r.deleted_at is null);
    if address_full_since is null then
        insert into oauth_nonces values (coalesce(credential_ref, 0), asked_nonce) on conflict do nothing;
        nonce_is_fresh := found;
    end if;
end $$;

-- The operator of a user name, and whether its pair of address and name is over its budget: `retry_after` is null within it.
create or replace function find_operator(
    asked_username text, asked_address text, asked_pair text, failure_window integer, pair_limit integer,
    out operator_ref bigint, out brand_ref bigint, out role text, out password_hash text,
    out is_trusted boolean, out retry_after integer, out has_second_factor boolean
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
begin
    select o.ref, o.brand_ref, o.role, o.password_hash, o.second_factor_at is not null
      into operator_ref, brand_ref, role, password_hash, has_second_factor
      from operators o where o.username = asked_username and o.revoked_at is null;
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = 'api' and t.key = asked_pair
                             and t.proven_at > now() - interval '30 days');
    select ceil(extract(epoch from f.failed_at - since)) into retry_after
      from authentication_failures f
     where f.address = asked_address::inet and f.key = asked_pair and f.failed_at > since and not f.pending
     order by f.failed_at desc offset pair_limit - 1 limit 1;
end $$;

-- The same for the previous release, which knows neither the new roles nor second factors.
create or replace function authenticate_operator(
    asked_username text, asked_address text, asked_pair text, failure_window integer, pair_limit integer,
    out operator_ref bigint, out brand_ref bigint, out role text, out password_hash text,
    out is_trusted boolean, out retry_after integer
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    select f.operator_ref, f.brand_ref, f.role, f.password_hash
      into operator_ref, brand_ref, role, password_hash
      from find_operator(asked_username, asked_address, asked_pair, failure_window, pair_limit) f
     where f.role in ('system-owner', 'brand-admin') and not f.has_second_factor;
    select f.is_trusted, f.retry_after into is_trusted, retry_after
      from find_operator(asked_username, asked_address, asked_pair, failure_window, pair_limit) f;
end $$;

-- Across brands: these credentials, with their brands, and operators were used. A row is written at most once a minute.
create or replace function record_uses(
    brand_refs bigint[], credential_refs bigint[], operator_refs bigint[], used_at timestamptz
) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update api_credentials c set last_used_at = used_at from unnest(brand_refs, credential_refs) u (brand_ref, ref)
     where (c.brand_ref, c.ref) = (u.brand_ref, u.ref)
       and (c.last_used_at is null or c.last_used_at < used_at - interval '1 minute');
    update operators o set last_used_at = used_at
     where o.ref = any(operator_refs)
       and (o.last_used_at is null or o.last_used_at < used_at - interval '1 minute');
$$;

-- Across brands, for the operator: who may call; no secret.
create or replace function all_credentials()
    returns table (kind text, ref bigint, brand_ref bigint, role text, name text, created_at timestamptz,
                   revoked_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select 'api', ref, brand_ref, role, label, created_at, revoked_at from api_credentials
    union all
    select 'operator', ref, brand_ref, role, username, created_at, revoked_at from operators
$$;

-- Across brands, for the check of the master key at each start: the newest credentials in force, with a sealed secret.
create or replace function newest_api_secrets(most integer)
    returns table (consumer_key text, consumer_secret bytea)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select c.consumer_key, c.consumer_secret from api_credentials c where c.revoked_at is null order by c.ref desc limit most
$$;

-- For the audit log of a brand: the names of its operators, and of system-owners, who belong to no brand.
create or replace function names_of_operators(asked bigint[]) returns table (ref bigint, name text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select o.ref, coalesce(nullif(o.name, ''), o.username) from operators o
     where o.ref = any(asked) and (o.brand_ref is null or o.brand_ref = current_brand())
$$;

-- Across brands, for system-owners, who choose one in the console.
create or replace function all_brands() returns table (brand_ref bigint, name text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref, b.name from brands b
$$;

-- Across brands: the test brands, for lists of brands.
create or replace function test_brands() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b where b.test_mode
$$;

-- Across brands, for the worker: the test brands whose clock is being moved.
create or replace function brands_with_advancing_clock() returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b where b.clock_advancing_to is not null
$$;

-- Across brands: the brand whose domain a host is, or is below.
create or replace function brand_of_host(asked_host text) returns bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b
     where lower(b.domain) = asked_host or asked_host like '%.' || lower(b.domain)
     order by length(b.domain) desc, b.brand_ref limit 1
$$;

revoke execute on function authenticate_signature, find_operator, authenticate_operator, all_credentials, all_brands,
    names_of_operators, test_brands, brands_with_advancing_clock, brand_of_host, record_uses, newest_api_secrets from public;
grant execute on function authenticate_signature, find_operator, authenticate_operator, all_credentials, all_brands,
    names_of_operators, test_brands, brands_with_advancing_clock, brand_of_host, record_uses, newest_api_secrets to sitewright_service;
