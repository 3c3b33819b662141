-- Views that features of domains publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view domain_holders with (security_invoker = true) as
    select brand_ref, ref, user_ref, domain, account_package_ref from account_domains;

create or replace view validation_files with (security_invoker = true) as
    select brand_ref, domain_ref, hash, content from domain_validations;

grant select on domain_holders, validation_files to sitewright_service;
