-- Functions of events. Applied again whenever this file changes.

-- Events keep their order and every ref, for deliveries that are still to come, but lose the names of an erased site. The
-- service may not change events otherwise.
create or replace function erase_site_in_events(asked_site_ref bigint) returns void
    language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update events e set body = (
        select json_object_agg(o.key, case o.key when 'site' then (
                   select json_object_agg(i.key, case i.key when 'domains' then '{}'::json
                                                            when 'primaryDomain' then 'null'::json
                                                            when 'primaryUrl' then '""'::json
                                                            else i.value end order by i.ordinality)
                     from json_each(o.value) with ordinality i) else o.value end order by o.ordinality)
          from json_each(e.body) with ordinality o)
     where e.brand_ref = current_brand() and e.site_ref = asked_site_ref
$$;
revoke execute on function erase_site_in_events from public;
grant execute on function erase_site_in_events to sitewright_service;
