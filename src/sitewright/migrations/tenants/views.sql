-- Views that features of tenants publish to others (tests/test_table_owners.py). They run with the rights of the session that reads
-- them, so that row-level security holds. Applied again whenever this file changes; new columns go to the end of a view.

create or replace view brand_settings with (security_invoker = true) as
    select b.brand_ref, b.name, b.domain, b.time_zone, b.consistent_types, b.contact, b.help_url, b.mail_sender,
           b.default_currency_ref, b.default_package_ref, b.default_template_ref,
           array(select l.code from brand_languages x join languages l on l.ref = x.language_ref
                  where x.brand_ref = b.brand_ref order by x.display_order, l.ref) as language_codes,
           b.test_mode, b.clock_offset
      from brands b;

create or replace view operator_names with (security_invoker = true) as
    select brand_ref, ref, username from operators;

grant select on brand_settings, operator_names to sitewright_service;
