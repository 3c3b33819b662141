-- The sequencer (webhooks/sequencer). Applied again whenever this file changes.

-- Numbers the committed events of each brand that has any in its inbox, at most `most` of each, and adds their deliveries. The row in
-- `event_sequences` is locked until the commit: one sequencer at a time numbers a brand, and a reader that sees an event sees all
-- those before it. A brand whose row is locked is left to the next call. Returns how many events were numbered.
create or replace function sequence_events(now_at timestamptz, most integer) returns bigint
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    brand bigint := 0;
    is_test boolean;
    before bigint;
    numbered bigint;
    total bigint := 0;
begin
    loop
        select i.brand_ref into brand from event_inbox i where i.brand_ref > brand order by i.brand_ref limit 1;
        exit when not found;
        if not exists (select from event_sequences s where s.brand_ref = brand) then -- ON CONFLICT waits for a locked row
            insert into event_sequences (brand_ref, last) values (brand, 0) on conflict do nothing;
        end if;
        select s.last into before from event_sequences s where s.brand_ref = brand for no key update skip locked;
        continue when not found;
        select b.test_mode into is_test from brands b where b.brand_ref = brand;
        with taken as (
            delete from event_inbox i where i.brand_ref = brand and i.ref = any(array(
                select n.ref from event_inbox n where n.brand_ref = brand order by n.ref limit most))
            returning i.*
        ), placed as (
            select t.*, before + row_number() over (order by t.ref) as sequence from taken t)
        insert into events (brand_ref, sequence, id, kind, body, at, numbered_at)
        select brand, p.sequence, p.id, p.kind,
               (left(p.body::text, -1) || ',"testMode":' || is_test || ',"sequence":' || p.sequence || '}')::json, p.at,
               now_at
          from placed p order by p.sequence;
        get diagnostics numbered = row_count;
        continue when numbered = 0;
        update event_sequences s set last = before + numbered where s.brand_ref = brand;
        perform fan_out_events(brand, before, before + numbered, now_at);
        perform pg_notify('sitewright_events', brand::text);
        total := total + numbered;
    end loop;
    return total;
end $$;

-- One delivery of each event after `first` up to `last` for every active subscription to it: to its name, to all of its kind
-- (`site.*`) or to all (`*`). A subscription that is being deleted is skipped and not waited for. They are due in their order.
create or replace function fan_out_events(asked_brand_ref bigint, first bigint, last bigint, now_at timestamptz) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)
    select s.brand_ref, s.ref, e.sequence, now_at - (last - e.sequence) * interval '1 microsecond'
      from webhook_subscriptions s
      join events e on e.brand_ref = s.brand_ref and e.sequence > first and e.sequence <= last
           and s.event in (e.kind, split_part(e.kind, '.', 1) || '.*', '*')
     where s.brand_ref = asked_brand_ref and s.active
     order by e.sequence, s.ref
       for key share of s skip locked
    on conflict do nothing; -- previous release: its trigger has added them
    if found then
        perform pg_notify('sitewright_webhooks', '');
    end if;
end $$;

revoke execute on function sequence_events, fan_out_events from public;
grant execute on function sequence_events to sitewright_service;
