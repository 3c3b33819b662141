-- The hash chain of the audit log (kit/audit/chain). Applied again whenever this file changes.

-- An entry as the text that its digest is made of: all columns, in one fixed form.
create or replace function audit_entry_text(entry audit_entries) returns text language sql stable
    set search_path = pg_catalog, public, pg_temp
    return jsonb_build_array(entry.brand_ref, entry.ref, extract(epoch from entry.at), entry.actor, entry.action, entry.subject,
                             entry.subject_ref, entry.request_id, entry.details)::text;

-- The hash of a link: of the hash before it, and of all its columns.
create or replace function audit_link_hash(former bytea, sequence bigint, entry_ref bigint, at timestamptz, digest bytea)
    returns bytea language sql stable set search_path = pg_catalog, public, pg_temp
    return sha256(former || convert_to(concat_ws(' ', sequence, entry_ref, (extract(epoch from at) * 1000000)::bigint,
                                                 encode(digest, 'hex')), 'UTF8'));

-- Chains committed entries, at most `most` of each brand. One process at a time chains a brand's entries: it locks the head. Returns
-- how many were chained.
create or replace function chain_audit_entries(most integer) returns bigint
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    brand bigint := -1;
    head record;
    entry record;
    refs bigint[];
    total bigint := 0;
begin
    loop
        select i.brand_ref into brand from audit_inbox i where i.brand_ref > brand order by i.brand_ref limit 1;
        exit when not found;
        if not exists (select from audit_heads h where h.brand_ref = brand) then -- ON CONFLICT waits for a locked row
            insert into audit_heads (brand_ref) values (brand) on conflict do nothing;
        end if;
        select h.sequence, h.hash into head from audit_heads h where h.brand_ref = brand for no key update skip locked;
        continue when not found;
        refs := array(select i.entry_ref from audit_inbox i where i.brand_ref = brand order by i.entry_ref limit most);
        delete from audit_inbox i where i.brand_ref = brand and i.entry_ref = any(refs);
        for entry in
            select e.ref, e.at, sha256(convert_to(audit_entry_text(e), 'UTF8')) as digest from audit_entries e
             where e.ref = any(refs) order by e.ref
        loop
            head.sequence := head.sequence + 1;
            head.hash := audit_link_hash(head.hash, head.sequence, entry.ref, entry.at, entry.digest);
            insert into audit_chain (brand_ref, sequence, entry_ref, at, digest, hash)
            values (brand, head.sequence, entry.ref, entry.at, entry.digest, head.hash);
            total := total + 1;
        end loop;
        update audit_heads h set sequence = head.sequence, hash = head.hash where h.brand_ref = brand;
    end loop;
    return total;
end $$;

-- The newest link of each chain, across brands: for `sitewright audit verify` and `seal`.
create or replace function list_audit_heads()
    returns table (brand_ref bigint, sequence bigint, hash bytea, pruned bigint, pruned_hash bytea)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select h.brand_ref, h.sequence, h.hash, h.pruned, h.pruned_hash from audit_heads h order by h.brand_ref
$$;

-- Links of a chain in order, each with its entry as text, null where the entry was deleted: for `sitewright audit verify`.
create or replace function read_audit_chain(asked_brand_ref bigint, after bigint, most integer)
    returns table (sequence bigint, entry_ref bigint, at timestamptz, digest bytea, hash bytea, entry text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select c.sequence, c.entry_ref, c.at, c.digest, c.hash, case when e.ref is not null then audit_entry_text(e) end
      from audit_chain c left join audit_entries e on e.ref = c.entry_ref
     where c.brand_ref = asked_brand_ref and c.sequence > after order by c.sequence limit most
$$;

-- Deletes the first links of each chain whose entries were deleted after their retention.
create or replace function prune_audit_chain() returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    head record;
    first_kept bigint;
begin
    for head in select h.brand_ref, h.sequence, h.pruned from audit_heads h order by h.brand_ref for no key update loop
        select c.sequence into first_kept from audit_chain c
         where c.brand_ref = head.brand_ref and c.sequence > head.pruned
           and (c.at >= now() - interval '30 days' or exists (select from audit_entries e where e.ref = c.entry_ref))
         order by c.sequence limit 1;
        first_kept := coalesce(first_kept, head.sequence + 1);
        continue when first_kept <= head.pruned + 1;
        update audit_heads h set pruned = c.sequence, pruned_hash = c.hash from audit_chain c
         where h.brand_ref = head.brand_ref and c.brand_ref = head.brand_ref and c.sequence = first_kept - 1;
        delete from audit_chain c where c.brand_ref = head.brand_ref and c.sequence < first_kept;
    end loop;
end $$;

revoke execute on function chain_audit_entries, list_audit_heads, read_audit_chain, prune_audit_chain from public;
grant execute on function chain_audit_entries, list_audit_heads, read_audit_chain, prune_audit_chain to sitewright_service;
