-- Notifications of the workers; and, for the previous release, deliveries for events. Applied again whenever this file changes.

-- previous release: one delivery for each active subscription to the event's kind, in the transaction that emits it. A subscription that is just
-- being deleted is skipped and not waited for: no receiver ever delays or fails the cause of an event.
create or replace function fan_out_event() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)
    select s.brand_ref, s.ref, new.sequence, new.at from webhook_subscriptions s
     where s.brand_ref = new.brand_ref and s.event in (new.kind, split_part(new.kind, '.', 1) || '.*', '*') and s.active
       for key share skip locked;
    if found then
        perform pg_notify('sitewright_webhooks', '');
    end if;
    perform pg_notify('sitewright_events', new.brand_ref::text);
    return null;
end $$;
create or replace trigger fan_out_event after insert on events for each row
    when (is_previous_release()) execute function fan_out_event();

-- previous release: held deliveries are due at once when their subscription becomes active again; those that a worker is just
-- making are left alone.
create or replace function resume_webhook_deliveries() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    update webhook_deliveries d set due_at = new.updated_at
     where d.brand_ref = new.brand_ref and d.subscription_ref = new.ref and d.due_at > new.updated_at
       and (d.lease_until is null or d.lease_until <= new.updated_at) and d.claimed_by is null; -- previous release
    return null;
end $$;
create or replace trigger resume_webhook_deliveries after update on webhook_subscriptions for each row
    when (new.active and not old.active and is_previous_release()) execute function resume_webhook_deliveries();

-- NOTIFY on sitewright_webhooks which subscription changed or was deleted: workers release the deliveries that they have
-- claimed for it and not sent yet.
create or replace function notify_subscription_changed() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform pg_notify('sitewright_webhooks', old.ref::text);
    return null;
end $$;
create or replace trigger notify_subscription_changed after update on webhook_subscriptions for each row
    when (old.active <> new.active or old.url <> new.url) execute function notify_subscription_changed();
create or replace trigger notify_subscription_deleted after delete on webhook_subscriptions for each row
    execute function notify_subscription_changed();

revoke execute on function fan_out_event, resume_webhook_deliveries, notify_subscription_changed from public;
