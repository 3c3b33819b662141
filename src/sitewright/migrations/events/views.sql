-- Views that features of events publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view event_log with (security_invoker = true) as
    select brand_ref, sequence, id, kind, at, site_ref from events;

grant select on event_log to sitewright_service;
