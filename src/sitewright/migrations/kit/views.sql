-- Views that features of kit publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

-- Without sessions of operators, which the previous release would take for those of account holders.
create or replace view session_list with (security_invoker = true) as
    select brand_ref, digest, user_ref, expires_at from sessions where operator_ref is null;

grant select on session_list to sitewright_service;
