-- Resellers are made and changed over the interface. Their tables stand since 0006.

grant insert, update on resellers to sitewright_service;
grant insert, update, delete on reseller_prices to sitewright_service;
create index api_credentials_of_reseller on api_credentials (brand_ref, reseller_ref) where reseller_ref is not null;

-- As in 0002, but for one thing: whoever signs for a reseller that is deleted or not enabled signs with an unknown key.
-- It is asked with every request, so a change holds for every process from its commit on.
create or replace function authenticate_oauth(
    asked_key text, asked_nonce text, asked_address text, failure_window integer,
    out credential_ref bigint, out brand_ref bigint, out role text, out reseller_ref bigint,
    out access_token text, out consumer_secret bytea, out access_secret bytea,
    out nonce_is_fresh boolean, out failures integer, out oldest_failure timestamptz
) language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    select c.ref, c.brand_ref, c.role, c.reseller_ref, c.access_token, c.consumer_secret, c.access_secret
      into credential_ref, brand_ref, role, reseller_ref, access_token, consumer_secret, access_secret
      from api_credentials c where c.consumer_key = asked_key and c.revoked_at is null
       and (c.reseller_ref is null or exists (select from resellers r
             where r.brand_ref = c.brand_ref and r.ref = c.reseller_ref and r.enabled and r.deleted_at is null));
    insert into oauth_nonces values (coalesce(credential_ref, 0), asked_nonce) on conflict do nothing;
    nonce_is_fresh := found;
    select count(*)::integer, min(f.failed_at) into failures, oldest_failure from authentication_failures f
     where f.address = asked_address::inet and f.key = case when credential_ref is null then '' else asked_key end
       and f.failed_at > now() - make_interval(secs => failure_window);
end $$;
