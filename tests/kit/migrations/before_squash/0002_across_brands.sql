-- Everything that looks across brands, in one file: named functions that run as the owner of the tables.
-- Each does one thing, and none gives the service role more than that.

-- Who signs with this key, whether the nonce is fresh (it is used up by asking), and how often this address failed
-- before. One call, so that a signed request costs one round trip to authenticate. Nonces commit without waiting for
-- the disk: the log is written in order, so whatever the request itself commits makes its nonce durable.
create function authenticate_oauth(
    asked_key text, asked_nonce text, asked_address text, failure_window integer,
    out credential_ref bigint, out brand_ref bigint, out role text, out reseller_ref bigint,
    out access_token text, out consumer_secret bytea, out access_secret bytea,
    out nonce_is_fresh boolean, out failures integer, out oldest_failure timestamptz
) language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    select c.ref, c.brand_ref, c.role, c.reseller_ref, c.access_token, c.consumer_secret, c.access_secret
      into credential_ref, brand_ref, role, reseller_ref, access_token, consumer_secret, access_secret
      from api_credentials c where c.consumer_key = asked_key and c.revoked_at is null;
    insert into oauth_nonces values (coalesce(credential_ref, 0), asked_nonce) on conflict do nothing;
    nonce_is_fresh := found;
    select count(*)::integer, min(f.failed_at) into failures, oldest_failure from authentication_failures f
     where f.address = asked_address::inet and f.key = case when credential_ref is null then '' else asked_key end
       and f.failed_at > now() - make_interval(secs => failure_window);
end $$;

create function authenticate_basic(
    asked_username text, asked_address text, failure_window integer,
    out operator_ref bigint, out brand_ref bigint, out role text, out password_hash text,
    out failures integer, out oldest_failure timestamptz
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    select o.ref, o.brand_ref, o.role, o.password_hash into operator_ref, brand_ref, role, password_hash
      from operators o where o.username = asked_username and o.revoked_at is null;
    select count(*)::integer, min(f.failed_at) into failures, oldest_failure from authentication_failures f
     where f.address = asked_address::inet and f.key = case when operator_ref is null then '' else asked_username end
       and f.failed_at > now() - make_interval(secs => failure_window);
end $$;

create function record_authentication_failure(asked_address text, asked_key text) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    insert into authentication_failures (address, key) values (asked_address::inet, asked_key)
$$;

create function clear_authentication_failures(asked_address text, asked_key text) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from authentication_failures where address = asked_address::inet and key = asked_key
$$;

-- Housekeeping of the worker: what authentication wrote and no longer needs.
create function prune_authentication(nonce_age interval, failure_age interval) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from oauth_nonces where used_at < now() - nonce_age;
    delete from authentication_failures where failed_at < now() - failure_age
$$;

-- Commands of the operator's shell, which stands outside the brands: who may call, without any secret.
create function all_credentials()
    returns table (kind text, ref bigint, brand_ref bigint, role text, name text, created_at timestamptz,
                   revoked_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select 'api', ref, brand_ref, role, label, created_at, revoked_at from api_credentials
    union all
    select 'operator', ref, brand_ref, role, username, created_at, revoked_at from operators
$$;

revoke execute on function
    authenticate_oauth, authenticate_basic, record_authentication_failure, clear_authentication_failures,
    prune_authentication, all_credentials from public;
grant execute on function
    authenticate_oauth, authenticate_basic, record_authentication_failure, clear_authentication_failures,
    prune_authentication, all_credentials to sitewright_service;
