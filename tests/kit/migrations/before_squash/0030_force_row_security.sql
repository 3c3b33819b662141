-- Row-level security holds the owner too, on every table that no function, view or command reads as the owner. Should a
-- session of the service ever be the owner's, it sees one brand's rows at most, or an error.

-- For members of sitewright_backup (the owner): all rows for pg_dump, else those of the brand that is set, if any. An error
-- instead of an empty table, so that no backup is ever short of rows.
create function owner_may_read_all() returns boolean language plpgsql stable as $$
begin
    if current_setting('application_name') = 'pg_dump' then
        return true;
    elsif nullif(current_setting('sitewright.brand_ref', true), '') is not null then
        return false;
    end if;
    raise exception 'row-level security holds the owner of this table too'
        using errcode = 'insufficient_privilege',
              hint = 'Name a brand: set sitewright.brand_ref = ''1''. All brands are read by pg_dump --enable-row-security alone.';
end $$;

do $$
declare
    forced text;
begin
    foreach forced in array array[
        'certificate_warnings', 'charges', 'domain_validations', 'event_sequences', 'former_site_domains', 'global_values',
        'lifecycle_events', 'pages', 'profiles', 'site_files', 'site_usage', 'site_versions',
        'static_values', 'user_counts', 'widget_values', 'widgets'
    ] loop
        execute format('alter table %I force row level security', forced);
        execute format('create policy backup on %I for select to sitewright_backup using (owner_may_read_all())', forced);
    end loop;
end $$;
