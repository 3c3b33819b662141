-- Views that features of domains publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view domain_holders with (security_invoker = true) as
    select brand_ref, ref, user_ref, domain, account_package_ref,
           status = 'active' and ended_at is null as is_registered
      from account_domains;

create or replace view validation_files with (security_invoker = true) as
    select brand_ref, domain_ref, hash, content from domain_validations;

create or replace view mailbox_list with (security_invoker = true) as
    select brand_ref, ref, account_domain_ref, status from mailboxes;

-- The hosts whose last certain health check failed.
create or replace view failing_hosts with (security_invoker = true) as
    select brand_ref, ref, domain_ref, findings from domain_checks where state = 'failing' and domain_ref is not null;

-- The names that a certificate is served for, without those for which there is one that lasts longer.
create or replace view last_certificates with (security_invoker = true) as
    select c.brand_ref, c.ref, c.not_before, c.not_after, c.source, b.domain
      from certificates c join certificate_bindings b on b.brand_ref = c.brand_ref and b.certificate_ref = c.ref
     where not exists (
           select from certificate_bindings o
             join certificates l on l.brand_ref = o.brand_ref and l.ref = o.certificate_ref
            where o.brand_ref = b.brand_ref and o.domain = b.domain and l.not_after > c.not_after);

grant select on domain_holders, validation_files, mailbox_list, failing_hosts, last_certificates to sitewright_service;
