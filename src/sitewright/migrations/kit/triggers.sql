-- Triggers of the foundation. Applied again whenever this file changes.

-- Lists new entries, no matter what inserts them, for `chain_audit_entries`: those who insert do not wait for each other.
create or replace function list_unchained_audit_entries() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into audit_inbox (brand_ref, entry_ref) select coalesce(i.brand_ref, 0), i.ref from inserted i;
    return null;
end $$;
create or replace trigger list_unchained_audit_entries after insert on audit_entries
    referencing new table as inserted for each statement execute function list_unchained_audit_entries();
revoke execute on function list_unchained_audit_entries from public;
