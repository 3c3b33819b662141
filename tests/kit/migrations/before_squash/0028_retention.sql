-- Contact messages and the audit can be pruned by age.
create index contact_messages_by_age on contact_messages using brin (at);
create index audit_entries_by_age on audit_entries using brin (at);

-- Across brands, for the worker: at most `most` rows at a time, so that nobody waits for it; both tell how many went.
create function prune_contact_messages(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with gone as (
        delete from contact_messages m where (m.brand_ref, m.ref) in (
            select x.brand_ref, x.ref from contact_messages x where x.at < older_than limit most)
        returning m.ref)
    select count(*) from gone
$$;

-- The service may not change the audit otherwise, and nothing of the last 30 days by this: who takes over the service
-- cannot hide what was done.
create function prune_audit_entries(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with gone as (
        delete from audit_entries e where e.ref in (
            select x.ref from audit_entries x where x.at < least(older_than, now() - interval '30 days') limit most)
        returning e.ref)
    select count(*) from gone
$$;
revoke execute on function prune_contact_messages, prune_audit_entries from public;
grant execute on function prune_contact_messages, prune_audit_entries to sitewright_service;
