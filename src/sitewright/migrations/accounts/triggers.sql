-- Counts users. Applied again whenever this file changes.

create or replace function count_new_users() returns trigger language plpgsql as $$
begin
    insert into user_counts as c (brand_ref, reseller_ref, deleted, slot, users)
    select brand_ref, coalesce(reseller_ref, 0), deleted_at is not null, pg_backend_pid() % 16, count(*)
      from new_users group by 1, 2, 3 order by 1, 2, 3
    on conflict (brand_ref, reseller_ref, deleted, slot) do update set users = c.users + excluded.users;
    return null;
end $$;
create or replace trigger count_new_users after insert on users
    referencing new table as new_users for each statement execute function count_new_users();

create or replace function count_moved_user() returns trigger language plpgsql as $$
begin
    insert into user_counts as c (brand_ref, reseller_ref, deleted, slot, users)
    select brand_ref, reseller_ref, deleted, pg_backend_pid() % 16, sum(change)
      from (values (old.brand_ref, coalesce(old.reseller_ref, 0), old.deleted_at is not null, -1),
                   (new.brand_ref, coalesce(new.reseller_ref, 0), new.deleted_at is not null, 1))
           moved (brand_ref, reseller_ref, deleted, change)
     group by 1, 2, 3 order by 1, 2, 3
    on conflict (brand_ref, reseller_ref, deleted, slot) do update set users = c.users + excluded.users;
    return null;
end $$;
create or replace trigger count_moved_user after update on users for each row
    when ((old.deleted_at is null) <> (new.deleted_at is null) or old.reseller_ref is distinct from new.reseller_ref)
    execute function count_moved_user();
