-- Whoever changes a package writes an entry into every index of its tables: there are fewer of them. An account package
-- and a lifecycle event are always asked for with their user, so that one index serves both purposes.
lock table account_packages, account_domains, lifecycle_events in access exclusive mode;
alter table account_domains drop constraint account_domains_brand_ref_account_package_ref_fkey;
drop index account_packages_of_user;
alter table account_packages drop constraint account_packages_pkey, add primary key (brand_ref, user_ref, ref);
alter table account_domains add foreign key (brand_ref, user_ref, account_package_ref)
    references account_packages (brand_ref, user_ref, ref);

drop index lifecycle_events_of_user;
alter table lifecycle_events drop constraint lifecycle_events_pkey, add primary key (brand_ref, user_ref, ref);

-- As 0017 has it, but that a sender who has no time to lose can ask for those only that somebody waits for.
drop function claim_mails(timestamptz, timestamptz, integer);
create function claim_mails(due timestamptz, lease_until timestamptz, most integer, only_awaited boolean default false)
    returns table (brand_ref bigint, ref bigint)
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with mine as materialized (
        select w.brand_ref, w.ref from mails w
         where w.sent_at is null and w.failed_at is null and w.is_awaited >= only_awaited and w.next_attempt_at <= due
         order by w.is_awaited desc, w.next_attempt_at, w.ref limit most for update skip locked)
    update mails m set next_attempt_at = lease_until, attempts = m.attempts + 1 from mine
     where m.brand_ref = mine.brand_ref and m.ref = mine.ref
    returning m.brand_ref, m.ref
$$;
revoke execute on function claim_mails from public;
grant execute on function claim_mails to sitewright_service;
