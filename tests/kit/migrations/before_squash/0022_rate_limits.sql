-- Rate limits on wrong credentials, counted here so that they hold across all processes (decision 0035).
--
-- An attempt at a password is reserved before the slow verification, as a pending row that counts like a failure, and is
-- then released (right) or left as a failure (wrong). `key` is a keyed digest of the name or key that was sent, the same
-- whether it exists or not; `address` is an IPv4 address or an IPv6 /64; `realm` is 'api' or 'login'.
-- The functions of 0002, 0006 and 0011 that these replace stay for the previous release.

alter table authentication_failures
    add column ref bigint generated always as identity,
    add column realm text not null default 'api',
    add column pending boolean not null default false;
create unique index authentication_failures_by_ref on authentication_failures (ref);
create index authentication_failures_by_address on authentication_failures (address, realm, failed_at);
create index authentication_failures_by_key on authentication_failures (key, failed_at);

-- From where a name has logged in lately: the budgets of its address and of its account are not applied there, so that
-- nobody can lock the owner out from elsewhere.
create table trusted_addresses (
    address   inet not null,
    realm     text not null,
    key       text not null,
    proven_at timestamptz not null default now(),
    primary key (address, realm, key)
);
create index trusted_addresses_by_age on trusted_addresses (proven_at);

-- As authenticate_oauth, but the rate limit goes before the nonce. Over the budget of the pair nothing is written, and
-- `refused` is true. Over the budget of the address `nonce_is_fresh` is null: only a right signature then uses the nonce,
-- with use_oauth_nonce. `retry_after` is null within both budgets. A credential of a reseller that is disabled or deleted
-- is not `is_enabled`: nobody is let in by it, but its right signatures are no guesses, and are not counted.
create function authenticate_signature(
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

create function use_oauth_nonce(asked_credential_ref bigint, asked_nonce text) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    insert into oauth_nonces values (asked_credential_ref, asked_nonce) on conflict do nothing;
    return found;
end $$;

-- As authenticate_basic, with the digest as the key of the pair. `retry_after` is null within its budget.
create function authenticate_operator(
    asked_username text, asked_address text, asked_pair text, failure_window integer, pair_limit integer,
    out operator_ref bigint, out brand_ref bigint, out role text, out password_hash text,
    out is_trusted boolean, out retry_after integer
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
begin
    select o.ref, o.brand_ref, o.role, o.password_hash into operator_ref, brand_ref, role, password_hash
      from operators o where o.username = asked_username and o.revoked_at is null;
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = 'api' and t.key = asked_pair
                             and t.proven_at > now() - interval '30 days');
    select ceil(extract(epoch from f.failed_at - since)) into retry_after
      from authentication_failures f
     where f.address = asked_address::inet and f.key = asked_pair and f.failed_at > since and not f.pending
     order by f.failed_at desc offset pair_limit - 1 limit 1;
end $$;

-- Counts an attempt against its budgets, atomically: attempts of one address, and at one account, take turns.
-- `attempt`: it may be made. Null with `retry_after`: a budget is spent by failures. Null without: so many attempts are
-- being verified that the budget may be spent in a moment; ask again. `over_address`: more failures than
-- `address_limit`, so that a wrong attempt is answered as refused; from `address_cap` on none is made at all.
-- A pending attempt that nobody ended within a minute (its process was killed) is a failure.
create function reserve_attempt(
    asked_realm text, asked_address text, asked_key text, asked_pending boolean, failure_window integer,
    pair_limit integer, address_limit integer, address_cap integer, account_limit integer,
    out attempt bigint, out over_address boolean, out retry_after integer
) language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
    abandoned timestamptz := now() - interval '1 minute';
    is_trusted boolean;
    is_busy boolean := false;
    full_since timestamptz;
    address_full_since timestamptz;
begin
    perform set_config('synchronous_commit', 'off', true);
    perform pg_advisory_xact_lock(hashtextextended(asked_realm || ' ' || asked_address, 22));
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = asked_realm and t.key = asked_key
                             and t.proven_at > now() - interval '30 days');
    with recent as materialized (
        select f.key, f.failed_at, f.pending and f.failed_at > abandoned as is_waiting from authentication_failures f
         where f.address = asked_address::inet and f.realm = asked_realm and f.failed_at > since)
    select coalesce((array_agg(r.failed_at order by r.failed_at desc)
                       filter (where r.key = asked_key and not r.is_waiting))[pair_limit],
                    (array_agg(r.failed_at order by r.failed_at desc)
                       filter (where not r.is_waiting and not is_trusted))[address_cap]),
           (array_agg(r.failed_at order by r.failed_at desc) filter (where not r.is_waiting))[address_limit],
           count(*) filter (where r.key = asked_key) >= pair_limit or (count(*) >= address_cap and not is_trusted)
      into full_since, address_full_since, is_busy from recent r;
    if account_limit is not null and not is_trusted then
        perform pg_advisory_xact_lock(hashtextextended(asked_key, 22));
        select coalesce(full_since, (array_agg(f.failed_at order by f.failed_at desc)
                                       filter (where not f.pending or f.failed_at <= abandoned))[account_limit]),
               is_busy or count(*) >= account_limit
          into full_since, is_busy
          from authentication_failures f where f.key = asked_key and f.failed_at > since;
    end if;
    over_address := address_full_since is not null;
    retry_after := ceil(extract(epoch from coalesce(full_since, address_full_since) - since));
    if full_since is null and is_busy then
        retry_after := null;
    elsif full_since is null then
        insert into authentication_failures (address, key, realm, pending)
        values (asked_address::inet, asked_key, asked_realm, asked_pending) returning ref into attempt;
    end if;
end $$;

-- The end of a reserved attempt. Right: it was none. `clears`: the failures of its pair go as well, and its address is
-- trusted from now on.
create function release_attempt(asked_attempt bigint, clears boolean) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    released authentication_failures;
begin
    perform set_config('synchronous_commit', 'off', true);
    delete from authentication_failures where ref = asked_attempt returning * into released;
    if clears and released.ref is not null then
        delete from authentication_failures f
         where f.address = released.address and f.key = released.key and not f.pending;
        insert into trusted_addresses as t (address, realm, key)
        values (released.address, released.realm, released.key)
        on conflict (address, realm, key) do update set proven_at = now()
         where t.proven_at < now() - interval '1 hour';
    end if;
end $$;

create function fail_attempt(asked_attempt bigint) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    update authentication_failures set pending = false where ref = asked_attempt;
end $$;

-- Before a log-in form is read at all: whether anybody is trusted at its address; if not, how long the address must wait,
-- or null. Where somebody is trusted, the name has to be read first.
create function check_log_in_address(
    asked_realm text, asked_address text, failure_window integer, address_cap integer,
    out is_trusted boolean, out retry_after integer
) language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    since timestamptz := now() - make_interval(secs => failure_window);
begin
    is_trusted := exists (select from trusted_addresses t
                           where t.address = asked_address::inet and t.realm = asked_realm
                             and t.proven_at > now() - interval '30 days');
    if not is_trusted then
        select ceil(extract(epoch from f.failed_at - since)) into retry_after
          from authentication_failures f
         where f.address = asked_address::inet and f.realm = asked_realm and f.failed_at > since and not f.pending
         order by f.failed_at desc offset address_cap - 1 limit 1;
    end if;
end $$;

create or replace function prune_authentication(nonce_age interval, failure_age interval) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from oauth_nonces where used_at < now() - nonce_age;
    delete from authentication_failures where failed_at < now() - failure_age;
    delete from trusted_addresses where proven_at < now() - interval '30 days'
$$;

revoke execute on function
    authenticate_signature, use_oauth_nonce, authenticate_operator, reserve_attempt, release_attempt, fail_attempt,
    check_log_in_address from public;
grant execute on function
    authenticate_signature, use_oauth_nonce, authenticate_operator, reserve_attempt, release_attempt, fail_attempt,
    check_log_in_address to sitewright_service;
