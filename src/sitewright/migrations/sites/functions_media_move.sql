-- Moving media between stores. Applied again whenever this file changes.

-- Across brands, for `sitewright media move`: objects of one store that are kept, and those whose move was interrupted.
create or replace function media_objects_to_move(source text, after_brand bigint, after_key text, most bigint)
    returns table (brand_ref bigint, key text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
    select o.brand_ref, o.key from media_objects o
     where o.store = source and o.delete_after is null and (o.brand_ref, o.key) > (after_brand, after_key)
     order by o.brand_ref, o.key limit most;
end;
create or replace function media_objects_in_two_stores(most bigint)
    returns table (brand_ref bigint, key text, stores text[])
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
    select o.brand_ref, o.key, array[o.store, o.other_store] from media_objects o where o.other_store is not null limit most;
end;

-- Across brands, for the same command: how many objects a store holds, and how many of them are uploads that
-- are not completed yet.
create or replace function count_media_objects(asked_store text) returns table (kept bigint, pending bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
    select count(*) filter (where o.delete_after is null), count(*) filter (where o.delete_after is not null)
      from media_objects o where o.store = asked_store;
end;

revoke execute on function media_objects_to_move, media_objects_in_two_stores, count_media_objects from public;
grant execute on function media_objects_to_move, media_objects_in_two_stores, count_media_objects to sitewright_service;
