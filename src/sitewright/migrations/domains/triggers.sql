-- Triggers that notify the edge servers, and triggers that only the previous release needs. Applied again whenever this
-- file changes.

-- previous release: a host name that is no longer mapped loses its certificates.
create or replace function unbind_certificates() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    delete from certificate_bindings b where b.brand_ref = old.brand_ref and b.domain = old.domain;
    return null;
end $$;
create or replace trigger unbind_certificates after delete on site_domains for each row
    when (is_previous_release()) execute function unbind_certificates();

-- NOTIFY on sitewright_certificates, so that every edge server invalidates its cached certificates of a host name.
create or replace function notify_certificate_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_certificates', coalesce(new.domain, old.domain));
    return null;
end $$;
create or replace trigger notify_certificate_changed after insert or delete on certificate_bindings
    for each row execute function notify_certificate_changed();

-- The same for the service's own host names.
create or replace function notify_own_certificate_changed() returns trigger language plpgsql as $$
declare
    host text;
begin
    foreach host in array new.names loop
        perform pg_notify('sitewright_certificates', host);
    end loop;
    return null;
end $$;
create or replace trigger notify_own_certificate_changed after insert or update on own_certificates
    for each row execute function notify_own_certificate_changed();

-- previous release: a certificate without any binding is removed.
create or replace function forget_unbound_certificate() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    delete from certificates c where c.brand_ref = old.brand_ref and c.ref = old.certificate_ref
       and not exists (select from certificate_bindings b
                        where b.brand_ref = c.brand_ref and b.certificate_ref = c.ref);
    return null;
end $$;
create or replace trigger forget_unbound_certificate after delete on certificate_bindings for each row
    when (is_previous_release()) execute function forget_unbound_certificate();

-- previous release: suspending or deleting a user revokes the log-in tokens of the user's mailboxes.
create or replace function take_back_mailbox_tokens() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    delete from mailbox_login_tokens t using mailboxes m, account_domains d
     where d.brand_ref = new.brand_ref and d.user_ref = new.ref
       and m.brand_ref = d.brand_ref and m.account_domain_ref = d.ref
       and t.brand_ref = m.brand_ref and t.mailbox_ref = m.ref;
    return null;
end $$;
create or replace trigger take_back_mailbox_tokens after update on users for each row
    when (((old.suspended_at is null and new.suspended_at is not null)
           or (old.deleted_at is null and new.deleted_at is not null)) and is_previous_release())
    execute function take_back_mailbox_tokens();

-- previous release: a host name that it maps is checked from now on.
create or replace function check_mapped_domain() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into domain_checks (brand_ref, domain_ref, since, due_at)
    values (new.brand_ref, new.ref, new.created_at, now()) on conflict do nothing;
    return null;
end $$;
create or replace trigger check_mapped_domain after insert on site_domains for each row
    when (is_previous_release()) execute function check_mapped_domain();

revoke execute on function check_mapped_domain, unbind_certificates, forget_unbound_certificate, take_back_mailbox_tokens from public;
