-- Functions of events. Applied again whenever this file changes.

-- The body of an event without the names of its site.
create or replace function without_site_names(body json) returns json language sql immutable
    set search_path = pg_catalog, public, pg_temp as $$
    select json_object_agg(o.key, case o.key when 'site' then (
               select json_object_agg(i.key, case i.key when 'domains' then '{}'::json
                                                        when 'primaryDomain' then 'null'::json
                                                        when 'primaryUrl' then '""'::json
                                                        else i.value end order by i.ordinality)
                 from json_each(o.value) with ordinality i) else o.value end order by o.ordinality)
      from json_each(body) with ordinality o
$$;

-- Events keep their order and every ref, for deliveries that are still to come, but lose the names of an erased site. The
-- service may not change events otherwise. The sequencer is kept waiting, so that it moves no event meanwhile.
create or replace function erase_site_in_events(asked_site_ref bigint) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into event_sequences (brand_ref, last) values (current_brand(), 0) on conflict do nothing;
    perform from event_sequences s where s.brand_ref = current_brand() for no key update;
    update event_inbox i set body = without_site_names(i.body)
     where i.brand_ref = current_brand() and i.body -> 'site' ->> 'ref' = asked_site_ref::text;
    update events e set body = without_site_names(e.body)
     where e.brand_ref = current_brand() and e.site_ref = asked_site_ref;
end $$;
revoke execute on function erase_site_in_events from public;
grant execute on function erase_site_in_events to sitewright_service;
