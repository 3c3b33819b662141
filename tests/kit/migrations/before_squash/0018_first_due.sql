-- The brands with something due, as 0007 has it, but asked by the first entry of each index: asked by whether there is any
-- that is due, the planner reads every package there is.
create or replace function brands_with_due_packages(until timestamptz) returns setof bigint
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select b.brand_ref from brands b
     where least((select a.due_at from account_packages a
                   where a.brand_ref = b.brand_ref and a.ended_at is null and a.due_at is not null
                   order by a.due_at limit 1),
                 (select a.remind_at from account_packages a
                   where a.brand_ref = b.brand_ref and a.ended_at is null and a.remind_at is not null
                   order by a.remind_at limit 1)) <= until
     order by b.brand_ref
$$;
