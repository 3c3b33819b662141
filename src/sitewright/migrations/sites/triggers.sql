-- Triggers that notify the edge servers, one that counts, and triggers that only the previous release needs. Applied again whenever this
-- file changes.

-- previous release: a new site copies its user's reseller; a user who moves to another reseller takes the sites along.
create or replace function note_reseller_of_site() returns trigger language plpgsql as $$
begin
    select u.reseller_ref into new.reseller_ref from users u where u.brand_ref = new.brand_ref and u.ref = new.user_ref;
    return new;
end $$;
create or replace trigger note_reseller_of_site before insert on sites for each row
    when (is_previous_release()) execute function note_reseller_of_site();

-- previous release
create or replace function move_sites_with_user() returns trigger language plpgsql as $$
begin
    update sites set reseller_ref = new.reseller_ref where brand_ref = new.brand_ref and user_ref = new.ref;
    return null;
end $$;
create or replace trigger move_sites_with_user after update on users for each row
    when (old.reseller_ref is distinct from new.reseller_ref and is_previous_release())
    execute function move_sites_with_user();

-- NOTIFY on sitewright_sites, so that every edge server invalidates its cache of a site. The payload is the site's ref,
-- followed by the host name if one was mapped or unmapped.
create or replace function notify_site_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_sites', coalesce(new.ref, old.ref)::text);
    return null;
end $$;
create or replace trigger notify_site_changed after insert or update or delete on sites for each row
    execute function notify_site_changed();

create or replace function notify_domain_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_sites', coalesce(new.site_ref, old.site_ref) || ' ' || coalesce(new.domain, old.domain));
    return null;
end $$;
create or replace trigger notify_domain_changed after insert or delete on site_domains for each row
    execute function notify_domain_changed();

create or replace function notify_user_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_sites', s.ref::text) from sites s where s.brand_ref = new.brand_ref and s.user_ref = new.ref;
    return null;
end $$;
create or replace trigger notify_user_changed after update on users for each row
    when ((old.suspended_at is null) <> (new.suspended_at is null)
          or (old.deleted_at is null) <> (new.deleted_at is null)) execute function notify_user_changed();

-- Runs once for each statement: once for each row would make inserts 50 % slower. `offset 0` keeps the planner from
-- flattening the subquery, so that it uses the index of a user's sites.
create or replace function notify_packages_assigned() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_sites', s.ref::text)
       from added a cross join lateral (select ref from sites
                                         where brand_ref = a.brand_ref and user_ref = a.user_ref and deleted_at is null
                                        offset 0) s
      where a.is_subscription;
    return null;
end $$;
create or replace trigger notify_packages_assigned after insert on account_packages referencing new table as added
    for each statement execute function notify_packages_assigned();

-- Counts the bytes of originals per user, also when a site takes its media along.
create or replace function count_media_bytes() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        update users set storage_bytes = storage_bytes + new.bytes where brand_ref = new.brand_ref and ref = new.user_ref;
    else
        update users set storage_bytes = storage_bytes - old.bytes where brand_ref = old.brand_ref and ref = old.user_ref;
    end if;
    return null;
end $$;
create or replace trigger count_media_bytes after insert or delete on media for each row
    execute function count_media_bytes();

-- NOTIFY on sitewright_sites: edge servers cache the variants of deleted media.
create or replace function notify_media_deleted() returns trigger language plpgsql as $$
begin
    perform pg_notify('sitewright_sites', old.site_ref::text);
    return null;
end $$;
create or replace trigger notify_media_deleted after delete on media for each row
    execute function notify_media_deleted();
